package treeview_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// What the search finds an entry by, and what it does not (section 12). The entries hang one from
// the other; the last one is searched for.
func TestSearchFindsAnEntryByWhatItIs(t *testing.T) {
	const calls = `{"type":"message","id":"calls","parentId":null,"message":{"role":"assistant","stopReason":"toolUse","content":[
		{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"src/alpha.go","offset":7,"limit":3}},
		{"type":"toolCall","id":"c2","name":"bash","arguments":{"command":"make beta"}},
		{"type":"toolCall","id":"c3","name":"deploy","arguments":{"target":"gamma"}}]}}`
	result := func(rest string) string {
		return `{"type":"message","id":"r","parentId":"calls","message":{"role":"toolResult",` + rest + `}}`
	}
	message := func(rest string) string {
		return `{"type":"message","id":"m","parentId":null,"message":{` + rest + `}}`
	}
	tests := []struct {
		name    string
		entries []string
		found   []string
		missed  []string
	}{
		{"its text, all of it, and its role",
			[]string{message(`"role":"user","content":[{"type":"text","text":"one` + strings.Repeat(" filler", 3000) + `"},{"type":"text","text":"the end"}]`)},
			[]string{"one end", "USER end"}, []string{"two", "assistant", "oneend"}},
		{"a word in any case of any script",
			[]string{message(`"role":"user","content":"Straße ΣΊΣΥΦΟΣ Ёлка 10 K ſchön"`)},
			[]string{"STRASSE", "straße", "σίσυφος", "ёлка", "10 k", "SCHÖN"}, []string{"елка"}},
		{"words in any order, parted by any space",
			[]string{message(`"role":"user","content":"make the parser\nfast"`)},
			[]string{"  fast\tparser ", "arse"}, []string{"parser slow", "parserfast"}},
		{"an answer's calls", []string{calls},
			[]string{"read alpha.go:7-9", "bash beta", "deploy gamma", "assistant"}, []string{"delta"}},
		{"a result's own call, not its output",
			[]string{calls, result(`"toolCallId":"c2","toolName":"bash","content":[{"type":"text","text":"zeta"}],"isError":false`)},
			[]string{"bash beta", "toolresult"}, []string{"alpha", "gamma", "zeta"}},
		{"a result written with spaces",
			[]string{calls, result(`"toolCallId": "c1", "toolName": "read", "content": []`)},
			[]string{"read alpha"}, []string{"beta"}},
		{"a result whose details hold another's id",
			[]string{calls, result(`"details":{"toolCallId":"c1"},"toolCallId":"c3","toolName":"deploy","content":[]`)},
			[]string{"deploy gamma"}, []string{"alpha"}},
		{"a result whose output looks like an id",
			[]string{calls, result(`"content":[{"type":"text","text":"\"toolCallId\":\"c1\""}],"toolCallId":"c2","toolName":"bash"`)},
			[]string{"beta"}, []string{"alpha"}},
		{"a failed result's output too",
			[]string{calls, result(`"toolCallId":"c2","toolName":"bash","content":[{"type":"text","text":"zeta exploded"}],"isError":true`)},
			[]string{"bash beta", "failed zeta exploded"}, []string{"alpha"}},
		{"a result without its call",
			[]string{result(`"toolCallId":"c9","toolName":"browse","content":[{"type":"text","text":"zeta"}]`)},
			[]string{"browse"}, []string{"zeta"}},
		{"a failed answer", []string{message(`"role":"assistant","content":[],"stopReason":"error","errorMessage":"rate limited"`)},
			[]string{"error rate limited"}, []string{"aborted"}},
		{"a stopped answer", []string{message(`"role":"assistant","content":[],"stopReason":"aborted"`)},
			[]string{"aborted"}, []string{"error"}},
		{"what the user ran", []string{message(`"role":"bashExecution","command":"ls -l","output":"zeta"`)},
			[]string{"bash ls -l"}, []string{"zeta"}},
		{"files", []string{message(`"role":"fileMention","files":[{"path":"a/b.txt","content":"zeta"}]`)},
			[]string{"a/b.txt"}, []string{"zeta"}},
		{"a summary", []string{`{"type":"branch_summary","id":"m","parentId":null,"fromId":"x","summary":"tried zeta"}`},
			[]string{"branch summary zeta"}, nil},
		{"a compaction's summary", []string{`{"type":"compaction","id":"m","parentId":null,"summary":"was zeta","tokensBefore":42000}`},
			[]string{"compaction 42k zeta"}, nil},
		{"a custom message", []string{`{"type":"custom_message","id":"m","parentId":null,"customType":"memo","content":[{"type":"text","text":"milk"}]}`},
			[]string{"memo milk"}, nil},
		{"custom data by its type", []string{`{"type":"custom","id":"m","parentId":null,"customType":"memo","data":{"x":"zeta"}}`},
			[]string{"custom memo"}, []string{"zeta"}},
		{"a model", []string{`{"type":"model_change","id":"m","parentId":null,"provider":"acme","modelId":"m1"}`},
			[]string{"model acme/m1"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := new(session.MemoryStore)
			err := store.Create(func(w io.Writer) error {
				for _, line := range append([]string{`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`}, tt.entries...) {
					if _, err := io.WriteString(w, strings.ReplaceAll(strings.ReplaceAll(line, "\n", ""), "\t\t", "")+"\n"); err != nil {
						return err
					}
				}
				return nil
			}, false)
			if err != nil {
				t.Fatal(err)
			}
			s, err := session.OpenStore(context.Background(), store)
			if err != nil {
				t.Fatal(err)
			}
			if s.Len() != len(tt.entries) {
				t.Fatalf("%d entries: %v", s.Len(), s.Problems())
			}
			view := treeview.New(s)
			view.SetFilter(treeview.All)
			if err := view.Prepare(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			view.Update()
			finds := func(q string) bool {
				view.SetQuery(q)
				for _, l := range view.Window(80, 10) {
					if l.Entry.Index() == s.Len()-1 {
						return true
					}
				}
				return false
			}
			for _, q := range tt.found {
				if !finds(q) {
					t.Errorf("%q does not find it", q)
				}
			}
			for _, q := range tt.missed {
				if finds(q) {
					t.Errorf("%q finds it", q)
				}
			}
		})
	}
}

// TestSearchFindsWhatTypingFinds: the search that reads from the log and the one that looks through
// prepared texts leave the same rows, under every filter.
func TestSearchFindsWhatTypingFinds(t *testing.T) {
	s, err := session.Open(context.Background(), "../../examples/tour.jsonl", session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, query := range []string{"", "REFUND coupon", "bash test", "diagnosis", "aborted", "read money.go", "opus", "user cents", "wisdom"} {
		for f := treeview.Default; f <= treeview.All; f++ {
			typed, read := treeview.New(s), treeview.New(s)
			typed.SetFilter(f)
			read.SetFilter(f)
			if err := typed.Prepare(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			typed.Update()
			typed.SetQuery(query)
			if err := read.Search(context.Background(), query); err != nil {
				t.Fatal(err)
			}
			rows := func(v *treeview.Tree) (rows []string) {
				for l := range v.Lines(200) {
					rows = append(rows, l.String())
				}
				return rows
			}
			if got, want := rows(read), rows(typed); !slices.Equal(got, want) {
				t.Errorf("%q, %v: reading finds\n%s\ntyping\n%s", query, f, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if (query == "wisdom") != (read.Len() == 0) && f == treeview.All {
				t.Errorf("%q finds %d rows", query, read.Len())
			}
		}
	}
}

// TestACancelledSearchLeavesTheRows alone.
func TestACancelledSearchLeavesTheRows(t *testing.T) {
	s, err := session.Open(context.Background(), "../../examples/tour.jsonl", session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := treeview.New(s)
	n := v.Len()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := v.Search(ctx, "coupon"); !errors.Is(err, context.Canceled) || v.Len() != n || v.Query() != "" {
		t.Errorf("err %v, %d rows of %d, query %q", err, v.Len(), n, v.Query())
	}
}
