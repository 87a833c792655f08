//go:build unix

package journeys

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the program that the journeys use.
var binary string

func TestMain(m *testing.M) {
	if file := os.Getenv(notes); file != "" {
		os.Exit(runNoted(file))
	}
	os.Exit(func() int {
		if _, err := exec.LookPath("tmux"); err != nil {
			fmt.Println("no tmux: the journeys are skipped")
			return 0
		}
		dir, err := os.MkdirTemp("", "ramo-journeys")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "ramo")
		if out, err := exec.Command("go", "build", "-o", binary, "../cmd/ramo").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}
