package summary_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// words is a text of about n tokens that begins with a name.
func words(name string, n int) string { return name + " " + strings.Repeat("abc ", n) }

func (k talk) prepare(set summary.Settings) summary.PreparedCompaction {
	k.t.Helper()
	p, err := summary.PrepareCompaction(k.s, "", set)
	if err != nil {
		k.t.Fatal(err)
	}
	return p
}

// compact compacts and appends, and returns all that the model was shown.
func (k talk) compact(set summary.Settings, answer string) (session.Compaction, string) {
	k.t.Helper()
	m := &says{text: answer, usage: message.Usage{Input: 10, Output: 1}}
	c, err := summary.Compact(context.Background(), m.complete, k.prepare(set), summary.CompactOptions{})
	if err != nil {
		k.t.Fatal(err)
	}
	k.add(c)
	var shown strings.Builder
	for _, p := range m.asked {
		shown.WriteString(p.Text)
	}
	return c, shown.String()
}

func TestWhatAFirstCompactionKeptSurvivesASecond(t *testing.T) {
	k := newTalk(t)
	k.user(words("ONE", 100))
	k.answer(words("TWO", 100))
	three := k.user(words("THREE", 100))
	k.answer(words("FOUR", 100))
	first, shown := k.compact(keep(220), "first summary")
	if first.FirstKeptEntryID != three.ID() || !strings.Contains(shown, "ONE") || !strings.Contains(shown, "TWO") || strings.Contains(shown, "THREE") {
		t.Fatalf("the first compaction keeps from %s (want %s), after it saw: %s", first.FirstKeptEntryID, three.ID(), shown)
	}

	k.user(words("FIVE", 100))
	six := k.answer(words("SIX", 100))
	second, shown := k.compact(keep(120), "second summary")
	if second.FirstKeptEntryID != six.ID() {
		t.Fatalf("the second compaction keeps from %s, want %s", second.FirstKeptEntryID, six.ID())
	}
	// THREE and FOUR were kept by the first: the second must summarise them, together with its summary.
	for _, want := range []string{"first summary", "THREE", "FOUR", "FIVE"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s fell between two compactions", want)
		}
	}
	c := k.context()
	if len(c.Messages) != 2 || !strings.HasPrefix(c.Messages[0].Summary, "second summary") || !strings.HasPrefix(c.Messages[1].Text(), "SIX") {
		t.Errorf("the context is %+v", c.Messages)
	}
}

func TestWhereACompactionMayCut(t *testing.T) {
	say := func(role string) message.Message {
		return message.Message{Role: role, Content: []message.Block{message.Text(strings.Repeat("x", 400))}, Command: "c", Summary: "s"}
	}
	asks := func(ids ...string) message.Message {
		m := say(message.RoleAssistant)
		for _, id := range ids {
			m.Content = append(m.Content, call(id, "read", `{}`))
		}
		m.StopReason = message.StopToolUse
		return m
	}
	gets := func(id string) message.Message {
		m := say(message.RoleToolResult)
		m.ToolCallID = id
		return m
	}
	stopped := func(m message.Message) message.Message {
		m.StopReason = message.StopAborted
		return m
	}
	user, done := say(message.RoleUser), say(message.RoleAssistant)
	for _, c := range []struct {
		rule        string
		msgs        []message.Message
		keep        int64
		first, turn int
	}{
		{"nothing", nil, 100, 0, 0},
		{"all of it fits", []message.Message{user, done}, 1000, 0, 0},
		{"between turns", []message.Message{user, done, user, done}, 250, 2, 2},
		{"inside a turn", []message.Message{user, done, user, done}, 150, 3, 2},
		{"not before a result", []message.Message{user, done, user, asks("1"), gets("1"), done}, 250, 5, 2},
		{"the results stay with their call", []message.Message{user, asks("1", "2"), gets("1"), gets("2")}, 150, 1, 0},
		{"a user who speaks while a tool runs", []message.Message{user, asks("1"), user, gets("1"), done}, 350, 4, 2},
		{"ids that are used again", []message.Message{user, asks("1"), gets("1"), asks("1"), gets("1")}, 250, 3, 0},
		{"a call of the last answer may yet get its result", []message.Message{user, asks("1"), say(message.RoleCustom)}, 150, 1, 0},
		{"a stopped answer's call will not", []message.Message{user, stopped(asks("1")), say(message.RoleCustom)}, 150, 2, 2},
		{"a result without a call holds nothing", []message.Message{user, done, gets("9"), user}, 150, 3, 3},
		{"a shell command", []message.Message{user, done, say(message.RoleBashExecution), done}, 250, 2, 2},
		{"Python", []message.Message{user, done, say(message.RolePythonExecution), done}, 250, 2, 2},
		{"a note", []message.Message{user, done, say(message.RoleCustom), done}, 250, 2, 2},
		{"a note within a turn", []message.Message{user, asks("1"), gets("1"), say(message.RoleCustom), done}, 250, 3, 0},
		{"a branch summary", []message.Message{user, done, say(message.RoleBranchSummary), done}, 250, 2, 2},
		{"an answer to a note", []message.Message{user, done, say(message.RoleCustom), done}, 150, 3, 2},
		{"the last step is kept even if it is too long", []message.Message{user, done, user}, 10, 2, 2},
		{"a single step", []message.Message{user}, 10, 0, 0},
		{"all of it fits, but could not be cut at its start", []message.Message{gets("9"), user, done}, 1000, 0, 0},
		{"only a result", []message.Message{gets("1")}, 10, 0, 0},
		{"the request was cut off before", []message.Message{done, done, done}, 150, 2, 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := summary.FindCut(c.msgs, c.keep); got != (summary.Cut{First: c.first, Turn: c.turn}) {
				t.Errorf("%+v, want %d in the turn from %d", got, c.first, c.turn)
			}
		})
	}
}

