package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ramo-agent")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", dir)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// live is an agent on a session file, with a model whose server answers by a script.
type live struct {
	*agent.Agent
	t      *testing.T
	server *modeltest.Server
	path   string
	events []agent.Event
}

func newLive(t *testing.T, script []modeltest.Turn, change func(*agent.Options)) *live {
	t.Helper()
	l := &live{t: t, path: filepath.Join(t.TempDir(), "session.jsonl")}
	o := agent.Options{}
	if script != nil {
		l.server = modeltest.NewServer(t, modeltest.OpenAI, script...)
		o.Models = model.NewRegistry(map[string]model.Settings{"test": {
			BaseURL: l.server.BaseURL(modeltest.OpenAI), Models: []model.Info{{ID: "m", ContextWindow: 100_000, Price: model.Price{Input: 1, Output: 1}}},
		}})
		o.Model = "test/m"
	}
	if change != nil {
		change(&o)
	}
	s, err := session.Create(l.path, session.NewHeader(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if l.Agent, err = agent.New(s, o); err != nil {
		t.Fatal(err)
	}
	l.Listen(func(e agent.Event) { l.events = append(l.events, e) })
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (l *live) say(role, text string) session.Entry {
	l.t.Helper()
	e, err := l.Session().Append(l.t.Context(), session.Message{Message: message.Message{Role: role, Content: []message.Block{message.Text(text)}}})
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

func (l *live) prompt(text string) session.Entry {
	l.t.Helper()
	e, err := l.Prompt(l.t.Context(), text)
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

func (l *live) types() string {
	var list []string
	for _, e := range l.events {
		list = append(list, string(e.Type))
	}
	return strings.Join(list, " ")
}

func (l *live) leaf() string {
	e, _ := l.Session().Leaf()
	return e.ID()
}

func text(t *testing.T, e session.Entry) string {
	t.Helper()
	m, err := e.Message()
	if err != nil {
		t.Fatal(err)
	}
	return m.Text()
}

func TestARequestIsInTheLogBeforeTheModelIsAsked(t *testing.T) {
	wait := make(chan struct{})
	l := newLive(t, []modeltest.Turn{{Text: []string{"ok"}, Wait: wait}}, nil)
	l.Listen(func(e agent.Event) {
		if e.Type != agent.AnswerStart {
			return
		}
		s, err := session.Open(context.Background(), l.path)
		if err != nil {
			t.Error(err)
		} else if leaf, _ := s.Leaf(); leaf.Role() != "user" {
			t.Error("the request is not on the disk")
		}
		close(wait)
	})
	if got := text(t, l.prompt("hello")); got != "ok" {
		t.Errorf("%q", got)
	}
	if got := l.types(); got != "user_message answer_start text answer_end idle" {
		t.Errorf("events: %s", got)
	}
}

func TestAToolCallIsRunAndItsResultGoesBack(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Calls: []modeltest.Call{{ID: "c1", Name: "read", Arguments: `{"path":"a.txt"}`}, {ID: "c2", Name: "nothing", Arguments: `{}`}}},
		{Text: []string{"It says hi."}},
	}, func(o *agent.Options) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hi there"), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := tool.Open(dir, tool.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		o.Tools = w.Tools()
	})
	l.prompt("read a.txt")
	var roles []string
	for e := range l.Session().Entries() {
		roles = append(roles, e.Role())
	}
	if got := strings.Join(roles, " "); got != "user assistant toolResult toolResult assistant" {
		t.Fatalf("entries: %s", got)
	}
	first, _ := l.Session().At(2).Message()
	second, _ := l.Session().At(3).Message()
	if !strings.Contains(first.Text(), "hi there") || first.IsError || !second.IsError || second.ToolCallID != "c2" {
		t.Errorf("results: %+v %+v", first, second)
	}
	if sent := l.server.Requests()[1].Raw; !strings.Contains(sent, "hi there") {
		t.Errorf("the result did not go back: %s", sent)
	}
}

func TestACallThatNeedsApprovalIsNotRunWithoutIt(t *testing.T) {
	for name, approve := range map[string]func(context.Context, message.Block) (bool, error){
		"nobody to ask": nil,
		"no":            func(context.Context, message.Block) (bool, error) { return false, nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := newLive(t, []modeltest.Turn{
				{Calls: []modeltest.Call{{ID: "c1", Name: "write", Arguments: `{"path":"x","content":"y"}`}}}, {Text: []string{"pity"}},
			}, func(o *agent.Options) {
				w, err := tool.Open(dir, tool.Options{Write: tool.Ask})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = w.Close() })
				o.Tools, o.Approve = w.Tools(), approve
			})
			l.prompt("write")
			if m, _ := l.Session().At(2).Message(); !m.IsError {
				t.Errorf("%+v", m)
			}
			if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
				t.Error("the file was written")
			}
		})
	}
}

func TestAPromptWithoutAModelWritesNothing(t *testing.T) {
	l := newLive(t, nil, nil)
	if _, err := l.Prompt(t.Context(), "hello"); !errors.Is(err, agent.ErrNoModel) {
		t.Fatalf("%v", err)
	}
	if l.Session().Len() != 0 {
		t.Error("something was written")
	}
}

func TestASecondOperationIsRefusedWhileOneRuns(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"a"}, Hold: make(chan struct{})}}, nil)
	tried := false
	l.Listen(func(e agent.Event) {
		if e.Type == agent.TextDelta && !tried {
			tried = true
			if _, err := l.Prompt(context.Background(), "another"); !errors.Is(err, agent.ErrBusy) {
				t.Errorf("%v", err)
			}
			if _, err := l.Compact(context.Background(), ""); !errors.Is(err, agent.ErrBusy) {
				t.Errorf("%v", err)
			}
			go l.Abort()
		}
	})
	if _, err := l.Prompt(t.Context(), "hello"); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if !tried {
		t.Fatal("nothing came")
	}
}

func TestAnAbortedAnswerIsKept(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"half an"}, Hold: make(chan struct{})}}, nil)
	l.Listen(func(e agent.Event) {
		if e.Type == agent.TextDelta {
			go l.Abort()
		}
	})
	e, err := l.Prompt(t.Context(), "hello")
	if !errors.Is(err, context.Canceled) || text(t, e) != "half an" || !e.Aborted() {
		t.Fatalf("%v %v", e.ID(), err)
	}
}

func TestAnOverflowCompactsAndAsksAgain(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Text: []string{"one"}},
		{Status: 400, Message: "maximum context length is 10 tokens"},
		{Text: []string{"a summary"}},
		{Text: []string{"a summary"}},
		{Text: []string{"two"}},
	}, nil)
	l.prompt(strings.Repeat("a long request ", 8000))
	l.prompt("and now?")
	found := false
	for e := range l.Session().Entries() {
		found = found || e.Type() == session.TypeCompaction
	}
	if !found {
		t.Error("no compaction was made")
	}
}
