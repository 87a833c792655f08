package export

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

var update = flag.Bool("update", false, "renew the golden files")

// talk is a session of entries in the form that Append takes, in memory.
func talk(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	s := session.NewMemory(session.Header{ID: "019cd1de-0000-7000-8000-000000000001", Timestamp: "2026-03-09T09:00:00.000Z", Cwd: "/srv/demo"})
	for _, line := range lines {
		if _, err := s.Append(context.Background(), session.RawBody(line)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func msg(m string) string { return `{"type":"message","message":` + m + `}` }

func markdown(t testing.TB, s *session.Session, leaf string) string {
	t.Helper()
	var b strings.Builder
	if err := Markdown(&b, s, leaf); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheTourAsADocument(t *testing.T) {
	s, err := session.Open(context.Background(), "../examples/tour.jsonl", session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := markdown(t, s, "")
	const file = "testdata/tour.md"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatEachEntryLooksLike(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"a user's message", msg(`{"role":"user","content":"Fix *it*"}`), "## User · TIME\n\nFix *it*\n"},
		{"a picture", msg(`{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`),
			"## User · TIME\n\n*\\[image: image/png, 3 bytes\\]*\n"},
		{"an answer", msg(`{"role":"assistant","provider":"acme","model":"m1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"done"}],"stopReason":"stop"}`),
			"## Assistant · TIME · acme/m1\n\n<details>\n<summary>Thinking</summary>\n\nhm\n\n</details>\n\ndone\n"},
		{"an answer that failed", msg(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529 <busy>"}`),
			"## Assistant · TIME\n\n**Failed:** 529 \\<busy\\>\n"},
		{"an answer that was stopped", msg(`{"role":"assistant","content":"so","stopReason":"aborted"}`),
			"## Assistant · TIME\n\nso\n\n**Stopped by the user.**\n"},
		{"a command", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"go test","timeout":9}}]}`),
			"## Assistant · TIME\n\n**bash**\n\n```sh\ngo test\n```\n```json\n{\n  \"timeout\": 9\n}\n```\n"},
		{"an edit", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"a.go","oldText":"a\nb\nc","newText":"a\nB\nc"}}]}`),
			"## Assistant · TIME\n\n**edit** a.go\n\n```diff\n@@\n a\n-b\n+B\n c\n```\n"},
		{"several edits", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"a.go","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":"c\nd"}]}}]}`),
			"## Assistant · TIME\n\n**edit** a.go\n\n```diff\n@@\n-a\n+b\n@@\n c\n+d\n```\n"},
		{"an edit of another kind", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"a.go","line":3}}]}`),
			"## Assistant · TIME\n\n**edit** a.go\n\n```json\n{\n  \"line\": 3\n}\n```\n"},
		{"a file that is written", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"write","arguments":{"path":"a.go","content":"package a\n"}}]}`),
			"## Assistant · TIME\n\n**write** a.go\n\n```go\npackage a\n```\n"},
		{"a result without its call", msg(`{"role":"toolResult","toolCallId":"c","toolName":"read","content":"a <b>"}`),
			"<details>\n<summary>Result: [read]</summary>\n\n```\na <b>\n```\n\n</details>\n"},
		{"a result that failed", msg(`{"role":"toolResult","toolCallId":"c","toolName":"read","content":"no such file","isError":true}`),
			"<details>\n<summary>Result: [read] failed: no such file</summary>\n\n```\nno such file\n```\n\n</details>\n"},
		{"a user's command", msg(`{"role":"bashExecution","command":"go vet","output":"bad","exitCode":2}`),
			"## Command · TIME\n\n```sh\ngo vet\n```\n\n<details>\n<summary>Output, exit code 2</summary>\n\n```\nbad\n```\n\n</details>\n"},
		{"files", msg(`{"role":"fileMention","files":[{"path":"a.go","content":"package a"},{"path":"b","content":"","skippedReason":"binary"}]}`),
			"## Files · TIME\n\n<details>\n<summary>a.go</summary>\n\n```go\npackage a\n```\n\n</details>\n\n<details>\n<summary>b (left out: binary)</summary>\n\n```\n\n```\n\n</details>\n"},
		{"a role that is not known", msg(`{"role":"oracle","content":"yes"}`), "## oracle · TIME\n\nyes\n"},
		{"an extension's message", `{"type":"custom_message","customType":"lint","content":"two warnings"}`, "## Message · TIME · lint\n\ntwo warnings\n"},
		{"a branch summary", `{"type":"branch_summary","fromId":"root","summary":"in vain"}`, "## Branch summary · TIME\n\nin vain\n"},
		{"a compaction", `{"type":"compaction","summary":"so far","firstKeptEntryId":"x","tokensBefore":41789}`,
			"## Compaction · TIME · 42k tokens before\n\nso far\n"},
		{"a model", `{"type":"model_change","model":"acme/m1"}`, "*\\[model: acme/m1\\]*\n"},
		{"a reset", `{"type":"reset_boundary"}`, "*\\[reset: the model sees nothing of what stands above\\]*\n"},
		{"an extension's data", `{"type":"custom","customType":"checkpoint","data":{}}`, ""},
		{"a type that is not known", `{"type":"credential_pin","x":1}`, ""},
	} {
		s := talk(t, c.line)
		leaf, _ := s.Leaf()
		_, got, _ := strings.Cut(markdown(t, s, ""), "- Written by: ramo\n")
		got = strings.TrimPrefix(strings.ReplaceAll(got, stamp(leaf.Time()), "TIME"), "\n")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestLabelsStandOnWhatTheyAreOn(t *testing.T) {
	s := talk(t, msg(`{"role":"user","content":"hi"}`), msg(`{"role":"toolResult","toolName":"ls","content":"x"}`), `{"type":"custom","customType":"checkpoint"}`)
	for i, text := range []string{"first *try*", "the <list>", "saved"} {
		if _, err := s.SetLabel(context.Background(), s.At(i).ID(), text); err != nil {
			t.Fatal(err)
		}
	}
	got := markdown(t, s, "")
	for _, want := range []string{" · **\\[first \\*try\\*\\]**\n\nhi", "<summary>Result: [ls] · [the &lt;list&gt;]</summary>", "*\\[custom: checkpoint\\]* · **\\[saved\\]**"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "first"); n != 1 {
		t.Errorf("the label is shown %d times:\n%s", n, got)
	}
}

func TestOnlyTheBranchIsWritten(t *testing.T) {
	s := talk(t, msg(`{"role":"user","content":"one"}`), msg(`{"role":"user","content":"two"}`))
	if err := s.BranchTo(s.At(0).ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(context.Background(), session.RawBody(msg(`{"role":"user","content":"three"}`))); err != nil {
		t.Fatal(err)
	}
	for leaf, want := range map[string]string{"": "one three", s.At(1).ID(): "one two", Root: ""} {
		var said []string
		for line := range strings.Lines(markdown(t, s, leaf)) {
			if line = strings.TrimSpace(line); line == "one" || line == "two" || line == "three" {
				said = append(said, line)
			}
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("leaf %q: %q, want %q", leaf, got, want)
		}
	}
	if err := Markdown(io.Discard, s, "nosuch"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("an unknown leaf: %v", err)
	}
}

// TestNothingHostileIsWritten puts terminal escapes, bidirectional overrides and control characters
// wherever a session has text.
func TestNothingHostileIsWritten(t *testing.T) {
	const bad = `a\u001b[31mb\u009b2Jc\u202ed\u0007e\u007f`
	h := session.Header{ID: "x\x1b[2J", Cwd: "/srv\x1b[2J", Title: "t\x1b[2J\u202e", ParentSession: "p\x07"}
	s := session.NewMemory(h)
	for _, line := range []string{
		msg(`{"role":"user","content":"` + bad + `"}`),
		msg(`{"role":"` + bad + `","content":"` + bad + `"}`),
		msg(`{"role":"assistant","provider":"` + bad + `","model":"` + bad + `","errorMessage":"` + bad + `","content":[{"type":"thinking","thinking":"` + bad +
			`"},{"type":"toolCall","id":"c","name":"` + bad + `","arguments":{"path":"` + bad + `","` + bad + `":"` + bad + `"}},{"type":"toolCall","id":"d","name":"edit","arguments":{"path":"x.` +
			bad + `","oldText":"` + bad + `","newText":""}}]}`),
		msg(`{"role":"toolResult","toolCallId":"c","toolName":"` + bad + `","content":"` + bad + `","isError":true}`),
		msg(`{"role":"bashExecution","command":"` + bad + `","output":"` + bad + `"}`),
		msg(`{"role":"fileMention","files":[{"path":"` + bad + `","content":"` + bad + `","skippedReason":"` + bad + `"}]}`),
		msg(`{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"` + bad + `"}]}`),
		`{"type":"custom_message","customType":"` + bad + `","content":"` + bad + `"}`,
		`{"type":"branch_summary","fromId":"root","summary":"` + bad + `"}`,
		`{"type":"model_change","model":"` + bad + `"}`,
	} {
		if _, err := s.Append(context.Background(), session.RawBody(line)); err != nil {
			t.Fatal(err)
		}
	}
	got := markdown(t, s, "")
	if i := strings.IndexFunc(got, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u202e'
	}); i >= 0 {
		t.Errorf("%q", got[max(i-60, 0):i+20])
	}
}

