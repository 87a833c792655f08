//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/internal/generate"
)

// generated is a session of a shape, on the machine.
func (m *machine) generated(s generate.Shape) string {
	m.t.Helper()
	path := filepath.Join(m.dir, "generated.jsonl")
	f, err := os.Create(path)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if err := generate.Session(f, s); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// TestAReaderThatHasSeenEnough is `| head -1`: the program ends, quietly.
func TestAReaderThatHasSeenEnough(t *testing.T) {
	m := newMachine(t)
	path := m.generated(generate.Shape{Entries: 50_000, BranchEvery: 50})
	for _, args := range [][]string{{"tree", path}, {"tree", path, "--json"}, {"log", path}, {"context", path}} {
		cmd := exec.Command(binary, args...)
		cmd.Dir, cmd.Env = m.dir, m.env
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line == "" {
			t.Errorf("%q: no first line: %v", args, err)
		}
		_ = out.Close()
		wait(t, cmd, args)
		if errs.Len() > 0 {
			t.Errorf("%q: %s", args, errs.String())
		}
	}
}

// wait fails the test when a program hangs.
func wait(t *testing.T, cmd *exec.Cmd, args []string) {
	t.Helper()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Errorf("%q: hangs", args)
	}
}

// TestAppendAnswersEachLineAtOnce: a program may wait for an entry's id before it writes the next.
func TestAppendAnswersEachLineAtOnce(t *testing.T) {
	m := newMachine(t)
	cmd := exec.Command(binary, "append", m.tour(), "--json")
	cmd.Dir, cmd.Env = m.dir, m.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	parent := "e94903e2"
	for range 5 {
		if _, err := io.WriteString(in, userMore+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		a := decode[appended](t, line)
		if text(a.ParentID) != parent {
			t.Errorf("%s hangs from %s, want %s", a.ID, text(a.ParentID), parent)
		}
		parent = a.ID
	}
	// Ctrl-C ends it, though nobody closes its standard input.
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	wait(t, cmd, cmd.Args)
	if code := cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("interrupted: exit %d", code)
	}
}

// TestTheTreeIsPrintedAsItIsRead: the first lines are out before the last texts have been read. Here
// those are cut off behind its back while it waits for its reader; what it cannot read, it says.
func TestTheTreeIsPrintedAsItIsRead(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "COLUMNS=400")
	path := m.generated(generate.Shape{Entries: 100_000})
	for _, flag := range []string{"--filter=all", "--json"} {
		whole := read(t, path)
		cmd := exec.Command(binary, "tree", path, flag)
		cmd.Dir, cmd.Env = m.dir, m.env
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.Contains(lines.Text(), "user: Request 0: make") {
			t.Errorf("%s: the first line is %q", flag, lines.Text())
		}
		if err := os.Truncate(path, int64(len(whole)/2)); err != nil {
			t.Fatal(err)
		}
		n, last := 1, ""
		for lines.Scan() {
			n++
			last = lines.Text()
		}
		wait(t, cmd, cmd.Args)
		if n != 100_000 || !strings.Contains(last, "is not at byte") {
			t.Errorf("%s: %d lines, the last is %q: it was read before the first was printed", flag, n, last)
		}
		m.file(path, whole)
	}
}

// TestAMillionDeep: nothing recurses, and nothing grows with the square of the depth.
func TestAMillionDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	m := newMachine(t)
	shape := generate.Shape{Entries: 1_000_000}
	path := m.generated(shape)
	if i := decode[info](t, m.ok("info", path, "--json")); i.Depth != shape.Entries || i.Entries != shape.Entries || i.Branches != 1 || i.Problems != 0 {
		t.Errorf("%+v", i)
	}
	request := shape.Entries - 4 // every fourth entry is one
	for _, c := range []struct {
		args []string
		has  string // in the last line
	}{
		{[]string{"tree", path, "--filter", "all"}, "← here"},
		{[]string{"context", path, "--json"}, `"injectedRules":[]}`},
		{[]string{"branch", path, generate.ID(shape, request), "--output", "branched.jsonl", "--json"}, "branched.jsonl"},
	} {
		cmd := exec.Command(binary, c.args...)
		cmd.Dir, cmd.Env = m.dir, m.env
		var errs bytes.Buffer
		end := &tail{}
		cmd.Stdout, cmd.Stderr = end, &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Fatalf("%q: %v, %s", c.args[0], err, errs.String())
		}
		if got := string(end.bytes); !strings.Contains(got, c.has) {
			t.Errorf("%q ends with %q", c.args, got)
		}
	}
	// Label entries stay behind, and as many are made anew.
	labels := decode[info](t, m.ok("info", path, "--json")).Labels
	if i := decode[info](t, m.ok("info", "branched.jsonl", "--json")); i.Labels != labels || i.Depth != i.Entries || i.Problems != 0 {
		t.Errorf("the branch: %+v, want %d labels", i, labels)
	}
}

// tail keeps the end of what is written to it.
type tail struct{ bytes []byte }

func (w *tail) Write(p []byte) (int, error) {
	const most = 400
	w.bytes = append(w.bytes, p...)
	w.bytes = append(w.bytes[:0], w.bytes[max(0, len(w.bytes)-most):]...)
	return len(p), nil
}

// TestDeepAndWide: a long chain, many entries that hang from one, and many branches.
func TestDeepAndWide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, c := range []struct {
		name  string
		shape generate.Shape
	}{
		{"deep", generate.Shape{Entries: 200_000}},
		{"wide", generate.Shape{Entries: 100_000, Wide: true}},
		{"branches", generate.Shape{Entries: 100_000, BranchEvery: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			path := m.generated(c.shape)
			for _, args := range [][]string{{"tree", path, "--filter", "all"}, {"tree", path, "--json"}} {
				cmd := exec.Command(binary, args...)
				cmd.Dir, cmd.Env = m.dir, m.env
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				n, longest := 0, 0
				lines := bufio.NewScanner(out)
				for lines.Scan() {
					n++
					longest = max(longest, len([]rune(lines.Text())))
				}
				wait(t, cmd, args)
				if n != c.shape.Entries {
					t.Errorf("%q: %d lines", args, n)
				}
				if args[2] == "--filter" && longest > 100 {
					t.Errorf("%q: a line of %d columns", args, longest)
				}
			}
			depth := decode[info](t, m.ok("info", path, "--json")).Depth
			if c.name == "deep" && depth != c.shape.Entries {
				t.Errorf("depth %d", depth)
			}
		})
	}
}