func TestACutInsideATurnAlsoSummarisesItsPrefix(t *testing.T) {
	k := newTalk(t)
	k.user(words("OLD", 100))
	k.answer(words("DONE", 100))
	k.user(words("REQUEST", 100))
	k.answer(words("STEP", 100), call("1", "read", `{"path":"a"}`))
	k.result("1", words("RESULT", 100))
	kept := k.answer(words("KEPT", 100))
	p := k.prepare(keep(120))
	if len(p.Messages) != 2 || len(p.TurnPrefix) != 3 || p.Kept != 1 || p.FirstKeptEntryID != kept.ID() {
		t.Fatalf("%d messages, a prefix of %d, %d kept from %s", len(p.Messages), len(p.TurnPrefix), p.Kept, p.FirstKeptEntryID)
	}
	m := &says{text: "notes"}
	c, err := summary.Compact(context.Background(), m.complete, p, summary.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.asked) != 3 { // the history, the prefix, the short summary
		t.Fatalf("asked %d times", len(m.asked))
	}
	if h := m.asked[0].Text; !strings.Contains(h, "OLD") || strings.Contains(h, "REQUEST") {
		t.Errorf("for the history: %s", h)
	}
	if h := m.asked[1].Text; !strings.Contains(h, "REQUEST") || !strings.Contains(h, "RESULT") || strings.Contains(h, "KEPT") || strings.Contains(h, "OLD") {
		t.Errorf("for the prefix: %s", h)
	}
	if !strings.HasPrefix(c.Summary, "notes\n\n# The turn that goes on below\n\nnotes") {
		t.Errorf("summary: %s", c.Summary)
	}
	if !slices.Equal(p.Files.Read, []string{"a"}) {
		t.Errorf("files of the prefix: %+v", p.Files)
	}
}

func TestTheBoundaryIsNeverALabel(t *testing.T) {
	k := newTalk(t)
	one := k.user(words("one", 100))
	k.answer(words("two", 100))
	k.add(session.LabelChange{TargetID: one.ID(), Label: "here"})
	k.add(session.ModelChange{Model: "acme/m2"})
	want := k.user(words("three", 100))
	k.add(session.LabelChange{TargetID: one.ID(), Label: "there"})
	if p := k.prepare(keep(120)); p.FirstKeptEntryID != want.ID() {
		e, _ := k.s.Entry(p.FirstKeptEntryID)
		t.Errorf("the boundary is %s, a %s", p.FirstKeptEntryID, e.Type())
	}
}

