package library

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// inTerminal makes the test run as if in one.
func inTerminal(t *testing.T, name string) {
	t.Helper()
	for _, n := range []string{"TMUX", "TMUX_PANE", "ZELLIJ_PANE_ID", "WINDOW", "WT_SESSION", "WEZTERM_PANE", "KITTY_WINDOW_ID"} {
		t.Setenv(n, "")
	}
	t.Setenv("TERM_SESSION_ID", name)
}

// TestATerminalGoesOnWithItsSession: each with its own, where it was used; without one, the last used.
func TestATerminalGoesOnWithItsSession(t *testing.T) {
	b := newBookcase(t)
	one, two, three := b.write("one", user("a", "", "x")), b.write("two", user("a", "", "x")), b.write("three", user("a", "", "x"))
	for i, p := range []string{one, two, three} {
		at := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	resumes := func(terminal, dir, want string) {
		t.Helper()
		inTerminal(t, terminal)
		i, err := b.lib.Resume(ctx, dir)
		if want == "" {
			if !errors.Is(err, ErrNone) {
				t.Errorf("%s in %s resumes %s: %v", terminal, dir, i.Path, err)
			}
		} else if err != nil || i.Path != want {
			t.Errorf("%s in %s resumes %s, want %s: %v", terminal, dir, i.Path, want, err)
		}
	}
	resumes("left", "/srv/demo", three)
	for terminal, path := range map[string]string{"left": one, "right": two} {
		inTerminal(t, terminal)
		if err := Remember(path, "/srv/demo"); err != nil {
			t.Fatal(err)
		}
	}
	resumes("left", "/srv/demo", one)
	resumes("right", "/srv/demo", two)
	resumes("new", "/srv/demo", three)
	resumes("left", "/srv/other", "")
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	resumes("left", "/srv/demo", three)
	inTerminal(t, "left")
	file, err := terminalFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	resumes("left", "/srv/demo", three)
}

func TestAMultiplexersPaneIsATerminal(t *testing.T) {
	inTerminal(t, "window")
	window := terminalName()
	t.Setenv("TMUX", "/tmp/tmux-1000/default,1,0")
	seen := map[string]bool{window: true}
	for _, pane := range []string{"%1", "%2"} {
		t.Setenv("TMUX_PANE", pane)
		if name := terminalName(); seen[name] {
			t.Errorf("%s has the name of another: %q", pane, name)
		} else {
			seen[name] = true
		}
	}
}

func TestTerminalsOfLongAgoAreForgotten(t *testing.T) {
	b := newBookcase(t)
	path := b.write("one", user("a", "", "x"))
	inTerminal(t, "old")
	if err := Remember(path, "/srv/demo"); err != nil {
		t.Fatal(err)
	}
	file, err := terminalFile()
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().AddDate(-1, 0, 0)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	inTerminal(t, "new")
	if err := Remember(path, "/srv/demo"); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(files) != 1 || files[0].Name() == filepath.Base(file) {
		t.Errorf("%v %v", files, err)
	}
}
