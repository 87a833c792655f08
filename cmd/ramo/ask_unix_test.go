//go:build unix

package main

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestRmAsks: on a terminal it tells what it is about to do, and only a yes is one.
func TestRmAsks(t *testing.T) {
	m := newMachine(t)
	path := m.aged("one", 0)
	for _, c := range []struct {
		answer string
		gone   bool
		code   int
	}{{"\n", false, exitNo}, {"no\n", false, exitNo}, {"Y\n", true, 0}} {
		cmd := exec.Command(binary, "rm", "one")
		cmd.Dir, cmd.Env = m.dir, m.env
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		out := bufio.NewReader(terminal)
		asked, err := out.ReadString(']')
		if err != nil || !strings.Contains(asked, "about one") || !strings.Contains(asked, "Put it into the trash? [y/N]") {
			t.Errorf("%q: %v", asked, err)
		}
		if _, err := terminal.WriteString(c.answer); err != nil {
			t.Fatal(err)
		}
		for err == nil { // until it ends: a terminal of no process is an error
			_, err = out.ReadByte()
		}
		_ = cmd.Wait() // its exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != c.code || exists(path) == c.gone {
			t.Errorf("%q: exit %d, want %d; still there: %v", c.answer, code, c.code, exists(path))
		}
		if err := terminal.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestABarShowsHowFarIndexingIs, on a terminal; it is gone when the answer comes.
func TestABarShowsHowFarIndexingIs(t *testing.T) {
	m := newMachine(t)
	path := m.aged("one", 0)
	m.file(path, read(t, path)+strings.Repeat(`{"type":"custom","id":"x","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","customType":"`+strings.Repeat("y", 1000)+"\"}\n", 17<<10))
	cmd := exec.Command(binary, "search", "about")
	cmd.Dir, cmd.Env = m.dir, m.env
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var out strings.Builder
	_, _ = bufio.NewReader(terminal).WriteTo(&out) // a terminal of no process is an error
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	before, after, cleared := strings.Cut(out.String(), "\r\x1b[K")
	if !cleared || !strings.Contains(before, "indexing sessions ░") || !strings.Contains(before, "█ 100 % of ") || !strings.Contains(after, "user: about one") || strings.Contains(after, "indexing") {
		t.Errorf("%q", out.String())
	}
}
