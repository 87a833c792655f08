package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a workspace with files around it that no tool may reach.
type bench struct {
	t       *testing.T
	dir     string // the working directory
	outside string // beside it
	tools   map[string]tool.Tool
}

func newBench(t *testing.T, o tool.Options) *bench {
	t.Helper()
	top := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(top, "work"), outside: filepath.Join(top, "outside"), tools: map[string]tool.Tool{}}
	for _, d := range []string{b.dir, b.outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w, err := tool.Open(b.dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, tl := range w.Tools() {
		b.tools[tl.Name] = tl
	}
	return b
}

func allTools() tool.Options {
	return tool.Options{Write: tool.Allow, Edit: tool.Allow, Bash: tool.Allow}
}

func (b *bench) put(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.t.Helper()
	c, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(c)
}

func (b *bench) link(to, name string) {
	b.t.Helper()
	if err := os.Symlink(to, filepath.Join(b.dir, name)); err != nil {
		b.t.Skip("no symbolic links here:", err)
	}
}

type args map[string]any

func (b *bench) call(name string, a args) tool.Result {
	b.t.Helper()
	return b.callContext(b.t.Context(), name, a)
}

func (b *bench) callContext(ctx context.Context, name string, a args) tool.Result {
	b.t.Helper()
	tl, ok := b.tools[name]
	if !ok {
		b.t.Fatalf("there is no tool %s", name)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		b.t.Fatal(err)
	}
	return tl.Call(ctx, raw)
}

func (b *bench) ok(name string, a args) string {
	b.t.Helper()
	r := b.call(name, a)
	if r.IsError {
		b.t.Fatalf("%s %v: %s", name, a, text(r))
	}
	return text(r)
}

// fails wants an error result whose text holds want.
func (b *bench) fails(name string, a args, want string) {
	b.t.Helper()
	r := b.call(name, a)
	if !r.IsError || !strings.Contains(text(r), want) {
		b.t.Errorf("%s %v: got %q (error: %v), want an error with %q", name, a, text(r), r.IsError, want)
	}
}

func text(r tool.Result) string {
	var s strings.Builder
	for _, c := range r.Content {
		if c.Type == message.BlockText {
			s.WriteString(c.Text)
		}
	}
	return s.String()
}

func details[D any](t *testing.T, r tool.Result) (d D) {
	t.Helper()
	if err := json.Unmarshal(r.Details, &d); err != nil {
		t.Fatalf("details %q: %v", r.Details, err)
	}
	return d
}

func TestOnlyReadingToolsUnlessTurnedOn(t *testing.T) {
	for _, c := range []struct {
		name    string
		options tool.Options
		want    string
	}{
		{"nothing said", tool.Options{}, "read grep ls"},
		{"all off", tool.Options{Write: tool.Off, Edit: tool.Off, Bash: tool.Off}, "read grep ls"},
		{"write asked for", tool.Options{Write: tool.Ask}, "read grep ls write?"},
		{"all, some asked for", tool.Options{Write: tool.Allow, Edit: tool.Ask, Bash: tool.Ask}, "read grep ls write edit? bash?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := tool.Open(t.TempDir(), c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var got []string
			for _, tl := range w.Tools() {
				name := tl.Name
				if tl.MustAsk(json.RawMessage(`{}`)) {
					name += "?"
				}
				got = append(got, name)
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("got %s, want %s", g, c.want)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir     string
		options tool.Options
	}{
		"a missing directory":       {filepath.Join(t.TempDir(), "no"), tool.Options{}},
		"a file":                    {file, tool.Options{}},
		"a permission that is none": {t.TempDir(), tool.Options{Bash: "yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			if w, err := tool.Open(c.dir, c.options); err == nil {
				w.Close()
				t.Error("no error")
			}
		})
	}
}

func TestEveryFailureIsAResult(t *testing.T) {
	run := func(f func() (tool.Result, error)) tool.Tool {
		return tool.Tool{Name: "mine", Run: func(context.Context, json.RawMessage) (tool.Result, error) { return f() }}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		tool tool.Tool
		args string
		want string
	}{
		{"an error", t.Context(), run(func() (tool.Result, error) { return tool.Result{}, errors.New("no luck") }), `{}`, "mine failed: no luck"},
		{"a panic", t.Context(), run(func() (tool.Result, error) { panic("oh") }), `{}`, "mine failed: internal error: oh"},
		{"no function", t.Context(), tool.Tool{Name: "mine"}, `{}`, "mine cannot be run"},
		{"cancelled before", cancelled, run(func() (tool.Result, error) { return tool.Text("ran"), nil }), `{}`, "mine was cancelled"},
		{"too late", late, run(func() (tool.Result, error) { return tool.Text("ran"), nil }), `{}`, "took too long"},
		{"arguments are no JSON", t.Context(), run(func() (tool.Result, error) { return tool.Text("ran"), nil }), `{"a":`, "not a JSON object"},
		{"arguments are a list", t.Context(), run(func() (tool.Result, error) { return tool.Text("ran"), nil }), `[]`, "not a JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.tool.Call(c.ctx, json.RawMessage(c.args))
			if !r.IsError || !strings.Contains(text(r), c.want) {
				t.Errorf("got %q (error: %v), want %q", text(r), r.IsError, c.want)
			}
		})
	}
}

func TestEveryBuiltInToolEndsWithItsContext(t *testing.T) {
	b := newBench(t, allTools())
	b.put("a.txt", "one\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]args{
		"read": {"path": "a.txt"}, "grep": {"pattern": "one"}, "ls": {}, "write": {"path": "a.txt", "content": "two"},
		"edit": {"path": "a.txt", "oldText": "one", "newText": "two"}, "bash": {"command": "echo two > a.txt"},
	} {
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		// Run, for Call does not even begin.
		if r, err := b.tools[name].Run(ctx, raw); err == nil && !r.IsError {
			t.Errorf("%s did its work: %q", name, text(r))
		}
	}
	if got := b.get("a.txt"); got != "one\n" {
		t.Errorf("the file was changed to %q", got)
	}
	if names := b.ok("ls", nil); names != "a.txt\n" {
		t.Errorf("something was left behind: %q", names)
	}
}

func TestClosedWorkspaceGivesErrors(t *testing.T) {
	w, err := tool.Open(t.TempDir(), tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tl := range w.Tools() {
		if r := tl.Call(t.Context(), json.RawMessage(`{"path":".","pattern":"x"}`)); !r.IsError {
			t.Errorf("%s: no error", tl.Name)
		}
	}
}
