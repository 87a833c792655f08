package agent_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// More tests of sections 9 and 10, rule by rule.

func (l *live) add(b session.Body) session.Entry {
	l.t.Helper()
	e, err := l.Session().Append(l.t.Context(), b)
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

func (l *live) navigate(target session.Entry, o agent.NavigateOptions) agent.Navigation {
	l.t.Helper()
	n, err := l.NavigateTree(l.t.Context(), target.ID(), o)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

func TestAMoveThatAbandonsNothingAsksForNoSummary(t *testing.T) {
	for name, start := range map[string]func(l *live, one session.Entry) error{
		"deeper on the same path": func(l *live, one session.Entry) error { return l.Session().BranchTo(one.ID()) },
		"from no leaf at all":     func(l *live, _ session.Entry) error { l.Session().ResetLeaf(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
			one := l.say("user", "one")
			two := l.say("assistant", "two")
			if err := start(l, one); err != nil {
				t.Fatal(err)
			}
			n := l.navigate(two, agent.NavigateOptions{Summarize: true})
			if !n.SummaryEntry.IsZero() || l.leaf() != two.ID() || len(l.server.Requests()) > 0 {
				t.Errorf("%+v after %d requests", n, len(l.server.Requests()))
			}
		})
	}
}

func TestAPathOnWhichNothingWasSaidMovesWithoutASummary(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	l.add(session.ModelChange{Model: "acme/m"})
	l.add(session.LabelChange{TargetID: two.ID(), Label: "here"})
	n := l.navigate(two, agent.NavigateOptions{Summarize: true})
	if !n.SummaryEntry.IsZero() || l.leaf() != two.ID() || len(l.server.Requests()) > 0 {
		t.Errorf("%+v after %d requests", n, len(l.server.Requests()))
	}
}

func TestTheSummaryIsOfTheAbandonedPathAloneAndDoesNotStopAtACompaction(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
	l.say("user", "SHARED")
	two := l.say("assistant", "two")
	three := l.say("user", "BEFORE")
	l.add(session.Compaction{Summary: "COMPACTED", FirstKeptEntryID: three.ID()})
	l.say("assistant", "AFTER")
	l.navigate(two, agent.NavigateOptions{Summarize: true, Instructions: "mind the gap"})
	sent := l.sent(0)
	for _, want := range []string{"BEFORE", "COMPACTED", "AFTER", "mind the gap"} {
		if !strings.Contains(sent, want) {
			t.Errorf("the model is not shown %s: %s", want, sent)
		}
	}
	if strings.Contains(sent, "SHARED") {
		t.Errorf("the model is shown what is not abandoned: %s", sent)
	}
}

func TestTheSummaryNamesTheFilesOfThePathAndOfSummariesOnIt(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	l.add(session.BranchSummary{FromID: two.ID(), Summary: "earlier", Details: json.RawMessage(`{"readFiles":["n.go","b.go"],"modifiedFiles":["m.go"]}`)})
	l.add(session.BranchSummary{FromID: two.ID(), Summary: "by others", Details: json.RawMessage(`{"readFiles":["x.go"],"modifiedFiles":[]}`), FromExtension: true})
	call := func(id, name, args string) message.Block {
		return message.Block{Type: message.BlockToolCall, ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	l.add(session.Message{Message: message.Message{Role: "assistant", Content: []message.Block{
		call("1", "read", `{"path":"a.go"}`), call("2", "edit", `{"path":"b.go"}`), call("3", "write", `{"path":"c.go"}`), call("4", "read", `{"path":"c.go"}`),
	}}})
	n := l.navigate(two, agent.NavigateOptions{Summarize: true})
	b, err := n.SummaryEntry.Body()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b.(session.BranchSummary).Details), `{"readFiles":["a.go","n.go"],"modifiedFiles":["b.go","c.go","m.go"]}`; got != want {
		t.Errorf("details %s, want %s", got, want)
	}
}

func TestAMoveTakesUpTheModelAndTheThinkingOfThePath(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"ok"}}}, nil)
	_ = l.Close()
	s, err := session.Create(l.path, session.NewHeader(""))
	if err != nil {
		t.Fatal(err)
	}
	models := model.NewRegistry(map[string]model.Settings{"test": {BaseURL: l.server.BaseURL(modeltest.OpenAI), Models: []model.Info{{ID: "m"}, {ID: "n"}}}})
	if l.Agent, err = agent.New(s, agent.Options{Models: models}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	l.say("user", "one")
	first := l.add(session.ModelChange{Model: "test/m"})
	l.add(session.ThinkingLevelChange{Level: "high"})
	second := l.add(session.ModelChange{Model: "test/n"})
	for _, c := range []struct {
		at              session.Entry
		model, thinking string
	}{{first, "test/m", "off"}, {second, "test/n", "high"}} {
		l.navigate(c.at, agent.NavigateOptions{})
		if info, ok := l.Model(); !ok || info.Ref() != c.model || l.Thinking() != c.thinking {
			t.Errorf("at %s: %s %s, want %s %s", c.at.ID(), info.Ref(), l.Thinking(), c.model, c.thinking)
		}
	}
}

