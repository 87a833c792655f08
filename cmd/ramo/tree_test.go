package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// staircase is a session in which every request is put twice, and the second goes on: each step
// indents.
func staircase(steps int) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}` + "\n")
	parent := "null"
	for i := range steps {
		for _, side := range []string{"a", "b"} {
			fmt.Fprintf(&b, `{"type":"message","id":"%07x%s","parentId":%s,"timestamp":"2026-03-09T09:00:00.000Z","message":{"role":"user","content":"step %d%s, and then some words to fill the line to its end"}}`+"\n", i, side, parent, i, side)
		}
		parent = fmt.Sprintf(`"%07xb"`, i)
	}
	return b.String()
}

// TestDeepBranchesKeepRoomForText: however deep, a line fits the width, and 40 columns of it, or half
// the width, are text.
func TestDeepBranchesKeepRoomForText(t *testing.T) {
	for _, width := range []int{30, 60, 80, 200} {
		m := newMachine(t)
		path := m.file("stairs.jsonl", staircase(200))
		m.env = append(m.env, fmt.Sprintf("COLUMNS=%d", width))
		lines := linesOf(m.ok("tree", path))
		if len(lines) != 400 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("%d columns, not %d: %q", w, width, line)
			}
			at := strings.Index(line, "user: ")
			if at < 0 {
				t.Fatalf("no text in %q", line)
			}
			room := width - ansi.StringWidth(line[:at])
			if want := min(40, width/2); room < want-2 { // the mark of the active path is two
				t.Errorf("%d columns are left of %d: %q", room, width, line)
			}
		}
		if !strings.HasPrefix(lines[0], "├─ • user: step 0b") || !strings.HasPrefix(lines[399], "└─ user: step 0a") {
			t.Errorf("the first and last lines are\n%s\n%s", lines[0], lines[399])
		}
	}
}

// TestAnyWidth: however narrow, nothing breaks.
func TestAnyWidth(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	env, want := m.env, len(linesOf(m.ok("tree", path)))
	for width := 1; width < 25; width += 3 {
		m.env = append(slices.Clip(env), fmt.Sprintf("COLUMNS=%d", width))
		for _, args := range [][]string{{"tree", path}, {"tree", path, "--ids"}} {
			lines := linesOf(m.ok(args...))
			if len(lines) != want {
				t.Errorf("%q, width %d: %d lines, want %d", args, width, len(lines), want)
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > width {
					t.Errorf("%q: %d columns, not %d: %q", args, w, width, line)
				}
			}
		}
	}
}

// TestHiddenNodesPassTheirChildrenOn: with a filter or a search, what is shown hangs from the nearest
// shown ancestor, in the order of the whole tree.
func TestHiddenNodesPassTheirChildrenOn(t *testing.T) {
	m := newMachine(t)
	m.file("s.jsonl", `{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":"one"}}
{"type":"custom","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-03-09T09:00:02.000Z","customType":"x"}
{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2026-03-09T09:00:03.000Z","message":{"role":"user","content":"three"}}
{"type":"message","id":"aaaaaaa4","parentId":"aaaaaaa2","timestamp":"2026-03-09T09:00:04.000Z","message":{"role":"user","content":"four"}}
{"type":"message","id":"aaaaaaa5","parentId":"aaaaaaa1","timestamp":"2026-03-09T09:00:05.000Z","message":{"role":"user","content":"five"}}
{"type":"custom","id":"aaaaaaa6","parentId":"aaaaaaa4","timestamp":"2026-03-09T09:00:06.000Z","customType":"y"}
`)
	want := `• user: one
├─ • user: four  ← here
├─ user: three
└─ user: five
`
	if got := m.ok("tree", "s.jsonl"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := m.ok("tree", "s.jsonl", "--search", "F"), "├─ • user: four  ← here\n└─ user: five\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOnATerminal draws on a real one, which script(1) makes.
func TestOnATerminal(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no script(1) of util-linux")
	}
	m := newMachine(t)
	m.tour()
	onTerminal := func(env ...string) string {
		t.Helper()
		cmd := exec.Command(script, "-qec", "stty cols 60; "+binary+" tree tour.jsonl", "/dev/null")
		cmd.Dir, cmd.Env = m.dir, append(slices.Clone(m.env), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.ReplaceAll(string(out), "\r\n", "\n")
	}
	coloured := onTerminal("TERM=xterm-256color")
	if !strings.Contains(coloured, "\x1b[32muser: Could the receipt") {
		t.Errorf("no colours: %q", coloured)
	}
	for _, line := range linesOf(coloured) {
		if w := ansi.StringWidth(line); w > 60 {
			t.Errorf("%d columns on a terminal of 60: %q", w, line)
		}
	}
	plain := onTerminal("TERM=xterm-256color", "NO_COLOR=1")
	if strings.Contains(plain, "\x1b") || plain != ansi.Strip(coloured) {
		t.Errorf("with NO_COLOR: %q", plain)
	}
}

func TestASessionAloneShowsItsTree(t *testing.T) {
	m := newMachine(t)
	tour := m.tour()
	for _, flags := range [][]string{nil, {"--json"}} {
		alone := m.ok(append([]string{tour}, flags...)...)
		if named := m.ok(append([]string{"tree", tour}, flags...)...); alone != named || alone == "" {
			t.Errorf("%v: alone %q, as tree %q", flags, alone, named)
		}
	}
}
