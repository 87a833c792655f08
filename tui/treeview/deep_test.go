package treeview_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

func number(i int) string { return fmt.Sprintf("message %d", i) }

// grown is a session of n user messages, each of which says what text says and hangs from what
// parent says; -1 is none.
func grown(t testing.TB, n int, parent func(i int) int, text func(i int) string) *session.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`)
	for i := range n {
		p := "null"
		if k := parent(i); k >= 0 {
			p = fmt.Sprintf(`"%08x"`, k)
		}
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"message":{"role":"user","content":%q}}`+"\n", i, p, text(i))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(context.Background(), path, session.WithoutSync(), session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// oneOfTwo hangs two entries from every other one: the second goes on.
func oneOfTwo(i int) int {
	if i == 0 {
		return -1
	}
	return (i - 1) / 2 * 2
}

// In a tree that branches 3 000 times on one path, half the width is the text's in every row, and
// neighbours leave out the same gutters but where the golden window shows the step.
func TestThreeThousandBranchesStayReadable(t *testing.T) {
	s := grown(t, 6001, oneOfTwo, number)
	view := treeview.New(s)
	for _, width := range []int{40, 80, 81, 200} {
		view.Home()
		for range view.Len()/40 + 1 {
			for _, l := range view.Window(width, 40) {
				used := 0
				for _, seg := range l.Segments {
					if seg.Kind <= treeview.KindActive {
						used += ansi.StringWidth(seg.Text)
					}
				}
				if text := width - used; text < width/2 {
					t.Fatalf("row %d has %d columns of %d for its text: %q", l.Row, text, width, l)
				}
				if w := ansi.StringWidth(l.String()); w > width {
					t.Fatalf("row %d is %d columns wide", l.Row, w)
				}
				if !strings.Contains(l.String(), "message ") {
					t.Fatalf("row %d has no text: %q", l.Row, l)
				}
			}
			view.PageDown()
		}
	}
	view.SelectRow(2500)
	view.Move(10)
	view.Move(-10) // so that there are rows above it
	got := trimmed(view.Window(80, 30))
	const golden = "testdata/deep.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func trimmed(lines []treeview.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// Shapes that break what recurses or looks at all siblings for each.
func TestExtremeShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("writes large sessions")
	}
	tests := []struct {
		name    string
		entries int
		parent  func(i int) int
		rows    int // with entry 0 folded
	}{
		{"a chain of a million", 1_000_000, func(i int) int { return i - 1 }, 1},
		{"100 000 children of one entry", 100_001, func(i int) int { return min(i, 1) - 1 }, 1},
		{"100 000 roots", 100_000, func(int) int { return -1 }, 100_001},
		{"100 000 branches on one path", 200_001, oneOfTwo, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := grown(t, tt.entries, tt.parent, number)
			view := treeview.New(s)
			if view.Len() != tt.entries {
				t.Fatalf("%d rows", view.Len())
			}
			mid := fmt.Sprintf("%08x", tt.entries/2)
			if err := s.BranchTo(mid); err != nil {
				t.Fatal(err)
			}
			view.Update()
			view.Select(mid)
			var at *treeview.Line
			for _, l := range view.Window(80, 50) {
				if l.Selected {
					at = &l
				}
			}
			if at == nil || at.Entry.ID() != mid || !at.Active {
				t.Fatalf("the leaf is not selected: %+v", at)
			}
			if _, err := s.Append(context.Background(), session.CustomMessage{CustomType: "note"}); err != nil {
				t.Fatal(err)
			}
			view.Update()
			if view.Len() != tt.entries+1 {
				t.Fatalf("%d rows after an append", view.Len())
			}
			view.SetFilter(treeview.LabeledOnly)
			if view.Len() != 0 {
				t.Fatalf("%d rows have labels", view.Len())
			}
			view.SetFilter(treeview.Default)
			if e, _ := view.Selected(); e.ID() != mid {
				t.Fatalf("%s is selected", e.ID())
			}
			view.Select("00000000")
			view.Fold()
			if view.Len() != tt.rows {
				t.Fatalf("%d rows when folded", view.Len())
			}
			view.Window(80, 50)
		})
	}
}
