package treeview

import "github.com/ramo-dev/ramo/session"

// Selected is the entry of the selected row; ok is false when there are no rows.
func (t *Tree) Selected() (e session.Entry, ok bool) {
	if t.selected < 0 {
		return session.Entry{}, false
	}
	return t.entry(t.rows[t.selected].entry)
}

// SelectedRow is the number of the selected row, from 0, and -1 when there are no rows.
func (t *Tree) SelectedRow() int { return t.selected }

// Select selects an entry or, while that has no row, the nearest ancestor that has one. It tells
// whether the entry exists.
func (t *Tree) Select(id string) bool {
	e, ok := t.session.Entry(id)
	if !ok || e.Index() >= len(t.parent) {
		return false
	}
	t.anchor = e
	t.line = -1
	t.reselect()
	return true
}

// SelectRow selects a row by its number, as a click does; numbers beyond the ends count as the ends.
func (t *Tree) SelectRow(r int) {
	if len(t.rows) == 0 {
		return
	}
	r = min(max(r, 0), len(t.rows)-1)
	if t.line >= 0 {
		t.line += r - t.selected
		t.line = max(t.line, 0)
	}
	t.selected = r
	if e, ok := t.entry(t.rows[r].entry); ok {
		t.anchor = e
	}
}

// Up selects the row above; above the first is the last.
func (t *Tree) Up() { t.step(-1) }

// Down selects the row below; below the last is the first.
func (t *Tree) Down() { t.step(1) }

func (t *Tree) step(by int) {
	if n := len(t.rows); n > 0 {
		t.SelectRow((t.selected + by + n) % n)
	}
}

// Move selects the row that is so many rows further down, or up when by is negative, and stops at
// the ends.
func (t *Tree) Move(by int) { t.SelectRow(t.selected + by) }

// PageUp goes up by the height of the last window.
func (t *Tree) PageUp() { t.Move(-max(t.height, 1)) }

// PageDown goes down by the height of the last window.
func (t *Tree) PageDown() { t.Move(max(t.height, 1)) }

// Home selects the first row.
func (t *Tree) Home() { t.SelectRow(0) }

// End selects the last row.
func (t *Tree) End() { t.SelectRow(len(t.rows) - 1) }

// NextBranchPoint selects the next row further down that several rows hang from, and tells whether
// there is one.
func (t *Tree) NextBranchPoint() bool { return t.seek(1) }

// PreviousBranchPoint selects the next row further up that several rows hang from, and tells whether
// there is one.
func (t *Tree) PreviousBranchPoint() bool { return t.seek(-1) }

func (t *Tree) seek(by int) bool {
	for r := t.selected + by; r >= 0 && r < len(t.rows); r += by {
		if t.rows[r].kids > 1 && !t.hides(t.rows[r].entry) {
			t.SelectRow(r)
			return true
		}
	}
	return false
}

// Fold hides what hangs from the start of the branch that the selected row is on, and selects that
// start. A branch starts at a root and at each of several rows that hang from one. On a start that
// is folded already or has nothing to hide, the branch around it is folded. Fold tells whether
// anything changed; while a search is on, folds do not count and nothing does.
func (t *Tree) Fold() bool {
	if t.selected < 0 || t.query.active() {
		return false
	}
	r := t.rowOf[t.rows[t.selected].head]
	for t.hides(t.rows[r].entry) || t.rows[r].kids == 0 {
		if t.rows[r].above == none {
			return false
		}
		r = t.rowOf[t.rows[t.rowOf[t.rows[r].above]].head]
	}
	e, ok := t.entry(t.rows[r].entry)
	if !ok {
		return false
	}
	t.SelectRow(int(r))
	t.folded[t.rows[r].entry] = e
	t.flatten()
	return true
}

// Unfold shows again what the selected row's fold hides, and tells whether anything changed.
func (t *Tree) Unfold() bool {
	if t.selected < 0 || !t.hides(t.rows[t.selected].entry) {
		return false
	}
	delete(t.folded, t.rows[t.selected].entry)
	t.flatten()
	return true
}

// hides tells whether an entry is folded. A search looks into folds.
func (t *Tree) hides(i int32) bool {
	if len(t.folded) == 0 || t.query.active() {
		return false
	}
	_, ok := t.folded[i]
	return ok
}

// reselect finds the row for the anchor after the rows changed. The selected row keeps its place on
// the screen.
func (t *Tree) reselect() {
	if t.anchor.IsZero() && (t.leaf != none || len(t.rows) > 0) {
		i := t.leaf
		if i == none {
			i = t.rows[0].entry
		}
		t.anchor, _ = t.entry(i)
	}
	i := none
	if !t.anchor.IsZero() {
		i = int32(t.anchor.Index())
	}
	for i != none && t.rowOf[i] == none {
		i = t.parent[i]
	}
	t.selected = min(0, len(t.rows)-1)
	if i != none {
		t.selected = int(t.rowOf[i])
	}
}
