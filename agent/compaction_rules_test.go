package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// The tests of section 11 in a live session, rule by rule. Where a cut may be is tested in summary.

// words is a text of about n tokens that begins with a name.
func words(name string, n int) string { return name + " " + strings.Repeat("abc ", n) }

// keeping has a context compacted that passes half the window of 100 000 tokens, and n tokens kept.
func keeping(n int64) func(*agent.Options) {
	return func(o *agent.Options) {
		o.Compaction = &summary.Settings{Enabled: true, ReserveTokens: 50_000, KeepRecentTokens: n}
	}
}

func (l *live) compactions() (list []session.Entry) {
	for e := range l.Session().Entries() {
		if e.Type() == session.TypeCompaction {
			list = append(list, e)
		}
	}
	return list
}

func (l *live) compaction(e session.Entry) session.Compaction {
	l.t.Helper()
	b, err := e.Body()
	if err != nil {
		l.t.Fatal(err)
	}
	c, ok := b.(session.Compaction)
	if !ok {
		l.t.Fatalf("%s is a %s", e.ID(), e.Type())
	}
	return c
}

func (l *live) compact(instructions string) session.Entry {
	l.t.Helper()
	e, err := l.Compact(l.t.Context(), instructions)
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

// sent is what the model was asked in a request, from 0.
func (l *live) sent(n int) string {
	l.t.Helper()
	all := l.server.Requests()
	if n >= len(all) {
		l.t.Fatalf("%d requests came, not %d", len(all), n+1)
	}
	return all[n].Raw
}

// unchanged returns a check that neither the file nor the leaf is another than now.
func (l *live) unchanged() func(when string) {
	l.t.Helper()
	before, err := os.ReadFile(l.path)
	if err != nil {
		l.t.Fatal(err)
	}
	s, leaf := l.Session(), l.leaf()
	return func(when string) {
		l.t.Helper()
		after, err := os.ReadFile(l.path)
		if err != nil {
			l.t.Fatal(err)
		}
		if string(after) != string(before) {
			l.t.Errorf("%s: the file changed:\n%s", when, strings.TrimPrefix(string(after), string(before)))
		}
		if l.Session() != s {
			l.t.Errorf("%s: the session is another", when)
		} else if l.leaf() != leaf {
			l.t.Errorf("%s: the leaf is %s, was %s", when, l.leaf(), leaf)
		}
	}
}

func TestAContextPastTheThresholdIsCompactedBeforeTheRequest(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Text: []string{words("TWO", 100)}, Input: 60_000, Output: 10},
		{Text: []string{"what came first"}}, {Text: []string{"short"}},
		{Text: []string{"FOUR"}},
	}, keeping(120))
	l.prompt(words("ONE", 100))
	l.events = nil
	answer := l.prompt("THREE")
	if got := l.types(); got != "summary_start compacted user_message answer_start text answer_end idle" {
		t.Errorf("events: %s", got)
	}
	all := l.compactions()
	if len(all) != 1 {
		t.Fatalf("%d compactions", len(all))
	}
	if c := l.compaction(all[0]); c.TokensBefore != 60_010 || !strings.Contains(c.Summary, "what came first") || c.FirstKeptEntryID != l.Session().At(1).ID() {
		t.Errorf("%+v", c)
	}
	if request, _ := answer.Parent(); request.ParentID() != all[0].ID() {
		t.Error("the request does not stand behind the compaction")
	}
	if last := l.sent(3); strings.Contains(last, "ONE") || !strings.Contains(last, "what came first") || !strings.Contains(last, "TWO") || !strings.Contains(last, "THREE") {
		t.Errorf("the model was asked: %s", last)
	}
}

func TestAContextWithinTheThresholdIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		input  int64
		change func(*agent.Options)
	}{
		"at the threshold":      {49_990, keeping(120)},
		"by itself is off":      {90_000, func(o *agent.Options) { o.Compaction = &summary.Settings{KeepRecentTokens: 120, ReserveTokens: 50_000} }},
		"nothing could be cut":  {60_000, keeping(500)},
		"the default threshold": {83_000, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLive(t, []modeltest.Turn{{Text: []string{words("TWO", 100)}, Input: c.input, Output: 10}, {Text: []string{"FOUR"}}}, c.change)
			l.prompt(words("ONE", 100))
			l.prompt("THREE")
			if len(l.compactions()) > 0 || !strings.Contains(l.sent(1), "ONE") {
				t.Errorf("the model was asked: %s", l.sent(1))
			}
		})
	}
}

