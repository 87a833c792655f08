package agent_test

import (
	"context"
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

// The tests of section 9, rule by rule.

func TestNavigatingToTheLeafDoesNothing(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	n, err := l.NavigateTree(t.Context(), two.ID(), agent.NavigateOptions{})
	if err != nil || !n.AlreadyThere || n.NewLeaf != two.ID() {
		t.Fatalf("%+v %v", n, err)
	}
}

func TestNavigatingToAnUnknownEntryFails(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	if _, err := l.NavigateTree(t.Context(), "00000000", agent.NavigateOptions{}); !errors.Is(err, session.ErrNotFound) {
		t.Fatalf("%v", err)
	}
}

func TestASummaryWithoutAModelFailsAtOnceAndNamesExtract(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	two := l.say("assistant", "two")
	_, err := l.NavigateTree(t.Context(), one.ID(), agent.NavigateOptions{Summarize: true})
	if !errors.Is(err, agent.ErrNoModel) || !strings.Contains(err.Error(), model.ExtractName) {
		t.Fatalf("%v", err)
	}
	if l.leaf() != two.ID() || len(l.events) > 0 {
		t.Errorf("leaf %s, events %s", l.leaf(), l.types())
	}
}

func TestARequestComesBackForTheEditorAndTheLeafIsItsParent(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	three, err := l.Session().Append(t.Context(), session.Message{Message: message.User("three", message.Image("image/png", []byte("png")))})
	if err != nil {
		t.Fatal(err)
	}
	l.say("assistant", "four")
	n, err := l.NavigateTree(t.Context(), three.ID(), agent.NavigateOptions{})
	if err != nil || !n.Again || n.EditorText != "three" || len(n.Images) != 1 || n.NewLeaf != two.ID() || l.leaf() != two.ID() {
		t.Fatalf("%+v %v", n, err)
	}
}

func TestARootRequestLeavesNoLeaf(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	l.say("assistant", "two")
	n, err := l.NavigateTree(t.Context(), one.ID(), agent.NavigateOptions{})
	if err != nil || n.NewLeaf != "" || l.leaf() != "" {
		t.Fatalf("%+v %v", n, err)
	}
	next := l.say("user", "another")
	if next.ParentID() != "" {
		t.Error("the next entry is no root")
	}
}

func TestACustomMessageComesBackForTheEditorToo(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	note, err := l.Session().Append(t.Context(), session.CustomMessage{CustomType: "note", Content: json.RawMessage(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)})
	if err != nil {
		t.Fatal(err)
	}
	l.say("assistant", "two")
	n, err := l.NavigateTree(t.Context(), note.ID(), agent.NavigateOptions{})
	if err != nil || n.EditorText != "ab" || n.NewLeaf != one.ID() {
		t.Fatalf("%+v %v", n, err)
	}
}

func TestAnyOtherEntryBecomesTheLeaf(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	l.say("user", "three")
	n, err := l.NavigateTree(t.Context(), two.ID(), agent.NavigateOptions{})
	if err != nil || n.Again || n.NewLeaf != two.ID() || l.leaf() != two.ID() {
		t.Fatalf("%+v %v", n, err)
	}
}

func TestAMoveSurvivesARestart(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	l.say("user", "three")
	if _, err := l.NavigateTree(t.Context(), two.ID(), agent.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), l.path)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(); leaf.ID() != two.ID() {
		t.Errorf("opened at %s", leaf.ID())
	}
}

func TestTheSummaryHangsAtTheNewPosition(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"What it taught."}}}, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	l.say("user", "three")
	tail := l.say("assistant", "four")
	n, err := l.NavigateTree(t.Context(), two.ID(), agent.NavigateOptions{Summarize: true})
	if err != nil {
		t.Fatal(err)
	}
	if n.OldLeaf != tail.ID() || n.SummaryEntry.ParentID() != two.ID() || n.NewLeaf != n.SummaryEntry.ID() || n.FromExtension {
		t.Fatalf("%+v", n)
	}
	body, err := n.SummaryEntry.Body()
	if err != nil {
		t.Fatal(err)
	}
	b := body.(session.BranchSummary)
	if !strings.Contains(b.Summary, "What it taught.") || b.FromID != two.ID() || b.Usage == nil || b.Usage.Cost.Total == 0 {
		t.Errorf("%+v", b)
	}
}

func TestASummaryBeforeTheFirstEntryComesFromRoot(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
	one := l.say("user", "one")
	l.say("assistant", "two")
	n, err := l.NavigateTree(t.Context(), one.ID(), agent.NavigateOptions{Summarize: true})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := n.SummaryEntry.Body()
	if b := body.(session.BranchSummary); b.FromID != "root" || n.SummaryEntry.ParentID() != "" {
		t.Errorf("%+v", b)
	}
}