// An older tool let a compaction keep from a label; that it did must not lose what followed.
func TestAnEarlierBoundaryThatIsALabel(t *testing.T) {
	k := newTalk(t)
	one := k.user(words("ONE", 100))
	label := k.add(session.LabelChange{TargetID: one.ID(), Label: "here"})
	k.answer(words("TWO", 100))
	k.add(session.Compaction{Summary: "first", FirstKeptEntryID: label.ID()})
	k.user(words("THREE", 100))
	p := k.prepare(keep(120))
	if len(p.Messages) != 1 || !strings.HasPrefix(p.Messages[0].Text(), "TWO") || p.Previous != "first" {
		t.Errorf("%d messages, previous %q", len(p.Messages), p.Previous)
	}
}

func TestWhatAResetHidesIsNotCompacted(t *testing.T) {
	k := newTalk(t)
	k.user(words("HIDDEN", 100))
	k.add(session.RawBody(`{"type":"reset_boundary"}`))
	k.user(words("ONE", 100))
	k.answer(words("TWO", 100))
	_, shown := k.compact(keep(120), "s")
	if strings.Contains(shown, "HIDDEN") || !strings.Contains(shown, "ONE") {
		t.Errorf("shown: %s", shown)
	}
}

func TestNothingToCompact(t *testing.T) {
	k := newTalk(t)
	check := func(rule string, set summary.Settings, want error) {
		t.Helper()
		if _, err := summary.PrepareCompaction(k.s, "", set); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", rule, err, want)
		}
	}
	check("an empty session", keep(10), summary.ErrNothingToCompact)
	k.user(words("one", 100))
	check("one message, however long", keep(10), summary.ErrNothingToCompact)
	k.answer(words("two", 100))
	check("all within what is kept", keep(1000), summary.ErrNothingToCompact)
	k.compact(keep(120), "s")
	check("just compacted", keep(10), summary.ErrAlreadyCompacted)
	k.add(session.ModelChange{Model: "acme/m2"})
	check("compacted, and nothing said since", keep(10), summary.ErrAlreadyCompacted)
	k.user("more")
	check("compacted, and little said since", keep(1000), summary.ErrNothingToCompact)
	if _, err := summary.PrepareCompaction(k.s, "nope", keep(10)); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an unknown leaf: %v", err)
	}
	if _, err := summary.Compact(context.Background(), (&says{text: "x"}).complete, summary.PreparedCompaction{}, summary.CompactOptions{}); !errors.Is(err, summary.ErrNothingToCompact) {
		t.Errorf("nothing prepared: %v", err)
	}

	k = newTalk(t)
	k.say(message.Message{Role: message.RoleBashExecution, Command: "ls", ExcludeFromContext: true})
	k.user(words("one", 100))
	check("only what no model is shown could go", keep(10), summary.ErrNothingToCompact)
}

// In a damaged log two entries may have one id; a compaction that named it would keep from the later.
func TestTheBoundaryIsNoIDThatTwoEntriesHave(t *testing.T) {
	s := open(t, "testdata/one-id-twice.jsonl")
	p, err := summary.PrepareCompaction(s, "", keep(60))
	if err != nil {
		t.Fatal(err)
	}
	if p.FirstKeptEntryID != "cccccccc" {
		t.Errorf("keeps from %s, want cccccccc: bbbbbbbb is there twice", p.FirstKeptEntryID)
	}
}