func TestACompactionByHandFollowsTheUsersInstructions(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, keeping(120))
	l.say("user", words("ONE", 100))
	l.say("assistant", words("TWO", 100))
	kept := l.say("user", words("THREE", 100))
	e := l.compact("keep the numbers")
	if !strings.Contains(l.sent(0), "keep the numbers") {
		t.Errorf("the model was asked: %s", l.sent(0))
	}
	if l.leaf() != e.ID() || e.ParentID() != kept.ID() {
		t.Error("the compaction is not the leaf behind what was said last")
	}
	if c := l.compaction(e); c.FirstKeptEntryID != kept.ID() || c.Usage == nil || c.Usage.Input != 200 || c.FromExtension {
		t.Errorf("%+v", c) // two requests: the summary and the short one
	}
}

func TestWhatAFirstCompactionKeptSurvivesASecond(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Text: []string{"first summary"}}, {Text: []string{"short"}},
		{Text: []string{"second summary"}}, {Text: []string{"short"}},
		{Text: []string{"done"}},
	}, keeping(220))
	l.say("user", words("ONE", 100))
	l.say("assistant", words("TWO", 100))
	l.say("user", words("THREE", 100))
	l.say("assistant", words("FOUR", 100))
	l.compact("")
	if s := l.sent(0); !strings.Contains(s, "TWO") || strings.Contains(s, "THREE") {
		t.Fatalf("the first compaction saw: %s", s)
	}
	l.say("user", words("FIVE", 100))
	l.say("assistant", words("SIX", 100))
	l.compact("")
	for _, want := range []string{"first summary", "THREE", "FOUR"} {
		if !strings.Contains(l.sent(2), want) {
			t.Errorf("%s fell between two compactions", want)
		}
	}
	l.prompt("SEVEN")
	last := l.sent(4)
	for _, want := range []string{"second summary", "FIVE", "SIX", "SEVEN"} {
		if !strings.Contains(last, want) {
			t.Errorf("the model is not shown %s", want)
		}
	}
	for _, gone := range []string{"first summary", "ONE", "THREE"} {
		if strings.Contains(last, gone) {
			t.Errorf("the model is still shown %s", gone)
		}
	}
}

// reading is an agent that may read the files of a directory.
func reading(t *testing.T, keep int64, files map[string]string) func(*agent.Options) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := tool.Open(dir, tool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return func(o *agent.Options) {
		keeping(keep)(o)
		o.Tools = w.Tools()
	}
}

func TestAnOverflowWithinATurnSummarisesItsStartAndGoesOn(t *testing.T) {
	read := func(id string) []modeltest.Call {
		return []modeltest.Call{{ID: id, Name: "read", Arguments: fmt.Sprintf(`{"path":%q}`, id+".txt")}}
	}
	l := newLive(t, []modeltest.Turn{
		{Calls: read("a")}, {Calls: read("b")},
		{Status: 400, Message: "maximum context length is 10 tokens"},
		{Text: []string{"the start of the turn"}}, {Text: []string{"short"}},
		{Text: []string{"done"}},
	}, reading(t, 150, map[string]string{"a.txt": words("AAA", 100), "b.txt": words("BBB", 100)}))
	answer := l.prompt(words("REQUEST", 100))
	all := l.compactions()
	if text(t, answer) != "done" || len(all) != 1 || answer.ParentID() != all[0].ID() {
		t.Fatalf("%q after %d compactions", text(t, answer), len(all))
	}
	if s := l.sent(3); !strings.Contains(s, "REQUEST") || !strings.Contains(s, "AAA") || strings.Contains(s, "BBB") {
		t.Errorf("the prefix of the turn was: %s", s)
	}
	last := l.sent(5)
	if !strings.Contains(last, "the start of the turn") || strings.Contains(last, "AAA") || strings.Contains(last, "REQUEST") {
		t.Errorf("the model went on with: %s", last)
	}
	// No cut parts a call from its result: what is left of the turn has both.
	c, err := l.Session().Context("")
	if err != nil {
		t.Fatal(err)
	}
	calls, results := "", ""
	for _, m := range c.Messages {
		for _, b := range m.ToolCalls() {
			calls += b.ID + " "
		}
		if m.Role == message.RoleToolResult {
			results += m.ToolCallID + " "
		}
	}
	if calls != "b " || results != calls {
		t.Errorf("calls %q, results %q", calls, results)
	}
	if c := l.compaction(all[0]); !strings.Contains(string(c.Details), `"readFiles":["a.txt"]`) {
		t.Errorf("details: %s", c.Details)
	}
}

