package treeview

import (
	"context"
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

// query is a search and what it has found so far.
type query struct {
	text  string
	words []string // folded, each once
	hits  bitset

	low, high int32 // the entries whose texts have been looked through
}

func (q *query) active() bool { return len(q.words) > 0 }

// Query is the search as it was set.
func (t *Tree) Query() string { return t.query.text }

// SetQuery searches: only entries that hold every word of the query, whatever its case, have rows
// (section 12). Words are parted by spaces; a query without words ends the search. An entry whose
// text is not prepared yet is found by its label only, and by its text from the Update after
// Prepare has come to it.
func (t *Tree) SetQuery(text string) {
	words := searchWords(text)
	same := slices.Equal(words, t.query.words)
	t.query.text = text
	if same {
		return
	}
	t.query.words = words
	t.query.hits = nil
	if t.query.active() {
		t.query.hits = bitset{}.sized(len(t.parent))
		t.query.low, t.query.high = 0, 0
		t.find()
	}
	t.flatten()
}

func searchWords(text string) []string {
	words := strings.Fields(display.Fold(text))
	slices.Sort(words)
	return slices.Compact(words)
}

// Search is SetQuery for who does not type on: it reads the texts of all entries that the filter shows
// from the log and keeps none of them. When ctx is done it returns its error and leaves the rows alone.
func (t *Tree) Search(ctx context.Context, text string) error {
	q := query{text: text, words: searchWords(text)}
	if q.active() {
		m := NewMatcher(text)
		q.hits = bitset{}.sized(len(t.parent))
		for i := range int32(len(t.parent)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !t.filter.shows(t.class[i], t.labels[i] != "", i == t.leaf) {
				continue
			}
			if e, ok := t.entry(i); ok && m.Matches(e, t.labels[i]) {
				q.hits.set(i)
			}
		}
	}
	t.query = q
	t.flatten()
	return nil
}

// Matcher tells which entries a search finds (section 12). It serves one goroutine.
type Matcher struct {
	query query
	lines display.Lines
}

// NewMatcher is the Matcher of a search.
func NewMatcher(text string) *Matcher { return &Matcher{query: query{words: searchWords(text)}} }

// Matches tells whether an entry, with its label ("" for none), holds every word. It reads the entry.
func (m *Matcher) Matches(e session.Entry, label string) bool {
	return !m.query.active() || m.query.matches(m.lines.Search(e), label)
}

// find looks through all the texts there are.
func (t *Tree) find() {
	q, snapshot := &t.query, t.texts.Load().snapshot()
	findIn(snapshot.blocks, q.words, q.hits.set)
	for i, label := range t.labels {
		if !q.hits.has(i) && q.matches(snapshot.text(i), label) {
			q.hits.set(i)
		}
	}
	q.low, q.high = snapshot.low, snapshot.high
}

// findNew looks through the texts and entries that have come since, and tells whether it found any.
// from is the first new entry.
func (t *Tree) findNew(from int32) (found bool) {
	q := &t.query
	if !q.active() {
		return false
	}
	q.hits = q.hits.sized(len(t.parent))
	snapshot := t.texts.Load().snapshot()
	hit := func(i int32) {
		found = found || !q.hits.has(i)
		q.hits.set(i)
	}
	var fresh []*block
	for _, b := range snapshot.blocks {
		if b.from < q.low || b.from >= q.high {
			fresh = append(fresh, b)
		}
	}
	findIn(fresh, q.words, hit)
	if snapshot.low != q.low || snapshot.high != q.high || int(from) < len(t.parent) {
		for i, label := range t.labels { // words may be in the label and in the text
			if !q.hits.has(i) && q.matches(snapshot.text(i), label) {
				hit(i)
			}
		}
	}
	q.low, q.high = snapshot.low, snapshot.high
	return found
}

// matches tells whether a folded text and a label hold every word between them.
func (q *query) matches(text, label string) bool {
	label = display.Fold(label)
	for _, w := range q.words {
		if !strings.Contains(text, w) && !strings.Contains(label, w) {
			return false
		}
	}
	return true
}
