package treeview

import (
	"cmp"
	"slices"

	"github.com/ramo-dev/ramo/session"
)

// batch says what reading new entries did beyond adding them at the end of branches.
type batch struct {
	labels   bool // labels may have changed
	reshaped bool // older entries hang elsewhere now, or their siblings come in another order
}

// read adds the entries up to number n, and more when one of them hangs from a later one. ok is
// false when the log was replaced meanwhile.
func (t *Tree) read(n int) (b batch, ok bool) {
	from := len(t.parent)
	if n == from {
		return b, true
	}
	t.grow(n)
	if from == 0 {
		for e := range t.session.Entries() { // many times faster than one by one
			t.add(e)
		}
		b.labels = true
	}
	for i := len(t.parent); i < n; i++ {
		e, ok := t.entry(int32(i))
		if !ok {
			return b, false
		}
		n = max(n, int(t.add(e))+1)
		// A label may stand in the file before its target.
		b.labels = b.labels || t.class[i] == classLabel || e.Label() != ""
	}
	moved, ok := t.followParents(from)
	if !ok {
		return b, false
	}
	if moved {
		b.reshaped = true
		t.relink()
		return b, true
	}
	var unsorted []int32
	for i := from; i < len(t.parent); i++ {
		unsorted = t.link(int32(i), unsorted)
	}
	b.reshaped = len(unsorted) > 0
	t.sortChildren(unsorted)
	return b, true
}

// add puts an entry behind the others, and returns its parent.
func (t *Tree) add(e session.Entry) (parent int32) {
	i := int32(len(t.parent))
	parent = none
	p, hangs := e.Parent()
	if hangs {
		parent = int32(p.Index())
	}
	if parent > i || !hangs && e.Orphan() {
		t.movable = append(t.movable, i)
	}
	t.parent = append(t.parent, parent)
	t.first, t.last, t.next = append(t.first, none), append(t.last, none), append(t.next, none)
	t.time = append(t.time, e.Time().UnixMilli())
	t.class = append(t.class, classify(e))
	t.rowOf = append(t.rowOf, none)
	return parent
}

func (t *Tree) grow(n int) {
	more := n - len(t.parent)
	t.parent, t.first = slices.Grow(t.parent, more), slices.Grow(t.first, more)
	t.last, t.next = slices.Grow(t.last, more), slices.Grow(t.next, more)
	t.time, t.class = slices.Grow(t.time, more), slices.Grow(t.class, more)
	t.rowOf = slices.Grow(t.rowOf, more)
}

// followParents looks for entries before from that hang elsewhere now.
func (t *Tree) followParents(from int) (moved, ok bool) {
	for _, i := range t.movable {
		if int(i) >= from {
			break
		}
		e, ok := t.entry(i)
		if !ok {
			return false, false
		}
		parent := none
		if p, hangs := e.Parent(); hangs && p.Index() < len(t.parent) {
			parent = int32(p.Index())
		}
		if t.parent[i] != parent {
			t.parent[i] = parent
			moved = true
		}
	}
	return moved, true
}

// link makes i the last child of its parent, or a root. A parent whose children are out of order
// with that is added to unsorted.
func (t *Tree) link(i int32, unsorted []int32) []int32 {
	p := t.parent[i]
	if p == none {
		t.roots = append(t.roots, i)
		return unsorted
	}
	l := t.last[p]
	if l == none {
		t.first[p], t.last[p] = i, i
		return unsorted
	}
	if t.older(i, l) && (len(unsorted) == 0 || unsorted[len(unsorted)-1] != p) {
		unsorted = append(unsorted, p)
	}
	t.next[l], t.last[p] = i, i
	return unsorted
}

func (t *Tree) older(a, b int32) bool { return t.compare(a, b) < 0 }

func (t *Tree) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(t.time[a], t.time[b]), cmp.Compare(a, b))
}

func (t *Tree) sortChildren(of []int32) {
	slices.Sort(of)
	var children []int32
	for _, p := range slices.Compact(of) {
		children = children[:0]
		for c := t.first[p]; c != none; c = t.next[c] {
			children = append(children, c)
		}
		slices.SortFunc(children, t.compare)
		t.first[p], t.last[p] = none, none
		for _, c := range children {
			t.next[c] = none
			t.link(c, nil)
		}
	}
}

// relink builds children and roots anew from the parents.
func (t *Tree) relink() {
	t.roots = t.roots[:0]
	for i := range t.parent {
		t.first[i], t.last[i], t.next[i] = none, none, none
	}
	var unsorted []int32
	for i := range t.parent {
		unsorted = t.link(int32(i), unsorted)
	}
	t.sortChildren(unsorted)
	// The way to the leaf may be another one now.
	t.active = nil
	leaf := t.leaf
	t.leaf = none
	t.setLeaf(leaf)
}
