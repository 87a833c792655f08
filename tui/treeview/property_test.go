package treeview_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// reader is what a person sees of a session, worked out the slow and obvious way: recursively, over
// the whole tree, from nothing but the session's public methods.
type reader struct {
	s      *session.Session
	filter treeview.Filter
	words  []string
	texts  map[string]string // what the search finds an entry by, by id
	folded map[string]bool
	active map[string]bool
}

type node struct {
	e    session.Entry
	kids []*node
	fold int // how many it hides
}

func (r *reader) lines() (lines, ids []string) {
	r.active = map[string]bool{}
	for e := range r.s.Branch("") {
		r.active[e.ID()] = true
	}
	r.draw(r.nodes(r.s.Roots()), "", false, &lines, &ids)
	return lines, ids
}

func (r *reader) nodes(siblings []session.Entry) (out []*node) {
	for _, onPath := range []bool{true, false} {
		for _, e := range siblings {
			if r.active[e.ID()] != onPath {
				continue
			}
			kids := r.nodes(r.children(e))
			if !r.shows(e) {
				out = append(out, kids...)
				continue
			}
			n := &node{e: e, kids: kids}
			if len(r.words) == 0 && r.folded[e.ID()] {
				n.fold, n.kids = count(kids), nil
			}
			out = append(out, n)
		}
	}
	return out
}

func (r *reader) children(e session.Entry) (out []session.Entry) {
	for c := range e.Children() {
		out = append(out, c)
	}
	return out
}

// count counts what a fold hides; a fold within it hides nothing more.
func count(nodes []*node) (n int) {
	for _, k := range nodes {
		n += 1 + k.fold + count(k.kids)
	}
	return n
}

func (r *reader) shows(e session.Entry) bool {
	for _, w := range r.words {
		if !strings.Contains(r.texts[e.ID()], w) && !strings.Contains(strings.ToLower(e.Label()), w) {
			return false
		}
	}
	if r.filter == treeview.All {
		return true
	}
	leaf, _ := r.s.Leaf()
	if e.Role() == "assistant" && e.HasToolCalls() && !e.HasText() && !e.Failed() && !e.Aborted() && e.ID() != leaf.ID() {
		return false
	}
	bookkeeping := e.Type() == "label" || e.Type() == "model_change" || e.Type() == "custom" || e.Type() == "session_info"
	switch r.filter {
	case treeview.NoTools:
		return !bookkeeping && e.Role() != "toolResult"
	case treeview.UserOnly:
		return e.Role() == "user"
	case treeview.LabeledOnly:
		return e.Label() != ""
	}
	return !bookkeeping
}

func (r *reader) draw(nodes []*node, before string, afterConnector bool, lines, ids *[]string) {
	for i, n := range nodes {
		line, below := before, before
		switch last := i == len(nodes)-1; {
		case len(nodes) > 1 && last:
			line, below = line+"└─ ", below+"   "
		case len(nodes) > 1:
			line, below = line+"├─ ", below+"│  "
		case afterConnector:
			line, below = line+"   ", below+"   "
		}
		if r.active[n.e.ID()] {
			line += "• "
		}
		if n.fold > 0 {
			line += fmt.Sprintf("▸%d ", n.fold)
		}
		if l := n.e.Label(); l != "" {
			line += "[" + l + "] "
		}
		*lines = append(*lines, line)
		*ids = append(*ids, n.e.ID())
		r.draw(n.kids, below, len(nodes) > 1, lines, ids)
	}
}

var words = []string{"ant", "bee", "cat"}

