//go:build !windows

package main

import (
	"os"
	"os/exec"
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
	m := newMachine(t)
	path := m.tour()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	var as *syscall.SysProcAttr
	if os.Getuid() == 0 { // root reads everything; nobody does not
		const nobody = 65534
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		base := filepath.Dir(m.dir)
		for _, dir := range []string{filepath.Dir(base), base, m.dir, m.home, filepath.Dir(binary)} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, command := range []string{"info", "tree", "log", "context", "doctor", "append", "fork"} {
		cmd := exec.Command(binary, command, path)
		cmd.Dir, cmd.Env, cmd.SysProcAttr = m.dir, m.env, as
		var out, errs strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(userMore), &out, &errs
		_ = cmd.Run() // how it ended is looked at below
		if cmd.ProcessState == nil {
			t.Skip("cannot run as another user")
		}
		says := errs.String()
		if cmd.ProcessState.ExitCode() != exitFailed || out.Len() > 0 || !strings.Contains(says, path+": permission denied") || strings.Count(says, "\n") != 1 {
			t.Errorf("%s: %v, %q, %q", command, cmd.ProcessState, out.String(), says)
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
