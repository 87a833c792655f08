package summary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
	"pgregory.net/rapid"
)

// Each file testdata/branch-*.md says what is extracted from the session beside it.
func TestExtractedBranches(t *testing.T) {
	for _, name := range []string{"branch-with-work", "branch-stopped", "branch-unanswered"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "testdata/"+name+".jsonl")
			want, err := os.ReadFile("testdata/" + name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			leaf, _ := s.Leaf()
			_, left, err := summary.Collect(s, leaf.ID(), "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := summary.ExtractBranch(left)
			if err != nil {
				t.Fatal(err)
			}
			if got.Summary != string(want) {
				t.Errorf("extracted:\n%s\n\nwant:\n%s", got.Summary, want)
			}
			if got.Usage != nil || got.FromExtension {
				t.Errorf("it cost nothing and is built in: %+v", got)
			}
			var files summary.Files
			if err := json.Unmarshal(got.Details, &files); err != nil || files.Read == nil || files.Modified == nil {
				t.Errorf("details %s: %v", got.Details, err)
			}
		})
	}
}

func TestABranchWithoutARequestNamesTheOneItWorkedOn(t *testing.T) {
	k := newTalk(t)
	k.user("an older request")
	k.user("make it fast")
	a := k.answer("first try")
	k.answer("second try")
	_, left, err := summary.Collect(k.s, k.leaf(), a.ID())
	if err != nil {
		t.Fatal(err)
	}
	b, err := summary.ExtractBranch(left)
	if err != nil {
		t.Fatal(err)
	}
	if want := "## The request it worked on\n\n> make it fast\n\n## Where it ended\n\n> second try"; !strings.HasSuffix(b.Summary, want) {
		t.Errorf("%s", b.Summary)
	}
}

func TestQuestionsThatWereAnsweredAreNotOpen(t *testing.T) {
	k := newTalk(t)
	k.user("go")
	k.answer("Which port?")
	if b := extract(k); !strings.Contains(b, "## Open questions\n\n- Which port?") {
		t.Errorf("unanswered: %s", b)
	}
	k.user("8080")
	if b := extract(k); strings.Contains(b, "Open questions") {
		t.Errorf("answered: %s", b)
	}
}

func TestOpenQuestions(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   []string
	}{
		{"Done.", nil},
		{"Done. Shall I go on?", []string{"Shall I go on?"}},
		{"Is it A? Or is it B?!? Neither.", []string{"Is it A?", "Or is it B?!?"}},
		{"- Keep it?\n2) *Drop it?*\n> Quote it?", []string{"Keep it?", "Drop it?", "Quote it?"}},
		{"See https://example.org/?q=1 and `a?b`.", nil},
		{"```\nwhat is this?\n```\nWell?", []string{"Well?"}},
		{"```\nnever closed?\nwhat?", nil},
		{"これでいいですか？はい。", []string{"これでいいですか？"}},
		{"Does v1.2 work (really?)", []string{"Does v1.2 work (really?)"}},
		{"???", nil},
		{"a1? a2? a3? a4? a5? a6?", []string{"a2?", "a3?", "a4?", "a5?", "a6?"}},
	} {
		k := newTalk(t)
		k.user("go")
		k.answer(c.answer)
		_, list, _ := strings.Cut(extract(k), "## Open questions\n\n")
		var got []string
		for line := range strings.Lines(list) {
			got = append(got, strings.TrimPrefix(strings.TrimSpace(line), "- "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q asks %q, want %q", c.answer, got, c.want)
		}
	}
}

func TestWhichLineOfAnOutputIsTheError(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"compiling\nmain.go:3: undefined: x\nFAIL", "failed (exit code 1): `main.go:3: undefined: x`"},
		{"hello\nworld", "failed (exit code 1): `hello`"}, // nothing looks like one
		{"", "failed (exit code 1)"},
		{"(no output)", "failed (exit code 1)"},
		{"java.lang.NullPointerException at A", "failed (exit code 1): `java.lang.NullPointerException at A`"},
		{"say `no such`", "failed (exit code 1): `` say `no such` ``"},
	} {
		k := newTalk(t)
		k.user("go")
		k.answer("", call("1", "bash", `{"command":"x"}`))
		k.say(message.Message{Role: message.RoleToolResult, ToolCallID: "1", ToolName: "bash", IsError: true,
			Content: []message.Block{message.Text(c.output + "\n\nCommand exited with code 1")}})
		_, got, _ := strings.Cut(extract(k), "- `x` ")
		if got, _, _ = strings.Cut(got, "\n"); got != c.want {
			t.Errorf("%q: %s, want %s", c.output, got, c.want)
		}
	}
}

func TestNothingToExtract(t *testing.T) {
	k := newTalk(t)
	k.add(session.ModelChange{Model: "acme/m1"})
	k.add(session.LabelChange{TargetID: k.leaf(), Label: "x"})
	if _, err := summary.ExtractBranch(abandon(k)); !errors.Is(err, summary.ErrNothingToSummarize) {
		t.Errorf("%v", err)
	}
	if _, err := summary.ExtractCompaction(summary.PreparedCompaction{}); !errors.Is(err, summary.ErrNothingToCompact) {
		t.Errorf("%v", err)
	}
}