func TestAnOverflowThatACompactionDoesNotCureIsAnError(t *testing.T) {
	overflow := modeltest.Turn{Status: 400, Message: "maximum context length is 10 tokens"}
	l := newLive(t, []modeltest.Turn{overflow, {Text: []string{"S"}}, {Text: []string{"short"}}, overflow}, keeping(120))
	l.say("user", words("ONE", 100))
	l.say("assistant", words("TWO", 100))
	_, err := l.Prompt(t.Context(), words("THREE", 100))
	if !errors.Is(err, model.ErrContextOverflow) {
		t.Fatalf("%v", err)
	}
	if n := len(l.server.Requests()); n != 4 || len(l.compactions()) != 1 {
		t.Errorf("%d requests, %d compactions", n, len(l.compactions()))
	}
}

func TestWhatIsKeptGoesByTheModelOfTheConversationNotOfTheSummary(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, nil)
	_ = l.Close()
	s, err := session.Create(filepath.Join(t.TempDir(), "s.jsonl"), session.NewHeader(""))
	if err != nil {
		t.Fatal(err)
	}
	models := model.NewRegistry(map[string]model.Settings{"test": {BaseURL: l.server.BaseURL(modeltest.OpenAI), Models: []model.Info{
		{ID: "large", ContextWindow: 100_000}, {ID: "small", ContextWindow: 8_000},
	}}})
	set := summary.Settings{Enabled: true, ReserveTokens: 16_000, KeepRecentTokens: 20_000}
	if l.Agent, err = agent.New(s, agent.Options{Models: models, Model: "test/large", SummaryModel: "test/small", Compaction: &set}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for range 3 {
		l.say("user", words("U", 6000))
		l.say("assistant", words("A", 6000))
	}
	l.compact("")
	c, err := l.Session().Context("")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Messages) - 1; n != 3 { // 18 000 of the 20 000 tokens; a window of 8 000 would keep one
		t.Errorf("%d messages are kept", n)
	}
}

func TestRamoExtractCompactsWithoutAModel(t *testing.T) {
	l := newLive(t, nil, func(o *agent.Options) {
		keeping(120)(o)
		o.SummaryModel = model.ExtractName
	})
	l.say("user", words("Make the parser faster.", 100))
	l.say("assistant", words("TWO", 100))
	kept := l.say("user", words("THREE", 100))
	if c := l.compaction(l.compact("")); !strings.Contains(c.Summary, "Make the parser faster.") || c.FirstKeptEntryID != kept.ID() || c.Usage != nil {
		t.Errorf("%+v", c)
	}
}

func TestACompactionThatIsNotMadeChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []modeltest.Turn
		keep   int64
		want   error
	}{
		{"no model is active", nil, 120, agent.ErrNoModel},
		{"there is nothing to take out", []modeltest.Turn{{Text: []string{"S"}}}, 1000, summary.ErrNothingToCompact},
		{"the model says nothing", []modeltest.Turn{{Text: []string{" "}}}, 120, summary.ErrEmptySummary},
		{"the model refuses", []modeltest.Turn{{Status: 400, Message: "no"}}, 120, nil},
		{"the model fails in the middle of its answer", []modeltest.Turn{{Text: []string{"S"}, Fail: "broken"}}, 120, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLive(t, c.script, keeping(c.keep))
			l.say("user", words("ONE", 100))
			l.say("assistant", words("TWO", 100))
			l.say("user", words("THREE", 100))
			check := l.unchanged()
			if _, err := l.Compact(context.Background(), ""); err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error: %v", err)
			}
			check(c.name)
		})
	}
}

func TestACompactionRightAfterOneIsRefused(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Text: []string{"S"}}}, keeping(120))
	l.say("user", words("ONE", 100))
	l.say("assistant", words("TWO", 100))
	l.say("user", words("THREE", 100))
	l.compact("")
	check := l.unchanged()
	if _, err := l.Compact(t.Context(), ""); !errors.Is(err, summary.ErrAlreadyCompacted) {
		t.Errorf("error: %v", err)
	}
	check("compacted twice")
}
