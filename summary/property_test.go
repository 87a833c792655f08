package summary_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
	"pgregory.net/rapid"
)

// A session of any shape, compacted again and again: each time the context is the new summary and
// exactly the end of what it was; everything else went through the summariser, the earlier summary
// too; no call is parted from its result; and as much is kept as fits.
func TestCompactionsLoseNothing(t *testing.T) {
	compactions := 0
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(t)
		n := 0
		text := func() string { // names itself, so that it is found again
			n++
			return words(fmt.Sprintf("«%d»", n), rapid.IntRange(0, 60).Draw(t, "tokens"))
		}
		t.Repeat(map[string]func(*rapid.T){
			"user":   func(*rapid.T) { k.user(text()) },
			"answer": func(*rapid.T) { k.answer(text()) },
			"work":   func(t *rapid.T) { k.work(t, text) },
			"stopped": func(*rapid.T) {
				k.say(message.Message{Role: message.RoleAssistant, StopReason: message.StopAborted,
					Content: []message.Block{message.Text(text()), call("lost", "read", `{}`)}})
			},
			"label":  func(*rapid.T) { k.label() },
			"bash":   func(*rapid.T) { k.say(message.Message{Role: message.RoleBashExecution, Command: text()}) },
			"note":   func(*rapid.T) { k.note(text()) },
			"branch": func(*rapid.T) { k.add(session.BranchSummary{FromID: "root", Summary: text()}) },
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 5).Draw(t, "rarely") == 0 {
					k.add(session.RawBody(`{"type":"reset_boundary"}`))
				}
			},
			"move": func(t *rapid.T) {
				if k.s.Len() > 0 && rapid.IntRange(0, 3).Draw(t, "seldom") == 0 {
					k.to(k.s.At(rapid.IntRange(0, k.s.Len()-1).Draw(t, "to")).ID())
				}
			},
			"compact": func(t *rapid.T) {
				if k.compactAndCheck(t, rapid.Int64Range(0, 250).Draw(t, "keep")) {
					compactions++
				}
			},
		})
	})
	if compactions == 0 {
		t.Error("no session was ever compacted: they are too small to tell")
	}
}

// work is an answer with calls, and their results in any order, with others speaking in between.
func (k talk) work(t *rapid.T, text func() string) {
	var calls []message.Block
	var waiting []string
	for i := range rapid.IntRange(1, 3).Draw(t, "calls") {
		id := fmt.Sprintf("call_%d", i) // the same in every answer, as some providers do
		calls = append(calls, call(id, "read", `{"path":"a"}`))
		waiting = append(waiting, id)
	}
	k.answer(text(), calls...)
	for _, id := range rapid.Permutation(waiting).Draw(t, "order") {
		switch rapid.IntRange(0, 6).Draw(t, "between") {
		case 0:
			k.user(text())
		case 1:
			k.label()
		case 2:
			k.note(text())
		}
		k.result(id, text())
	}
}

func (k talk) label() {
	if leaf, ok := k.s.Leaf(); ok {
		k.add(session.LabelChange{TargetID: leaf.ID(), Label: "here"})
	}
}

func (k talk) note(text string) {
	k.add(session.CustomMessage{CustomType: "note", Content: []byte(`"` + text + `"`), Display: true})
}

// compactAndCheck compacts if there is something to, and tells whether there was.
func (k talk) compactAndCheck(t *rapid.T, keepTokens int64) bool {
	before := k.context()
	p, err := summary.PrepareCompaction(k.s, "", keep(keepTokens))
	if err != nil {
		return false // what is no compaction has tests of its own
	}
	m := &says{text: fmt.Sprintf("summary-%d.", k.s.Len())}
	body, err := summary.Compact(context.Background(), m.complete, p, summary.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k.add(body)
	after := k.context()

	// The boundary is a message that may begin a context.
	first, ok := k.s.Entry(body.FirstKeptEntryID)
	if !ok || first.Type() == session.TypeLabel || first.Role() == message.RoleToolResult {
		t.Fatalf("the boundary %q is a %s %s", body.FirstKeptEntryID, first.Type(), first.Role())
	}
	// The context is the summary and the end of what it was.
	if len(after.Entries) < 2 || after.Messages[0].Role != message.RoleCompactionSummary {
		t.Fatalf("the context begins with no summary: %v", ids(after.Entries))
	}
	kept := after.Entries[1:]
	cut := len(before.Entries) - len(kept)
	if cut < 0 || !slices.Equal(ids(before.Entries[cut:]), ids(kept)) {
		t.Fatalf("kept %v of %v", ids(kept), ids(before.Entries))
	}
	// What is gone was shown to the summariser.
	var shown strings.Builder
	for _, q := range m.asked {
		shown.WriteString(q.Text)
	}
	for _, gone := range before.Messages[:cut] {
		name, _, _ := strings.Cut(strings.TrimSpace(gone.Text()+gone.Command+gone.Summary), " ")
		name, _, _ = strings.Cut(name, "\n") // of an earlier summary, without what comes behind it
		if !strings.Contains(shown.String(), name) {
			t.Fatalf("%s %q fell between two compactions", gone.Role, name)
		}
	}
	// No call is parted from its result.
	msgs := before.Messages
	if msgs[0].Role == message.RoleCompactionSummary {
		msgs, cut = msgs[1:], cut-1
	}
	if parts(msgs, cut) {
		t.Fatalf("the cut at %d parts a call from its result", cut)
	}
	// As much is kept as fits; if not even the end fits, there is no later point to cut.
	total := summary.EstimateTokens(msgs[cut:]...)
	for i := range msgs {
		if msgs[i].Role == message.RoleToolResult || parts(msgs, i) {
			continue
		}
		size := summary.EstimateTokens(msgs[i:]...)
		if i < cut && size <= keepTokens {
			t.Fatalf("cut at %d, but %d tokens from %d on would fit into %d", cut, size, i, keepTokens)
		}
		if i > cut && total > keepTokens {
			t.Fatalf("kept %d tokens from %d on, more than %d, where %d could be cut too", total, cut, keepTokens, i)
		}
	}
	return true
}

// parts tells whether a cut leaves a call before it whose result is behind it, or may yet come: that
// of a call of the last answer.
func parts(msgs []message.Message, cut int) bool {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role != message.RoleAssistant {
			continue
		}
		for _, c := range msgs[i].ToolCalls() {
			answered := slices.ContainsFunc(msgs[i:], func(m message.Message) bool {
				return m.Role == message.RoleToolResult && m.ToolCallID == c.ID
			})
			if i < cut && !answered && msgs[i].StopReason == message.StopToolUse {
				return true
			}
		}
		break
	}
	for i := cut; i < len(msgs); i++ {
		if msgs[i].Role != message.RoleToolResult {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if slices.ContainsFunc(msgs[j].ToolCalls(), func(b message.Block) bool { return b.ID == msgs[i].ToolCallID }) {
				if j < cut {
					return true
				}
				break
			}
		}
	}
	return false
}