func TestWhatACompactionRecords(t *testing.T) {
	k := newTalk(t)
	k.user(words("one", 100))
	k.answer("", call("1", "read", `{"path":"a.go"}`), call("2", "edit", `{"path":"b.go"}`))
	k.result("1", "a")
	k.result("2", "b")
	k.user(words("two", 100))
	k.answer("kept", call("3", "edit", `{"path":"kept.go"}`))
	m := &says{text: "Fixed the **parser**.", usage: message.Usage{Input: 100, Output: 10, Cost: message.Cost{Total: 0.5}}}
	p := k.prepare(keep(112)) // the second request and its answer
	c, err := summary.Compact(context.Background(), m.complete, p, summary.CompactOptions{PreserveData: json.RawMessage(`{"ext":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Details) != `{"readFiles":["a.go"],"modifiedFiles":["b.go"]}` { // kept.go: next time
		t.Errorf("details %s", c.Details)
	}
	if string(c.PreserveData) != `{"ext":1}` || c.TokensBefore != p.TokensBefore || c.TokensBefore < 200 || c.ShortSummary != "Fixed the **parser**." {
		t.Errorf("%+v", c)
	}
	if n := int64(len(m.asked)); c.Usage == nil || c.Usage.Input != 100*n || c.Usage.Output != 10*n || c.Usage.Cost.Total != 0.5*float64(n) {
		t.Errorf("usage of %d calls: %+v", len(m.asked), c.Usage)
	}

	// The next one knows the files of this one, and does not show the model the list it will write anew.
	k.add(c)
	k.result("3", "c")
	k.user(words("three", 100))
	next := k.prepare(keep(105))
	if !slices.Equal(next.Files.Read, []string{"a.go"}) || !slices.Equal(next.Files.Modified, []string{"b.go", "kept.go"}) {
		t.Errorf("files of both: %+v", next.Files)
	}
	if next.Previous != m.text {
		t.Errorf("previous summary %q, want %q", next.Previous, m.text)
	}
}

func TestFilesOfAnExtensionsCompactionDoNotCount(t *testing.T) {
	k := newTalk(t)
	one := k.user(words("one", 100))
	k.add(session.Compaction{Summary: "theirs", FirstKeptEntryID: one.ID(), Details: json.RawMessage(`{"readFiles":["x"]}`), FromExtension: true})
	k.user(words("two", 100))
	p := k.prepare(keep(120))
	if len(p.Files.Read) != 0 || p.Previous != "theirs" {
		t.Errorf("files %+v, previous %q", p.Files, p.Previous)
	}
}

func TestWhatExtensionsAddToACompaction(t *testing.T) {
	k := newTalk(t)
	k.user(words("one", 100))
	k.answer(words("two", 100))
	k.user(words("three", 100))
	m := &says{text: "s"}
	o := summary.CompactOptions{Instructions: "mind the API", ExtraContext: []string{"ticket 42", "deadline Friday"}, Prompt: "Write a haiku."}
	if _, err := summary.Compact(context.Background(), m.complete, k.prepare(keep(120)), o); err != nil {
		t.Fatal(err)
	}
	text := m.asked[0].Text
	for _, want := range []string{"mind the API", "ticket 42", "deadline Friday", "Write a haiku."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in: %s", want, text)
		}
	}
	if strings.Contains(text, "## Rules") {
		t.Error("another prompt takes the place of the built-in one")
	}
}

func TestAShortSummaryThatFailsCostsNothing(t *testing.T) {
	k := newTalk(t)
	k.user(words("one", 100))
	k.answer(words("two", 100))
	k.user(words("three", 100))
	n := 0
	c, err := summary.Compact(context.Background(), func(context.Context, summary.Prompt) (summary.Answer, error) {
		if n++; n == 2 {
			return summary.Answer{}, errors.New("overloaded")
		}
		return summary.Answer{Text: "## Goal\n\nFix the parser."}, nil
	}, k.prepare(keep(120)), summary.CompactOptions{})
	if err != nil || c.ShortSummary != "Fix the parser." {
		t.Errorf("%v: %q", err, c.ShortSummary)
	}
}

func TestACompactionThatFailsAtAnyStep(t *testing.T) {
	k := newTalk(t)
	k.user(words("one", 100))
	k.answer(words("two", 100))
	k.user(words("three", 100))
	k.answer(words("four", 100)) // the cut goes through a turn: three requests
	p := k.prepare(keep(120))
	broken := errors.New("no credit left")
	for step := 1; step <= 2; step++ {
		n := 0
		_, err := summary.Compact(context.Background(), func(context.Context, summary.Prompt) (summary.Answer, error) {
			if n++; n == step {
				return summary.Answer{}, broken
			}
			return summary.Answer{Text: "s"}, nil
		}, p, summary.CompactOptions{})
		if !errors.Is(err, broken) {
			t.Errorf("step %d: %v", step, err)
		}
	}
	for step := 1; step <= 3; step++ {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		_, err := summary.Compact(ctx, func(context.Context, summary.Prompt) (summary.Answer, error) {
			if n++; n == step {
				cancel()
			}
			return summary.Answer{Text: "s"}, nil
		}, p, summary.CompactOptions{})
		if !errors.Is(err, context.Canceled) || n != step {
			t.Errorf("cancelled at step %d: %v after %d requests", step, err, n)
		}
		cancel()
	}
}

// More than a model takes at once is summarised in rounds, each of which carries on the one before.
func TestALongHistoryIsSummarisedInRounds(t *testing.T) {
	k := newTalk(t)
	for i := range 30 {
		k.user(words(fmt.Sprintf("«%d»", i), 300))
	}
	set := keep(400)
	set.InputTokens = 4000
	m := &says{text: "carried on"}
	if _, err := summary.Compact(context.Background(), m.complete, k.prepare(set), summary.CompactOptions{}); err != nil {
		t.Fatal(err)
	}
	rounds := m.asked[:len(m.asked)-1]
	if len(rounds) < 3 {
		t.Fatalf("%d rounds", len(rounds))
	}
	seen := 0
	for i, p := range rounds {
		if got, want := strings.Contains(p.Text, "<earlier-summary>\ncarried on"), i > 0; got != want {
			t.Errorf("round %d: has the summary so far %v, want %v", i, got, want)
		}
		if len(p.Text) > 4*int(set.InputTokens+1000) { // with the prompt itself
			t.Errorf("round %d: %d bytes", i, len(p.Text))
		}
		for strings.Contains(p.Text, fmt.Sprintf("«%d»", seen)) {
			seen++
		}
	}
	if seen != 29 {
		t.Errorf("%d of 29 messages were shown, in order", seen)
	}
}

func TestShouldCompact(t *testing.T) {
	d := summary.DefaultSettings()
	off := d
	off.Enabled = false
	for _, c := range []struct {
		rule            string
		context, window int64
		set             summary.Settings
		want            bool
	}{
		{"below the threshold", 183_616, 200_000, d, false},
		{"past it", 183_617, 200_000, d, true},
		{"switched off", 199_000, 200_000, off, false},
		{"a window not known", 1_000_000, 0, d, false},
		{"a window smaller than the reserve", 4000, 8192, d, false},
		{"a window smaller than the reserve, half full", 4100, 8192, d, true},
	} {
		if got := summary.ShouldCompact(c.context, c.window, c.set); got != c.want {
			t.Errorf("%s: %v", c.rule, got)
		}
	}
}

func TestSettingsFitASmallWindow(t *testing.T) {
	for _, c := range []struct{ window, reserve, keep, input int64 }{
		{200_000, 16_384, 20_000, 183_616},
		{32_768, 16_384, 8192, 16_384},
		{8192, 4096, 2048, 4096},
		{0, 16_384, 20_000, 32_000},
	} {
		got := summary.DefaultSettings().For(c.window)
		want := summary.Settings{Enabled: true, ReserveTokens: c.reserve, KeepRecentTokens: c.keep, InputTokens: c.input}
		if got != want {
			t.Errorf("window %d: %+v, want %+v", c.window, got, want)
		}
	}
}

// Otherwise every message after a compaction would need another one.
func TestAContextIsNotFullAgainRightAfterACompaction(t *testing.T) {
	for _, window := range []int64{4096, 8192, 32_768, 200_000} {
		k := newTalk(t)
		set := summary.DefaultSettings().For(window)
		k.user(words("REQUEST", 50))
		for i := range int(window / 200) {
			id := fmt.Sprint(i) // one long turn, so that there is a prefix too
			k.answer(words("step", 100), call(id, "read", fmt.Sprintf(`{"path":"a%d.go"}`, i%20)))
			k.result(id, words("result", 100))
			if i == 3 {
				k.user(words("NOW", 50))
			}
		}
		if !summary.ShouldCompact(summary.ContextTokens(k.context()), window, set) {
			t.Fatalf("window %d: it was not full", window)
		}
		before := k.leaf()
		talkative := func(_ context.Context, p summary.Prompt) (summary.Answer, error) {
			return summary.Answer{Text: strings.Repeat("word", int(p.MaxOutput))}, nil
		}
		byModel, err := summary.Compact(context.Background(), talkative, k.prepare(set), summary.CompactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		extracted, err := summary.ExtractCompaction(k.prepare(set))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []session.Compaction{byModel, extracted} {
			k.to(before)
			k.add(c)
			if n := summary.ContextTokens(k.context()); summary.ShouldCompact(n, window, set) {
				t.Errorf("window %d: %d tokens are left", window, n)
			}
		}
	}
}