// entryLine draws an entry in the notation. It may hang from an entry that is still to come, or from
// none, or have a time before that of its elder siblings.
func entryLine(t *rapid.T, i, next int) (line, text string) {
	parent := "-"
	switch k := rapid.IntRange(0, 19).Draw(t, "parent"); {
	case k == 0:
	case k == 1:
		parent = fmt.Sprintf("e%d", rapid.IntRange(i, next).Draw(t, "later"))
	case i > 0 && k < 12:
		parent = fmt.Sprintf("e%d", i-1)
	case i > 0:
		parent = fmt.Sprintf("e%d", rapid.IntRange(0, i-1).Draw(t, "earlier"))
	}
	second := i
	if rapid.IntRange(0, 4).Draw(t, "unordered") == 0 {
		second = rapid.IntRange(0, i+1).Draw(t, "second")
	}
	word := rapid.SampledFrom(words).Draw(t, "word") + " " + rapid.SampledFrom(words).Draw(t, "word")
	kind := rapid.SampledFrom([]string{"user", "assistant", "calls", "result", "label", "model_change", "custom", "failed"}).Draw(t, "kind")
	what := kind + " " + word
	text = kind + " " + word
	switch kind {
	case "calls":
		what = `calls bash {"command":"` + word + `"}`
		text = "assistant [bash: " + word
	case "result":
		what = "result none"
		text = "toolResult tool"
	case "label":
		target := rapid.IntRange(0, next).Draw(t, "target")
		label := rapid.SampledFrom([]string{"", "dog", "ant"}).Draw(t, "label")
		what = fmt.Sprintf("label e%d %s", target, label)
		if text = "[label: " + label; label == "" {
			text = "[label: (cleared)]"
		}
	case "failed":
		text = "assistant error " + word
	case "model_change":
		what = "model x"
		text = "[model: x]"
	}
	return fmt.Sprintf("e%d < %s @ %d %s", i, parent, second, what), strings.ToLower(text)
}

// TestRowsAreTheTree lets a reader do anything while anything happens to the session, and holds the
// rows against the slow and obvious way, and against a tree made afresh.
func TestRowsAreTheTree(t *testing.T) { rapid.Check(t, rowsAreTheTree) }

