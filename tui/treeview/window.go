package treeview

import (
	"iter"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

// Kind says what a segment is, so that it can be coloured.
type Kind uint8

// The kinds of segments, in the order in which a line has them. A line has one of those from
// KindUser on.
const (
	KindCursor Kind = iota // the mark of the selected row, or the room for it
	KindGutter             // connectors and gutters
	KindActive             // the mark of the active path
	KindFold               // the mark of a folded row and how many it hides
	KindLabel              // the label in brackets

	KindUser
	KindAssistant
	KindError // an answer that failed or was aborted
	KindTool  // a tool's result, or what the user ran
	KindSummary
	KindCustom      // a message that an extension put there
	KindBookkeeping // labels, models and the like, and unknown entries
)

// Segment is a piece of a line. Its text has no control characters.
type Segment struct {
	Kind Kind
	Text string
}

// Line is a row as it is drawn.
type Line struct {
	Row      int // see SelectRow
	Entry    session.Entry
	Selected bool
	Active   bool // on the way to the leaf
	Segments []Segment
}

// String is the line without its kinds.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l.Segments {
		b.WriteString(s.Text)
	}
	return b.String()
}

const (
	levelWidth = 3
	mark       = "• "
)

// Window draws the rows around the selected one that fit into height lines of width columns. The
// selected row is always among them, and stays where it was on the screen as long as it can. The
// entries of these rows are read, unless they were drawn lately; others are not looked at. At least
// half the width is left to the text: in deeper rows the older gutters are one "…".
func (t *Tree) Window(width, height int) []Line {
	if height <= 0 || width <= 0 {
		return nil
	}
	t.height = height
	if t.selected < 0 {
		return nil
	}
	if t.line < 0 {
		t.line = height / 2
	}
	top := t.selected - min(t.line, height-1)
	top = max(0, min(top, len(t.rows)-height))
	t.line = t.selected - top
	lines := make([]Line, 0, min(height, len(t.rows)-top))
	for r := top; r < len(t.rows) && r < top+height; r++ {
		cursor := "  "
		if r == t.selected {
			cursor = "› "
		}
		lines = append(lines, t.draw(r, width, cursor))
	}
	return lines
}

// Lines draws all rows, in width columns, without the room for a cursor. The rows must not change
// meanwhile.
func (t *Tree) Lines(width int) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for r := range t.rows {
			if !yield(t.draw(r, width, "")) {
				return
			}
		}
	}
}

func (t *Tree) draw(r, width int, cursor string) Line {
	row := t.rows[r]
	e, ok := t.entry(row.entry)
	l := Line{Row: r, Entry: e, Selected: r == t.selected, Active: t.active.has(row.entry)}
	left := width
	add := func(k Kind, text string, limit int) {
		text = display.Cut(text, max(0, min(limit, left)))
		if text == "" {
			return
		}
		left -= ansi.StringWidth(text)
		l.Segments = append(l.Segments, Segment{k, text})
	}
	add(KindCursor, cursor, width)
	add(KindGutter, t.gutter(r, (width/2-ansi.StringWidth(cursor+mark))/levelWidth), width)
	if l.Active {
		add(KindActive, mark, width)
	}
	if t.hides(row.entry) && row.kids > 0 {
		add(KindFold, "▸"+strconv.Itoa(int(row.kids))+" ", width)
	}
	if label := t.labels[row.entry]; label != "" {
		add(KindLabel, "["+display.Cut(display.Line(label, 0), left/2)+"] ", width)
	}
	if ok { // otherwise the next Update draws it anew
		add(t.class[row.entry].kind(), t.text(row.entry, e), width)
	}
	return l
}

// gutter is what stands before a row's text in at most so many levels.
func (t *Tree) gutter(r, levels int) string {
	row := t.rows[r]
	indent, levels := int(row.indent), max(0, levels)
	if indent == 0 || levels == 0 {
		return ""
	}
	from := hiddenLevels(indent, levels)
	cells := make([]string, indent-from)
	for i := range cells {
		cells[i] = "   "
	}
	// From head to head: the levels become fewer each time, so this ends after as many steps as
	// there is room for.
	for head := t.rows[t.rowOf[row.head]]; head.connector; {
		level := int(head.indent) - 1 - from
		if level < 0 {
			break
		}
		switch {
		case head.entry == row.entry && head.last:
			cells[level] = "└─ "
		case head.entry == row.entry:
			cells[level] = "├─ "
		case !head.last:
			cells[level] = "│  "
		}
		if head.above == none {
			break
		}
		head = t.rows[t.rowOf[t.rows[t.rowOf[head.above]].head]]
	}
	gutter := strings.Join(cells, "")
	if from > 0 {
		gutter = "…  " + gutter
	}
	return gutter
}

// hiddenLevels is how many of a row's levels have no room. It grows in steps of half the room, so
// that the rows of one neighbourhood leave out the same levels and their gutters meet.
func hiddenLevels(indent, levels int) int {
	if indent <= levels {
		return 0
	}
	room := levels - 1 // beside the mark
	step := max(1, room/2)
	return min(indent, (indent-room+step-1)/step*step)
}

// text is an entry's text, read when it is first drawn.
func (t *Tree) text(i int32, e session.Entry) string {
	text, ok := t.cache[i]
	if !ok {
		const many = 2000
		if len(t.cache) >= many {
			clear(t.cache)
		}
		text = t.lines.Entry(e)
		t.cache[i] = text
	}
	return text
}
