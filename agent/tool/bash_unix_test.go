//go:build !windows

package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/agent/tool"
)

func TestBash(t *testing.T) {
	b := newBench(t, allTools())
	b.put("file", "hello\n")
	for _, c := range []struct {
		name, command string
		want          string
		code          int
	}{
		{"output", "cat file", "hello\n", 0},
		{"in the working directory", "pwd", b.dir + "\n", 0},
		{"errors among the output, in order", "echo a; echo b >&2; echo c", "a\nb\nc\n", 0},
		{"no output", "true", "(no output)", 0},
		{"a failure", "echo oops; exit 3", "oops\n\n[exit code 3]", 3},
		{"a failure without output", "false", "(no output)\n\n[exit code 1]", 1},
		{"a missing program", "no-such-program-here 2>/dev/null", "(no output)\n\n[exit code 127]", 127},
		{"there is no input", "cat; echo end", "end\n", 0},
		{"there is no terminal", "if : 2>/dev/null </dev/tty; then echo terminal; else echo none; fi", "none\n", 0},
		{"not UTF-8", `printf 'caf\351\n'`, "caf\uFFFD\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.call("bash", args{"command": c.command})
			d := details[tool.CommandDetails](t, r)
			if text(r) != c.want || r.IsError != (c.code != 0) || d.ExitCode == nil || *d.ExitCode != c.code {
				t.Errorf("got %q (error: %v), details %s", text(r), r.IsError, r.Details)
			}
		})
	}
	b.fails("bash", args{"command": "  "}, "the command is empty")
	b.fails("bash", args{"command": "true\x00"}, "NUL")
	b.fails("bash", args{"command": "kill -SEGV $$"}, "segmentation fault")
}

func TestBashOutputIsBounded(t *testing.T) {
	b := newBench(t, allTools())
	r := b.call("bash", args{"command": "echo first; yes 0123456789 | head -c 3000000; echo; echo last"})
	got, d := text(r), details[tool.CommandDetails](t, r)
	if len(got) > 51<<10 || !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "\nlast\n") || !strings.Contains(got, "[… 2.8 MB left out …]") || d.Omitted < 2_900_000 {
		t.Errorf("got %d bytes, %q … %q, %s", len(got), got[:20], got[len(got)-20:], r.Details)
	}
}

func TestBashEnvironment(t *testing.T) {
	b := newBench(t, tool.Options{Bash: tool.Allow, Env: []string{"PATH=" + os.Getenv("PATH"), "MINE=yes"}})
	t.Setenv("SECRET_KEY", "secret")
	if got := b.ok("bash", args{"command": `echo "$MINE,$SECRET_KEY,$TERM"`}); got != "yes,,dumb\n" {
		t.Errorf("got %q", got)
	}
}

func TestBashShowsOutputAsItComes(t *testing.T) {
	b := newBench(t, allTools())
	var mu sync.Mutex
	var shown strings.Builder
	// The command goes on only once its first piece was shown.
	ctx := tool.WithOutput(t.Context(), func(piece string) {
		mu.Lock()
		defer mu.Unlock()
		shown.WriteString(piece)
		if strings.HasSuffix(shown.String(), "one\n") {
			b.put("go", "")
		}
	})
	r := b.callContext(ctx, "bash", args{"command": "echo one; until [ -e go ]; do sleep 0.01; done; echo two"})
	if got := shown.String(); r.IsError || got != "one\ntwo\n" || text(r) != got {
		t.Errorf("shown %q, returned %q", got, text(r))
	}
}

func TestBashTimeout(t *testing.T) {
	b := newBench(t, allTools())
	r := b.call("bash", args{"command": "echo begun; sleep 600", "timeout": 0.2})
	d := details[tool.CommandDetails](t, r)
	if want := "begun\n\n[stopped after 200ms: it took too long; for more time set timeout]"; text(r) != want || !r.IsError || !d.TimedOut || d.ExitCode != nil {
		t.Errorf("got %q, %s", text(r), r.Details)
	}
}

// However a command ends, all that it started ends with it.
func TestBashLeavesNoProcess(t *testing.T) {
	for _, c := range []struct{ name, command string }{
		{"cancelled", "sleep 600 & echo $! > pid; echo ready; wait"},
		{"deaf to SIGTERM", "trap '' TERM; (trap '' TERM; sleep 600; sleep 600) & echo $! > pid; echo ready; while :; do sleep 600; done"},
		{"the shell ends, the rest does not", "sleep 600 & echo $! > pid; echo ready"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, allTools())
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ctx = tool.WithOutput(ctx, func(piece string) {
				if strings.Contains(piece, "ready") && !strings.HasPrefix(c.name, "the shell ends") {
					cancel()
				}
			})
			r := b.callContext(ctx, "bash", args{"command": c.command})
			if strings.HasPrefix(c.name, "the shell ends") {
				if r.IsError || text(r) != "ready\n" {
					t.Errorf("got %q", text(r))
				}
			} else if !details[tool.CommandDetails](t, r).Cancelled || text(r) != "ready\n\n[cancelled]" {
				t.Errorf("got %q, %s", text(r), r.Details)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(b.get("pid")))
			if err != nil {
				t.Fatal(err)
			}
			if !gone(t, pid) {
				t.Errorf("process %d is still running", pid)
			}
		})
	}
}

// gone waits until a process has ended; one that no one has waited for yet counts.
func gone(t *testing.T, pid int) bool {
	t.Helper()
	for range 1000 {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return true
		}
		if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// A process that left the group and holds the output open does not hold up the tool.
func TestBashDoesNotWaitForADaemon(t *testing.T) {
	b := newBench(t, allTools())
	r := b.call("bash", args{"command": `command -v setsid >/dev/null || exit 9; setsid sh -c 'echo $$ > pid; exec sleep 600' & until [ -s pid ]; do sleep 0.01; done; echo end`})
	if d := details[tool.CommandDetails](t, r); d.ExitCode != nil && *d.ExitCode == 9 {
		t.Skip("there is no setsid here")
	}
	if text(r) != "end\n" {
		t.Errorf("got %q", text(r))
	}
	pid, err := strconv.Atoi(strings.TrimSpace(b.get("pid")))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the daemon: %v", err)
	}
}

func TestWhichCommandsAreAskedFor(t *testing.T) {
	allow := []string{"go test", "ls", "git status", ""}
	for _, c := range []struct {
		command string
		ask     bool
	}{
		{"go test", false},
		{"go  test ./... -run 'A B'", false},
		{"ls", false},
		{"ls -la *.go", false},
		{"go testing", true},
		{"go vet", true},
		{"go", true},
		{"lsof", true},
		{"", true},
		{"X=1 go test", true},
		{"ls; rm -rf .", true},
		{"ls && rm x", true},
		{"ls & rm x", true},
		{"ls | sh", true},
		{"ls > x", true},
		{"ls < x", true},
		{"ls $(rm x)", true},
		{"ls `rm x`", true},
		{"ls $HOME", true},
		{"ls <(rm x)", true},
		{"ls\nrm x", true},
		{"ls\rrm x", true},
		{"rm x # ls", true},
	} {
		b := newBench(t, tool.Options{Bash: tool.Ask, AllowCommands: allow})
		raw, err := json.Marshal(args{"command": c.command})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.tools["bash"].MustAsk(raw); got != c.ask {
			t.Errorf("%q: ask is %v", c.command, got)
		}
	}
	b := newBench(t, tool.Options{Bash: tool.Ask, AllowCommands: allow})
	if !b.tools["bash"].MustAsk(json.RawMessage(`{`)) {
		t.Error("arguments that cannot be read are not asked for")
	}
}
