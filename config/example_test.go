package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ramo-dev/ramo/config"
)

func Example() {
	dir, err := os.MkdirTemp("", "ramo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	project := filepath.Join(dir, "project")
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config")) // in place of the user's own
	defer os.Unsetenv("XDG_CONFIG_HOME")
	if err := os.MkdirAll(filepath.Join(project, ".ramo"), 0o700); err != nil {
		fmt.Println(err)
		return
	}
	file := filepath.Join(project, ".ramo", "config.toml")
	if err := os.WriteFile(file, []byte("branch_summary = \"always\"\nallow = [\"make\"]\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	s, err := config.Load(project)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.BranchSummary, s.Origin("branch_summary").Line, s.Allow)
	for _, i := range s.Ignored() {
		fmt.Println(i.Key, "is ignored")
	}

	if err := config.Trust(project); err != nil {
		fmt.Println(err)
		return
	}
	if s, err = config.Load(project); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Allow)
	// Output:
	// always 1 []
	// allow is ignored
	// [make]
}

func ExampleSecret() {
	key := config.Secret("sk-12345")
	fmt.Println(key, len(key.Reveal()))
	// Output: ******** 8
}
