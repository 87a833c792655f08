//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWhatIsNoRegularFileIsRefused: no command waits for a writer to a FIFO, or reads a device.
func TestWhatIsNoRegularFileIsRefused(t *testing.T) {
	m := newMachine(t)
	fifo := filepath.Join(m.dir, "fifo.jsonl")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(m.dir, "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"fifo.jsonl", "folder.jsonl", "/dev/null"} {
		for _, args := range [][]string{
			{"info", file}, {"tree", file}, {file}, {"log", file}, {"show", file, "x"}, {"context", file}, {"doctor", file}, {"doctor", "--repair", file},
			{"append", file}, {"nav", file, "x"}, {"label", file, "x", "y"}, {"branch", file, "x"}, {"fork", file},
		} {
			o := m.run(userMore, args...)
			if o.code != exitFailed || o.out != "" || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, file) {
				t.Errorf("%q: exit %d, %q, %q", args, o.code, o.out, o.err)
			}
		}
	}
}

// TestAnUnreadableFileIsRefused runs as somebody who may not read it.
func TestAnUnreadableFileIsRefused(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	m := newMachine(t)
	path := m.tour()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"info", path}, {"tree", path}, {"doctor", path}, {"append", path}} {
		if o := m.run(userMore, args...); o.code != exitFailed || !strings.Contains(o.err, "permission denied") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%q: exit %d, %q", args, o.code, o.err)
		}
	}
}

// TestAnEmptyFileIsANewSession: it reads as one without entries, and the first append gives it a
// header.
func TestAnEmptyFileIsANewSession(t *testing.T) {
	m := newMachine(t)
	path := m.file("empty.jsonl", "")
	if i := decode[info](t, m.ok("info", path, "--json")); i.Entries != 0 || i.Leaf != nil || i.Problems != 0 {
		t.Errorf("%+v", i)
	}
	if out := m.ok("tree", path); out != "No entries yet\n" {
		t.Errorf("tree: %q", out)
	}
	if out := m.ok("context", path, "--json"); !strings.HasPrefix(out, `{"leaf":null,"messages":[],`) {
		t.Errorf("context: %s", out)
	}
	m.ok("log", path)
	m.ok("doctor", path)
	if read(t, path) != "" {
		t.Error("reading wrote to it")
	}
	m.fed(userMore, "append", path)
	if lines := linesOf(read(t, path)); len(lines) != 2 || !strings.HasPrefix(lines[0], `{"type":"session","version":3,`) {
		t.Errorf("%q", lines)
	}
	m.ok("doctor", path)
}