// failing is a writer that takes some bytes, then no more.
type failing struct{ left int }

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestAFailedWriteEndsTheDocument(t *testing.T) {
	s := talk(t, msg(`{"role":"user","content":"`+strings.Repeat("long ", 1<<16)+`"}`), msg(`{"role":"user","content":"two"}`))
	if err := Markdown(&failing{1 << 16}, s, ""); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

// TestALongBranchIsNotHeld writes a branch that is large in all and small in each entry.
func TestALongBranchIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 64 MB")
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":""}` + "\n")
	parent := "null"
	text := strings.Repeat("0123456789abcdef", 4<<10)
	for i := range 1000 {
		id := `"` + fmt.Sprintf("%08d", i) + `"`
		b.WriteString(`{"type":"message","id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-03-09T09:00:00.000Z","message":{"role":"user","content":"` + text + `"}}` + "\n")
		parent = id
	}
	path := t.TempDir() + "/long.jsonl"
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	size := b.Len()
	b = bytes.Buffer{}
	s, err := session.Open(context.Background(), path, session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	peak := &peak{}
	if err := Markdown(peak, s, ""); err != nil {
		t.Fatal(err)
	}
	if peak.written < size*9/10 || peak.heap > uint64(size)/2 {
		t.Errorf("%d bytes written, of a file of %d, with a heap of up to %d", peak.written, size, peak.heap)
	}
}