func TestExtractWritesTheSummaryWhenItIsChosen(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "make the parser faster")
	two := l.say("assistant", "two")
	l.say("user", "try a cache")
	l.say("assistant", "The cache did not help.")
	n, err := l.NavigateTree(t.Context(), two.ID(), agent.NavigateOptions{Summarize: true, SummaryModel: model.ExtractName})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := n.SummaryEntry.Body()
	if b := body.(session.BranchSummary); !strings.Contains(b.Summary, "try a cache") {
		t.Errorf("%s", b.Summary)
	}
}

func TestAModelErrorLeavesTheLeaf(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Status: 400, Message: "no"}}, nil)
	one := l.say("user", "one")
	l.say("assistant", "two")
	tail := l.say("user", "three")
	before, _ := os.ReadFile(l.path)
	if _, err := l.NavigateTree(t.Context(), one.ID(), agent.NavigateOptions{Summarize: true}); err == nil {
		t.Fatal("no error")
	}
	if after, _ := os.ReadFile(l.path); l.leaf() != tail.ID() || string(after) != string(before) {
		t.Error("something changed")
	}
}

func TestCancellingTheSummaryCancelsTheMove(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"half"}, Hold: make(chan struct{})}}, nil)
	one := l.say("user", "one")
	l.say("assistant", "two")
	tail := l.say("user", "three")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.Listen(func(e agent.Event) {
		if e.Type == agent.SummaryStart {
			cancel()
		}
	})
	before, _ := os.ReadFile(l.path)
	n, err := l.NavigateTree(ctx, one.ID(), agent.NavigateOptions{Summarize: true})
	if err != nil || !n.Cancelled || n.NewLeaf != tail.ID() {
		t.Fatalf("%+v %v", n, err)
	}
	if after, _ := os.ReadFile(l.path); l.leaf() != tail.ID() || string(after) != string(before) {
		t.Error("something changed")
	}
}

func TestAMoveStopsARunningAnswerAndKeepsWhatHadArrived(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"half an answer"}, Hold: make(chan struct{})}}, nil)
	one := l.say("user", "one")
	two := l.say("assistant", "two")
	moved := make(chan agent.Navigation, 1)
	started := false
	l.Listen(func(e agent.Event) {
		if e.Type == agent.TextDelta && !started {
			started = true
			go func() {
				n, err := l.NavigateTree(context.Background(), two.ID(), agent.NavigateOptions{})
				if err != nil {
					t.Error(err)
				}
				moved <- n
			}()
		}
	})
	kept, err := l.Prompt(t.Context(), "three")
	if !errors.Is(err, context.Canceled) || !kept.Aborted() || text(t, kept) != "half an answer" {
		t.Fatalf("%v", err)
	}
	if n := <-moved; n.OldLeaf != kept.ID() || n.NewLeaf != two.ID() {
		t.Errorf("%+v, one is %s", n, one.ID())
	}
}

// The tests of section 10.

func TestABranchStartsAtARequest(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	if _, err := l.Branch(t.Context(), two.ID()); err == nil {
		t.Fatal("no error")
	}
}

func TestABranchAtARootRequestIsEmptyWithAParent(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	before, _ := os.ReadFile(l.path)
	b, err := l.Branch(t.Context(), one.ID())
	if err != nil || b.EditorText != "one" || b.Path == l.path {
		t.Fatalf("%+v %v", b, err)
	}
	if s := l.Session(); s.Path() != b.Path || s.Len() != 0 || s.Header().ParentSession != l.path {
		t.Errorf("%s %d %s", s.Path(), s.Len(), s.Header().ParentSession)
	}
	if after, _ := os.ReadFile(l.path); string(after) != string(before) {
		t.Error("the old session changed")
	}
}

func TestABranchHoldsTheWayToBeforeTheRequest(t *testing.T) {
	l := newLive(t, nil, nil)
	l.say("user", "one")
	two := l.say("assistant", "two")
	three := l.say("user", "three")
	l.say("assistant", "four")
	b, err := l.Branch(t.Context(), three.ID())
	if err != nil || b.EditorText != "three" {
		t.Fatalf("%+v %v", b, err)
	}
	if s := l.Session(); s.Len() != 2 || l.leaf() != two.ID() || s.Header().ParentSession != l.path {
		t.Errorf("%d %s", s.Len(), l.leaf())
	}
}

func TestAForkHoldsEverythingAndStandsAtTheSamePlace(t *testing.T) {
	l := newLive(t, nil, nil)
	one := l.say("user", "one")
	two := l.say("assistant", "two")
	l.say("user", "three")
	if err := l.Session().BranchTo(two.ID()); err != nil {
		t.Fatal(err)
	}
	path, err := l.Fork(t.Context())
	if err != nil || path == l.path {
		t.Fatalf("%s %v", path, err)
	}
	if s := l.Session(); s.Len() != 3 || l.leaf() != two.ID() || s.Path() != path {
		t.Errorf("%d %s, one is %s", s.Len(), l.leaf(), one.ID())
	}
}