func rowsAreTheTree(t *rapid.T) {
	ctx := context.Background()
	n := &notation{store: new(session.MemoryStore)}
	r := &reader{texts: map[string]string{}, folded: map[string]bool{}}
	entries := 0
	more := func(k int) {
		for range k {
			line, text := entryLine(t, entries, entries+3)
			r.texts[fmt.Sprintf("e%d", entries)] = text
			entries++
			if err := n.store.Append(append(n.entry(t, line), '\n'), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n"
	if err := n.store.Create(func(w io.Writer) error { _, err := io.WriteString(w, header); return err }, false); err != nil {
		t.Fatal(err)
	}
	more(rapid.IntRange(1, 20).Draw(t, "entries"))
	s, err := session.OpenStore(ctx, n.store)
	if err != nil {
		t.Fatal(err)
	}
	r.s = s
	view := treeview.New(s)
	if err := view.Prepare(ctx, nil); err != nil {
		t.Fatal(err)
	}
	view.Update()
	chosen := ""
	if leaf, ok := s.Leaf(); ok {
		chosen = leaf.ID()
	}
	choose := func() {
		if e, ok := view.Selected(); ok {
			chosen = e.ID()
		}
	}
	anEntry := func(t *rapid.T) session.Entry { return s.At(rapid.IntRange(0, s.Len()-1).Draw(t, "entry")) }

	t.Repeat(map[string]func(*rapid.T){
		"others append": func(t *rapid.T) {
			more(rapid.IntRange(1, 3).Draw(t, "more"))
			if _, err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
		},
		"append one at the leaf": func(t *rapid.T) {
			body := session.Body(session.SessionInfo{Name: "bee"})
			if rapid.Bool().Draw(t, "a label") {
				body = session.LabelChange{TargetID: anEntry(t).ID(), Label: "dog"}
			}
			e, err := s.Append(ctx, body)
			if errors.Is(err, session.ErrLeafLost) {
				s.ResetLeaf()
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r.texts[e.ID()] = "[label: dog]"
			if e.Type() == session.TypeSessionInfo {
				r.texts[e.ID()] = "[name: bee]"
			}
		},
		"rewrite the log": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "rarely") > 0 {
				t.Skip()
			}
			var kept strings.Builder
			kept.WriteString(header)
			for e := range s.Entries() {
				if e.Index() == 0 || rapid.IntRange(0, 9).Draw(t, "lost") > 0 {
					raw, err := e.Raw()
					if err != nil {
						t.Fatal(err)
					}
					kept.Write(raw)
					kept.WriteByte('\n')
				}
			}
			above := map[string]string{}
			for e := range s.Entries() {
				above[e.ID()] = e.ParentID()
			}
			if err := n.store.Replace(func(w io.Writer) error { _, err := io.WriteString(w, kept.String()); return err }, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			for _, ok := s.Entry(chosen); !ok && chosen != ""; _, ok = s.Entry(chosen) {
				chosen = above[chosen]
			}
			for id := range r.folded {
				if _, ok := s.Entry(id); !ok {
					delete(r.folded, id)
				}
			}
		},
		"move the leaf": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "to none") == 0 {
				s.ResetLeaf()
			} else if err := s.BranchTo(anEntry(t).ID()); err != nil {
				t.Fatal(err)
			}
		},
		"filter": func(t *rapid.T) {
			r.filter = treeview.Filter(rapid.IntRange(0, 4).Draw(t, "filter"))
			view.SetFilter(r.filter)
		},
		"search": func(t *rapid.T) {
			q := rapid.SampledFrom([]string{"", "", "ant", "BEE cat", "dog", "dog ant", "assistant", "bash c"}).Draw(t, "query")
			r.words = strings.Fields(strings.ToLower(q))
			view.SetQuery(q)
		},
		"choose": func(t *rapid.T) {
			e := anEntry(t)
			if view.Select(e.ID()) {
				chosen = e.ID()
			}
		},
		"choose a row": func(t *rapid.T) {
			view.SelectRow(rapid.IntRange(-1, view.Len()).Draw(t, "row"))
			choose()
		},
		"move": func(t *rapid.T) {
			rapid.SampledFrom([]func(){view.Up, view.Down, view.Home, view.End, view.PageUp, view.PageDown}).Draw(t, "how")()
			choose()
		},
		"fold": func(t *rapid.T) {
			if view.Fold() {
				choose()
				r.folded[chosen] = true
			}
		},
		"unfold": func(t *rapid.T) {
			e, _ := view.Selected()
			if view.Unfold() {
				delete(r.folded, e.ID())
			}
		},
		"": func(t *rapid.T) {
			view.Update()
			if rapid.Bool().Draw(t, "prepare in between") {
				view.Window(80, 10)
			}
			if err := view.Prepare(ctx, nil); err != nil {
				t.Fatal(err)
			}
			view.Update()
			if chosen == "" { // nothing was there to choose yet
				if leaf, ok := s.Leaf(); ok {
					chosen = leaf.ID()
				} else {
					choose()
				}
			}
			compare(t, view, r, chosen)
		},
	})
}

func compare(t *rapid.T, view *treeview.Tree, r *reader, chosen string) {
	want, ids := r.lines()
	got := view.Window(1000, len(want)+1)
	if len(got) != len(want) || view.Len() != len(want) {
		t.Fatalf("%d rows, want %d:\n%s\nwant:\n%s", view.Len(), len(want), drawn(got), strings.Join(want, "\n"))
	}
	for i, l := range got {
		if l.Entry.ID() != ids[i] || !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(l.String(), "  "), "› "), want[i]) {
			t.Fatalf("row %d is %s of %s, want %s of %s, in:\n%s\nwant:\n%s", i, l, l.Entry.ID(), want[i], ids[i], drawn(got), strings.Join(want, "\n"))
		}
	}
	selected := 0
	for e, ok := r.s.Entry(chosen); ok; e, ok = e.Parent() {
		if k := index(ids, e.ID()); k >= 0 {
			selected = k
			break
		}
	}
	if len(ids) == 0 {
		selected = -1
	}
	if view.SelectedRow() != selected {
		t.Fatalf("row %d is selected, want %d for %s, in:\n%s", view.SelectedRow(), selected, chosen, drawn(got))
	}

	// A tree made afresh shows the same.
	fresh := treeview.New(r.s)
	if err := fresh.Prepare(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	fresh.Update()
	fresh.SetFilter(r.filter)
	fresh.SetQuery(view.Query())
	if len(r.folded) == 0 {
		fresh.SelectRow(view.SelectedRow())
		if a, b := drawn(view.Window(60, 1000)), drawn(fresh.Window(60, 1000)); a != b {
			t.Fatalf("differs from one made afresh:\n%s\nwant:\n%s", a, b)
		}
	}
}

func index(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

func drawn(lines []treeview.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}
