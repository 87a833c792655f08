package treeview

import "slices"

// row is an entry that is shown. Other entries are named by number, not by row, so that a row put
// between others changes none of them.
type row struct {
	entry int32
	above int32 // the nearest ancestor with a row, which it hangs from; none: the virtual root
	// head is the nearest entry, from the row's own upwards, that a connector leads to, or else the
	// root: going from head to head passes every gutter of a row without passing every ancestor.
	head      int32
	indent    int32 // levels
	kids      int32 // the rows that hang from it; of a folded row: all that the fold hides
	connector bool  // ├─ or └─: it is one of several
	last      bool  // of those that hang from above
}

// flatten makes the rows anew, in two passes over the tree without recursion, and keeps the
// selection.
func (t *Tree) flatten() {
	t.order()
	t.place()
	t.reselect()
}

// order finds the rows: depth first, among siblings the branch with the leaf first and the rest
// oldest to newest. What has no row passes its children on to the nearest ancestor that has one.
func (t *Tree) order() {
	t.rows = slices.Grow(t.rows[:0], len(t.parent))
	t.shown = slices.Grow(t.shown[:0], len(t.parent))[:len(t.parent)] // the nearest row from an entry upwards
	for i := range t.rowOf {
		t.rowOf[i] = none
	}
	stack := append(t.stack[:0], t.roots...)
	t.inOrder(stack)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		above := none
		if p := t.parent[i]; p != none {
			above = t.shown[p]
		}
		t.shown[i] = above
		if t.visible(i) {
			if above != none {
				t.rows[t.rowOf[above]].kids++
			}
			if above == none || !t.hides(above) {
				t.rowOf[i] = int32(len(t.rows))
				t.rows = append(t.rows, row{entry: i, above: above})
				t.shown[i] = i
			}
		}
		start := len(stack)
		for c := t.first[i]; c != none; c = t.next[c] {
			stack = append(stack, c)
		}
		t.inOrder(stack[start:])
	}
	t.stack = stack[:0]
}

// inOrder turns siblings, oldest first, into the order in which a stack gives them out: the one
// that the leaf is on, then the others from the oldest on.
func (t *Tree) inOrder(siblings []int32) {
	if len(siblings) < 2 {
		return
	}
	slices.Reverse(siblings)
	if p := t.parent[siblings[0]]; p != none && !t.active.has(p) {
		return
	}
	if k := slices.IndexFunc(siblings, t.active.has); k >= 0 {
		i := siblings[k]
		copy(siblings[k:], siblings[k+1:])
		siblings[len(siblings)-1] = i
	}
}

// place gives the rows indent and connectors. Indent grows where several hang from one, and once
// more for the first generation after that, so a single chain stays flat.
func (t *Tree) place() {
	roots, lastRoot := int32(0), none
	for r := range t.rows {
		if t.rows[r].above == none {
			roots++
			lastRoot = int32(r)
		}
	}
	// Going backwards, the first row met that hangs from another one is its last.
	seen := bitset{}.sized(len(t.parent))
	for r := len(t.rows) - 1; r >= 0; r-- {
		row := &t.rows[r]
		if row.above == none {
			row.last = int32(r) == lastRoot
			continue
		}
		row.last = !seen.has(row.above)
		seen.set(row.above)
	}
	for r := range t.rows {
		row := &t.rows[r]
		siblings, indent, head := roots, int32(0), row.entry
		if row.above != none {
			above := t.rows[t.rowOf[row.above]]
			siblings, indent, head = above.kids, above.indent, above.head
			if above.connector && siblings == 1 {
				indent++
			}
		}
		if siblings > 1 {
			row.connector, head = true, row.entry
			indent++
		}
		row.indent, row.head = indent, head
	}
}

// insert gives a new entry its row where that leaves all others as they are: as the only one that
// hangs from another row. It tells whether it could.
func (t *Tree) insert(i int32) bool {
	p := t.parent[i]
	for p != none && t.rowOf[p] == none {
		p = t.parent[p]
	}
	if p == none {
		return false
	}
	at := t.rowOf[p] + 1
	above := &t.rows[at-1]
	if t.hides(p) && above.kids > 0 {
		above.kids++
		return true
	}
	if t.hides(p) || above.kids > 0 {
		return false
	}
	above.kids = 1
	r := row{entry: i, above: p, head: above.head, indent: above.indent, last: true}
	if above.connector {
		r.indent++
	}
	t.rows = slices.Insert(t.rows, int(at), r)
	for k := int(at); k < len(t.rows); k++ {
		t.rowOf[t.rows[k].entry] = int32(k)
	}
	if t.selected >= int(at) {
		t.selected++
	}
	return true
}
