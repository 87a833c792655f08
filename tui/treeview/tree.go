package treeview

import (
	"slices"
	"sync/atomic"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

const none int32 = -1

// Tree is what a tree selector shows of a session: the rows, and where the reader is in them.
//
// All methods but Prepare belong to one goroutine. They see the session as it was at the last
// Update; the session itself may be appended to, moved and reloaded at any time.
type Tree struct {
	session *session.Session
	epoch   int

	// The session's tree, by entry number. Children are linked oldest first.
	parent, first, last, next []int32
	time                      []int64 // ms
	class                     []class
	roots                     []int32 // in file order
	// movable are the entries that hung from nothing, or from a later entry, when they were read: a
	// parent that arrives can take them up, or close a cycle that is broken at one of them.
	movable []int32
	labels  map[int32]string

	leaf   int32
	active bitset // the entries from the root to the leaf

	filter Filter
	query  query
	folded map[int32]session.Entry

	rows  []row
	rowOf []int32 // an entry's row, or none
	stack []int32 // flatten's, kept for its memory
	shown []int32 // flatten's

	// anchor is the entry that the reader chose last. The selected row is its own or, while it is
	// hidden, that of the nearest ancestor with one.
	anchor   session.Entry
	selected int // row; -1: there are no rows
	line     int // the selected row's line in the window; -1: not placed yet
	height   int // of the last window

	lines display.Lines
	cache map[int32]string // the texts of rows that were drawn lately
	texts atomic.Pointer[texts]
}

// New is the tree of a session, with the leaf selected and the default filter. It reads the index,
// no entry. Nothing else than Update looks at the session's shape afterwards.
func New(s *session.Session) *Tree {
	t := &Tree{session: s, line: -1}
	t.start(s.Epoch())
	t.Update()
	return t
}

// start forgets the log that was read, for that of another epoch.
func (t *Tree) start(epoch int) {
	t.epoch = epoch
	t.parent, t.first, t.last, t.next = nil, nil, nil, nil
	t.time, t.class, t.rowOf, t.shown = nil, nil, nil, nil
	t.roots, t.movable = nil, nil
	t.labels = map[int32]string{}
	t.leaf, t.active = none, nil
	t.rows, t.selected = nil, -1
	t.query.hits, t.query.low, t.query.high = nil, 0, 0
	t.cache = map[int32]string{}
	t.lines = display.Lines{}
	t.texts.Store(&texts{session: t.session, epoch: epoch, low: -1})

	t.anchor = t.survivor(t.anchor)
	folded := map[int32]session.Entry{}
	for _, old := range t.folded {
		if e, ok := t.session.Entry(old.ID()); ok {
			folded[int32(e.Index())] = e
		}
	}
	t.folded = folded
}

// survivor is what the session now has of an entry of an earlier epoch: the same id, or that of
// the nearest ancestor that is left.
func (t *Tree) survivor(e session.Entry) session.Entry {
	for ok := !e.IsZero(); ok; e, ok = e.Parent() {
		if now, found := t.session.Entry(e.ID()); found {
			return now
		}
	}
	return session.Entry{}
}

// Update takes up what happened since the last one: entries that were appended by anyone, labels,
// a leaf that moved, a log that was rewritten, and texts that Prepare has made ready for the search.
// It tells whether a window may look different now. New entries cost no more than themselves where
// they only make a branch longer, and otherwise a pass over the index; no entry is read.
func (t *Tree) Update() (changed bool) {
	for {
		if epoch := t.session.Epoch(); epoch != t.epoch {
			t.start(epoch)
			changed = true
		}
		done, c := t.update()
		changed = changed || c
		if done && t.session.Epoch() == t.epoch {
			return changed
		}
	}
}

func (t *Tree) update() (done, changed bool) {
	leaf := none
	if e, ok := t.session.Leaf(); ok {
		leaf = int32(e.Index())
	}
	from := int32(len(t.parent))
	batch, ok := t.read(t.session.Len())
	n := int32(len(t.parent))
	if !ok || leaf >= n {
		return false, true
	}
	reshaped := from == 0 && n > 0 || batch.reshaped
	old := t.leaf
	if leaf != old {
		// Being the leaf can be all that gives an entry a row.
		oldShown, newShown := t.has(old), t.has(leaf)
		reordered := t.setLeaf(leaf)
		reshaped = reshaped || reordered || oldShown != t.has(old) || leaf < from && newShown != t.has(leaf)
	}
	if batch.labels && t.readLabels() {
		changed = true
		reshaped = reshaped || t.filter == LabeledOnly || t.query.active()
	}
	t.texts.Load().extend(n)
	if t.findNew(from) {
		reshaped = true
	}
	changed = changed || reshaped || from < n || old != leaf
	const few = 64
	if reshaped || n-from > few {
		t.flatten()
		return true, true
	}
	for i := from; i < n; i++ {
		if t.visible(i) && !t.insert(i) {
			t.flatten()
			break
		}
	}
	return true, changed
}

func (t *Tree) has(leaf int32) bool { return leaf != none && t.visible(leaf) }

// setLeaf marks the way to another leaf, and tells whether that changes the order of siblings. It
// costs the way between the two, not their depth.
func (t *Tree) setLeaf(leaf int32) (reordered bool) {
	t.active = t.active.sized(len(t.parent))
	i := leaf
	for ; i != none && !t.active.has(i); i = t.parent[i] {
		t.active.set(i)
		reordered = reordered || t.hasSiblings(i)
	}
	for k := t.leaf; k != i; k = t.parent[k] {
		t.active.clear(k)
		reordered = reordered || t.hasSiblings(k)
	}
	t.leaf = leaf
	return reordered
}

func (t *Tree) hasSiblings(i int32) bool {
	if p := t.parent[i]; p != none {
		return t.first[p] != t.last[p]
	}
	return len(t.roots) > 1
}

// readLabels takes up the labels as they stand, and tells whether any changed.
func (t *Tree) readLabels() (changed bool) {
	labels := map[int32]string{}
	for _, l := range t.session.Labels() {
		if i := int32(l.Target.Index()); int(i) < len(t.parent) {
			labels[i] = l.Text
		}
	}
	var differ []int32
	for i, text := range labels {
		if t.labels[i] != text {
			differ = append(differ, i)
		}
	}
	for i := range t.labels {
		if _, ok := labels[i]; !ok {
			differ = append(differ, i)
		}
	}
	t.labels = labels
	if t.query.active() {
		snapshot := t.texts.Load().snapshot()
		for _, i := range differ {
			t.query.hits = t.query.hits.sized(len(t.parent))
			t.query.hits.put(i, t.query.matches(snapshot.text(i), labels[i]))
		}
	}
	return len(differ) > 0
}

// entry is an entry of the log that the rows are of; ok is false when the session has read another
// one meanwhile, which the next Update notices.
func (t *Tree) entry(i int32) (session.Entry, bool) { return entryOf(t.session, t.epoch, i) }

func entryOf(s *session.Session, epoch int, i int32) (e session.Entry, ok bool) {
	defer func() {
		// Between any check of ours and At another goroutine's Refresh may have put a shorter log in
		// place, for which At panics.
		if s.Epoch() != epoch {
			_ = recover()
			e, ok = session.Entry{}, false
		}
	}()
	return s.At(int(i)), true
}

// Len is the number of rows.
func (t *Tree) Len() int { return len(t.rows) }

// Session is the session that the tree is of.
func (t *Tree) Session() *session.Session { return t.session }

// bitset has a bit for each entry; those beyond its end are 0.
type bitset []uint64

func (b bitset) has(i int32) bool { return int(i>>6) < len(b) && b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) set(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32)    { b[i>>6] &^= 1 << (i & 63) }

func (b bitset) put(i int32, on bool) {
	b.clear(i)
	if on {
		b.set(i)
	}
}

// sized has room for n bits.
func (b bitset) sized(n int) bitset {
	words := n/64 + 1
	if words <= len(b) {
		return b
	}
	return slices.Grow(b, words-len(b))[:words]
}