func extract(k talk) string {
	k.t.Helper()
	b, err := summary.ExtractBranch(abandon(k))
	if err != nil {
		k.t.Fatal(err)
	}
	return b.Summary
}

func (k talk) extractCompaction(set summary.Settings) session.Compaction {
	k.t.Helper()
	c, err := summary.ExtractCompaction(k.prepare(set))
	if err != nil {
		k.t.Fatal(err)
	}
	k.add(c)
	return c
}

func TestExtractedCompactionsCarryOnWhatEarlierOnesFound(t *testing.T) {
	k := newTalk(t)
	k.user(words("Port it to Windows.", 100))
	k.answer("", call("1", "bash", `{"command":"go build"}`), call("2", "edit", `{"path":"a.go"}`))
	k.result("1", "ok")
	k.result("2", "ok")
	k.answer("It builds. " + words("", 100))
	k.user(words("Now the tests", 100))
	k.extractCompaction(keep(120))
	k.answer("They pass. " + words("", 100))
	k.user(words("And the docs", 100))
	second := k.extractCompaction(keep(120))
	for _, want := range []string{"## Goal\n\n> Port it to Windows.", "- Now the tests", "`go build`", "- Changed: `a.go`", "> They pass."} {
		if !strings.Contains(second.Summary, want) {
			t.Errorf("%q is missing in:\n%s", want, second.Summary)
		}
	}
	if strings.Contains(second.Summary, "## Summary of what came before") || !strings.HasPrefix(second.ShortSummary, "Port it to Windows.") {
		t.Errorf("short %q, summary:\n%s", second.ShortSummary, second.Summary)
	}
	// Other tools read the details as those of any compaction.
	var files summary.Files
	if err := json.Unmarshal(second.Details, &files); err != nil || !slices.Equal(files.Modified, []string{"a.go"}) {
		t.Errorf("details %s: %v", second.Details, err)
	}
}

func TestAnExtractQuotesASummaryThatAModelWrote(t *testing.T) {
	k := newTalk(t)
	one := k.user(words("one", 100))
	k.add(session.Compaction{Summary: "We chose SQLite.", FirstKeptEntryID: one.ID()})
	k.user(words("two", 100))
	if c := k.extractCompaction(keep(120)); !strings.Contains(c.Summary, "## Summary of what came before\n\nWe chose SQLite.") {
		t.Errorf("%s", c.Summary)
	}
}

// However long a session is, and however often it is compacted, an extract stays small.
func TestExtractsAreBounded(t *testing.T) {
	const limit = 20_000
	k := newTalk(t)
	long := strings.Repeat("ein sehr langes Wort über alles ", 200)
	for round := range 2 {
		for i := range 45 {
			id := fmt.Sprintf("%d-%d", round, i)
			args, err := json.Marshal(map[string]string{"path": id + "/" + strings.Repeat("d/", 100), "command": id + long})
			if err != nil {
				t.Fatal(err)
			}
			k.user(long + "?")
			k.answer(long, call(id+"r", "read", string(args)), call(id+"w", "write", string(args)), call(id+"b", "bash", string(args)))
			k.result(id+"r", long)
			k.result(id+"w", long)
			k.say(message.Message{Role: message.RoleToolResult, ToolCallID: id + "b", ToolName: "bash", IsError: true, Content: []message.Block{message.Text("error: " + long)}})
			k.answer(strings.Repeat("Is "+long+"? ", 10))
			k.add(session.BranchSummary{FromID: "root", Summary: long})
		}
		if b := extract(k); len(b) > limit {
			t.Errorf("round %d: the branch's summary has %d bytes", round, len(b))
		}
		c := k.extractCompaction(keep(5000))
		var d struct{ Extract json.RawMessage }
		if err := json.Unmarshal(c.Details, &d); err != nil {
			t.Fatal(err)
		}
		if len(c.Summary) > limit || len(d.Extract) > 2*limit {
			t.Errorf("round %d: the compaction's summary has %d bytes, what it carries on %d", round, len(c.Summary), len(d.Extract))
		}
	}
}

// The same entries give the same text, whatever is in them, and it is fit to be shown.
func TestExtractsAreDeterministicAndClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(t)
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a? .\n#`-\x1b[31m\u202e語"))))
		for i := range rapid.IntRange(1, 8).Draw(t, "turns") {
			k.user(text.Draw(t, "request"))
			id := fmt.Sprint(i)
			k.answer(text.Draw(t, "answer"), call(id, "bash", `{"command":"x"}`))
			k.say(message.Message{Role: message.RoleToolResult, ToolCallID: id, IsError: true, Content: []message.Block{message.Text(text.Draw(t, "output"))}})
		}
		a, b := extract(k), extract(k)
		if a != b {
			t.Fatalf("%q, then %q", a, b)
		}
		if !utf8.ValidString(a) || strings.ContainsAny(a, "\x1b\u202e\x00\r") {
			t.Fatalf("not clean: %q", a)
		}
	})
}