func TestAMoveThatIsRefusedStopsNoAnswer(t *testing.T) {
	hold := make(chan struct{})
	l := newLive(t, []modeltest.Turn{{Text: []string{"half ", "an answer"}, Hold: hold}}, nil)
	one := l.say("user", "one")
	l.Listen(func(e agent.Event) {
		if e.Type != agent.TextDelta || e.Text != "half " {
			return
		}
		defer close(hold)
		if _, err := l.NavigateTree(t.Context(), "nosuch", agent.NavigateOptions{}); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("an unknown entry: %v", err)
		}
		if _, err := l.NavigateTree(t.Context(), one.ID(), agent.NavigateOptions{Summarize: true, SummaryModel: "no/such"}); err == nil {
			t.Error("an unknown model for the summary: no error")
		}
		if _, err := l.Branch(t.Context(), "nosuch"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("a branch at an unknown entry: %v", err)
		}
	})
	if got := text(t, l.prompt("two")); got != "half an answer" {
		t.Errorf("%q", got)
	}
}

func TestABranchCarriesTheLabelsOfWhatItCopies(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	l.add(session.LabelChange{TargetID: one.ID(), Label: "start"})
	two := l.say("assistant", "two")
	three := l.add(session.Message{Message: message.User("three", message.Image("image/png", []byte("png")))})
	l.say("assistant", "four")
	l.add(session.LabelChange{TargetID: three.ID(), Label: "gone"})
	b, err := l.Branch(t.Context(), three.ID())
	if err != nil || b.EditorText != "three" || len(b.Images) != 1 {
		t.Fatalf("%+v %v", b, err)
	}
	s := l.Session()
	labels := s.Labels()
	if len(labels) != 1 || labels[0].Text != "start" || labels[0].Target.ID() != one.ID() {
		t.Errorf("labels %+v", labels)
	}
	if copied, ok := s.Entry(two.ID()); !ok || copied.ParentID() != one.ID() {
		t.Error("what hung from the label does not hang from what it stood behind")
	}
	if s.Path() != b.Path {
		t.Errorf("stands in %s, not in %s", s.Path(), b.Path)
	}
}

func TestABranchOfASessionInMemoryIsInMemory(t *testing.T) {
	s := session.NewMemory(session.NewHeader(""))
	a, err := agent.New(s, agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	l := &live{Agent: a, t: t}
	l.say("user", "one")
	two := l.say("assistant", "two")
	three := l.say("user", "three")
	b, err := l.Branch(t.Context(), three.ID())
	if err != nil || b.Path != "" || l.Session().Path() != "" || l.Session().Len() != 2 || l.leaf() != two.ID() {
		t.Errorf("%+v %v, at %q with %d entries", b, err, l.Session().Path(), l.Session().Len())
	}
}

func TestABranchLeavesTheOldSessionAsItWas(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	l.say("assistant", "two")
	three := l.say("user", "three")
	before, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Branch(t.Context(), three.ID()); err != nil {
		t.Fatal(err)
	}
	l.say("user", "in the new one")
	if after, err := os.ReadFile(l.path); err != nil || string(after) != string(before) {
		t.Errorf("the old session changed: %v\n%s", err, after)
	}
}
