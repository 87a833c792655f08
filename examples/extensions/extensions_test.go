// Package extensions has extensions to start from. Each is run by a test, in a live session.
package extensions

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not here", name)
		}
	}
}

// user is a user who writes down what was said, and chooses the first of everything.
type user struct{ said chan string }

func (u user) Notify(_ context.Context, level extension.Level, text string) {
	u.said <- string(level) + " " + text
}

func (u user) Select(_ context.Context, title string, options []string) (int, bool, error) {
	u.said <- title + " " + strings.Join(options, ",")
	return 0, true, nil
}

func (user) Confirm(context.Context, string, string) (bool, error) { return true, nil }

func (user) Input(context.Context, string, string) (string, bool, error) { return "", false, nil }

// open opens a session about a directory, with a question, an answer, and so on.
func open(t *testing.T, dir string, p extension.Program, said chan string) (*agent.Agent, []session.Entry) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s, err := session.Create(filepath.Join(t.TempDir(), "session.jsonl"), session.NewHeader(dir))
	if err != nil {
		t.Fatal(err)
	}
	var entries []session.Entry
	for i, text := range []string{"fix the parser", "Done.", "add a cache", "It did not help."} {
		e, err := s.Append(t.Context(), session.Message{Message: message.Message{Role: []string{"user", "assistant"}[i%2], Content: []message.Block{message.Text(text)}}})
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	a, err := agent.New(s, agent.Options{Extensions: []extension.Extension{p.Extension()}, UI: user{said}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	a.Listen(func(e agent.Event) {
		if e.Type == agent.ExtensionTrouble {
			t.Errorf("trouble: %s", e.Text)
		}
	})
	return a, entries
}

// repository is a git repository with one commit.
func repository(t *testing.T) (dir string, commit func(subject string)) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	commit = func(subject string) {
		git("add", ".")
		git("commit", "-q", "--allow-empty", "-m", subject)
	}
	commit("start")
	return dir, commit
}

func TestGitGuardRefusesToLeaveADirtyTreeAndSummarizesItself(t *testing.T) {
	need(t, "python3", "git")
	dir, commit := repository(t)
	a, entries := open(t, dir, extension.Program{Command: []string{"python3", "git_guard.py"}}, make(chan string, 10))
	if err := os.WriteFile(filepath.Join(dir, "cache.go"), []byte("package cache\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := agent.NavigateOptions{Summarize: true, SummaryModel: model.ExtractName}
	n, err := a.NavigateTree(t.Context(), entries[1].ID(), o)
	if err != nil || !n.Cancelled || !strings.Contains(n.Reason, "1 change") {
		t.Fatalf("%+v %v", n, err)
	}
	commit("a cache")
	if n, err = a.NavigateTree(t.Context(), entries[1].ID(), o); err != nil || n.Cancelled || !n.FromExtension {
		t.Fatalf("%+v %v", n, err)
	}
	body, err := n.SummaryEntry.Body()
	if err != nil {
		t.Fatal(err)
	}
	if b := body.(session.BranchSummary); !strings.Contains(b.Summary, "- add a cache") || strings.Contains(b.Summary, "parser") ||
		!strings.HasSuffix(b.Summary, " a cache") || string(b.Details) != `{"requests": 1}` {
		t.Errorf("%s %s", b.Summary, b.Details)
	}
}

func TestStandupGoesWhereItsLabelIs(t *testing.T) {
	need(t, "python3", "git")
	for name, c := range map[string]struct{ label, said string }{
		"labelled":    {"standup", "info git-guard: ready for the standup"},
		"chosen":      {"morning", "git-guard: Where is the standup? morning"},
		"no label":    {"", `warning git-guard: label an entry "standup" first: /label standup`},
		"not now":     {"standup dirty", "warning git-guard: git has 1 change(s) that are not committed: commit or stash them first"},
		"at the leaf": {"standup leaf", "info git-guard: ready for the standup"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := repository(t)
			said := make(chan string, 10)
			a, entries := open(t, dir, extension.Program{Command: []string{"python3", "git_guard.py"}}, said)
			label, how, _ := strings.Cut(c.label, " ")
			if label != "" {
				if _, err := a.Session().SetLabel(t.Context(), entries[1].ID(), label); err != nil {
					t.Fatal(err)
				}
			}
			switch how {
			case "dirty":
				if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			case "leaf":
				if err := a.Session().BranchTo(entries[1].ID()); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.RunCommand(t.Context(), "standup", ""); err != nil {
				t.Fatal(err)
			}
			if got := <-said; got != c.said {
				t.Errorf("%q", got)
			}
			leaf, _ := a.Session().Leaf()
			if moved := leaf.ParentID() == entries[1].ID() && leaf.Type() == session.TypeBranchSummary; moved != (name == "labelled" || name == "chosen") {
				t.Errorf("the leaf is a %s", leaf.Type())
			}
		})
	}
}

func TestMoveLogNotesEachMove(t *testing.T) {
	need(t, "sh")
	log := filepath.Join(t.TempDir(), "moves")
	a, entries := open(t, t.TempDir(), extension.Program{Command: []string{"sh", "./move_log.sh"}, Env: append(os.Environ(), "MOVES="+log)}, nil)
	for _, e := range []session.Entry{entries[1], entries[3]} {
		if _, err := a.NavigateTree(t.Context(), e.ID(), agent.NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil { // the program reads to the end of its input first
		t.Fatal(err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"newLeafId":"`+entries[1].ID()) || !strings.Contains(lines[1], `"newLeafId":"`+entries[3].ID()) {
		t.Errorf("%s", b)
	}
}
