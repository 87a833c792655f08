package session_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheExampleInTheReadmeCompiles builds the Go code that the README shows.
func TestTheExampleInTheReadmeCompiles(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the README shows no Go code")
	}
	program := `package main

import (
	"context"
	"fmt"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

func main() { fmt.Println(example(context.Background())) }

func example(ctx context.Context) error {
` + code + "return err\n}\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "example"), file)
	cmd.Dir = ".." // the module
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, program)
	}
}
