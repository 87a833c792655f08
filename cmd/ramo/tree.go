package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

// treeNode is a node as --json prints it.
type treeNode struct {
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"`
	Type      string  `json:"type"`
	Role      string  `json:"role,omitempty"`
	Timestamp string  `json:"timestamp"`
	Label     string  `json:"label,omitempty"`
	Depth     int     `json:"depth"`
	Active    bool    `json:"active"`
	Leaf      bool    `json:"leaf"`
	Text      string  `json:"text"`
}

func newTree() *cobra.Command {
	var filter, search string
	var ids bool
	cmd := &cobra.Command{
		Use:   "tree SESSION",
		Short: "Show the tree",
		Long: `Show the session's tree, one line an entry. The branch with the leaf comes first and is marked with •; labels
stand in [brackets].

Filters: default hides labels, settings and other bookkeeping; no-tools hides tool results too; user-only and
labeled-only show only those; all shows everything. With --json the nodes come depth first, oldest first, and the
filter is all unless one is given.`,
		Example:           "  ramo tree - --ids\n  ramo tree session.jsonl --filter user-only --search 'parser cache'",
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON := wantsJSON(cmd)
			if filter == "" {
				filter = "default"
				if asJSON {
					filter = "all"
				}
			}
			show, err := filterNamed(filter)
			if err != nil {
				return err
			}
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			out := newOutput(cmd)
			v := newTreeView(cmd.Context(), out, s, show, search)
			v.ids = ids
			if asJSON {
				err = v.printJSON()
			} else if s.Len() == 0 {
				_, err = fmt.Fprintln(out, "No entries yet")
			} else {
				err = v.print()
			}
			if err == nil && v.shown == 0 && s.Len() > 0 {
				err = answerNo{}
			}
			return out.flushed(err)
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "default, no-tools, user-only, labeled-only or all")
	cmd.Flags().BoolVar(&ids, "ids", false, "show each entry's id")
	cmd.Flags().StringVar(&search, "search", "", "show only what has all these `words`")
	_ = cmd.RegisterFlagCompletionFunc("filter", cobra.FixedCompletions(filterNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// treeView prints a session's tree. Entries are known by their numbers.
type treeView struct {
	out     *output
	session *session.Session
	show    func(n session.Node, leaf bool) bool
	words   []string // that a node must have, folded
	leaf    int
	here    int  // the leaf, or the nearest node above it that is shown
	ids     bool // show them
	lines   display.Lines
	shown   int
	done    <-chan struct{}
}

func newTreeView(ctx context.Context, out *output, s *session.Session, show func(session.Node, bool) bool, search string) *treeView {
	v := &treeView{out: out, session: s, show: show, words: strings.Fields(display.Fold(search)), leaf: nothing, here: nothing, done: ctx.Done()}
	if leaf, ok := s.Leaf(); ok {
		v.leaf = leaf.Index()
	}
	return v
}

// wanted tells whether a node is shown.
func (v *treeView) wanted(n session.Node) bool {
	return v.show(n, n.Index() == v.leaf) && (len(v.words) == 0 || matches(v.words, n.Label, v.lines.Search(n.Entry)))
}

func (v *treeView) printJSON() error {
	for n := range v.session.Tree() {
		if v.stopped() {
			return v.interrupted()
		}
		if !v.wanted(n) {
			continue
		}
		v.shown++
		err := printJSON(v.out, treeNode{
			ID: n.ID(), ParentID: orNull(n.ParentID()), Type: n.Type(), Role: n.Role(), Timestamp: stamp(n.Time()), Label: n.Label,
			Depth: n.Depth, Active: n.Active, Leaf: n.Index() == v.leaf, Text: v.lines.Entry(n.Entry),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *treeView) stopped() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

func (v *treeView) interrupted() error { return fmt.Errorf("interrupted") }

const nothing = -1

// links are the children of every entry: the first, and of each the next.
type links struct{ first, last, next []int32 }

func newLinks(n int) links {
	l := links{make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)}
	for i := range n + 1 {
		l.first[i], l.last[i], l.next[i] = nothing, nothing, nothing
	}
	return l
}

// add hangs an entry from another, or from nothing, behind those that do already.
func (l *links) add(parent, i int32) {
	if l.first[parent+1] == nothing {
		l.first[parent+1] = i
	} else {
		l.next[l.last[parent+1]+1] = i
	}
	l.last[parent+1] = i
}

// push puts the children of an entry, or of nothing, on a stack, so that the first comes out first.
func (l *links) push(stack []int32, parent int32) []int32 {
	start := len(stack)
	for c := l.first[parent+1]; c != nothing; c = l.next[c+1] {
		stack = append(stack, c)
	}
	slices.Reverse(stack[start:])
	return stack
}

// shape is the tree of the nodes that are shown, in the order in which they are: those whose own
// parent is hidden hang from the nearest one above that is not.
type shape struct {
	links
	active, shown []bool
	label         map[int32]string
}

func (v *treeView) shape() shape {
	n := v.session.Len()
	s := shape{active: make([]bool, n), shown: make([]bool, n), label: map[int32]string{}}
	whole := newLinks(n)
	for node := range v.session.Tree() {
		i := int32(node.Index())
		if v.stopped() {
			break // print finds out too
		}
		if int(i) >= n {
			continue // appended meanwhile
		}
		parent := int32(nothing)
		if p, ok := node.Parent(); ok {
			parent = int32(p.Index())
		}
		whole.add(parent, i)
		s.active[i] = node.Active
		if s.shown[i] = v.wanted(node); !s.shown[i] {
			continue
		}
		v.shown++
		if node.Label != "" {
			s.label[i] = node.Label
		}
		if node.Active {
			v.here = node.Index()
		}
	}
	s.links = newLinks(n)
	above := make([]int32, n) // the nearest shown entry above
	stack := s.activeFirst(whole.push(nil, nothing), 0)
	for _, i := range stack {
		above[i] = nothing
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		from := above[i]
		if s.shown[i] {
			s.add(from, i)
			from = i
		}
		start := len(stack)
		stack = s.activeFirst(whole.push(stack, i), start)
		for _, c := range stack[start:] {
			above[c] = from
		}
	}
	return s
}

// activeFirst moves the sibling on the active path, if one is, to where a stack gives it out first.
func (s *shape) activeFirst(stack []int32, start int) []int32 {
	siblings := stack[start:]
	if k := slices.IndexFunc(siblings, func(i int32) bool { return s.active[i] }); k >= 0 {
		i := siblings[k]
		copy(siblings[k:], siblings[k+1:])
		siblings[len(siblings)-1] = i
	}
	return stack
}

// row is a node waiting to be printed.
type row struct {
	node     int32
	indent   int
	branched bool // its parent has several children
	last     bool // of those
}

func (v *treeView) print() error {
	s := v.shape()
	width := v.out.columns()
	var bars []bool // for each level of indent, whether a line goes on below
	var children []int32
	push := func(stack []row, parent int32, indent int, branched bool) []row {
		children = s.push(children[:0], parent) // the last one first
		several := len(children) > 1
		// Indent grows where a node has several children, and once more for the first generation
		// after that, so that a single chain stays flat.
		if several || branched && parent != nothing {
			indent++
		}
		for k, c := range children {
			stack = append(stack, row{c, indent, several, k == 0})
		}
		return stack
	}
	stack := push(nil, nothing, 0, false)
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for len(bars) < r.indent {
			bars = append(bars, false)
		}
		bars = bars[:r.indent]
		if r.branched {
			bars[r.indent-1] = !r.last
		}
		if err := v.line(&s, r, bars, width); err != nil {
			return err
		}
		if v.stopped() {
			return v.interrupted()
		}
		stack = push(stack, r.node, r.indent, r.branched)
	}
	return nil
}

func (v *treeView) line(s *shape, r row, bars []bool, width int) error {
	e := v.session.At(int(r.node))
	id, total := "", width
	if v.ids {
		id = fmt.Sprintf("%-8s  ", display.Cut(display.Line(e.ID(), 0), min(36, width/2))) // nearly all have 8
		width = max(width-ansi.StringWidth(id), 1)
	}
	prefix := gutters(r, bars, width)
	text := v.lines.Entry(e)
	mark, color := "  ", ""
	if s.active[r.node] {
		mark = "• "
	}
	switch {
	case e.Type() != session.TypeMessage:
		color = magenta
	case e.Failed() || e.Aborted():
		color = red
	case e.Role() == "user":
		color = green
	case e.Role() == "toolResult":
		color = cyan
	}
	label := ""
	if l := s.label[r.node]; l != "" {
		label = v.out.style(yellow, "["+display.Line(l, 200)+"]") + " "
	}
	end := ""
	if int(r.node) == v.here {
		if end = "  ← here"; width < 2*len(end) {
			end = ""
		}
		color = bold + ";" + color
	}
	line := v.out.style(faint, prefix) + v.out.style(yellow, mark) + label + v.out.style(strings.TrimSuffix(color, ";"), text)
	line = display.Cut(line, width-len([]rune(end))) + v.out.style(bold, end)
	if id != "" {
		line = display.Cut(v.out.style(faint, id)+line, total)
	}
	_, err := fmt.Fprintln(v.out, line)
	return err
}

// gutters draws what stands left of a node. At least 40 columns, or half the width, are left for
// text: older gutters collapse into one mark, by half the room at a time, so that those of one
// neighbourhood meet.
func gutters(r row, bars []bool, width int) string {
	const step, marks = 3, 4 // columns of a gutter; of what marks older ones and the active path
	room := max((width-marks-max(min(40, width), width/2))/step, 1)
	from := 0
	var b strings.Builder
	if more := len(bars) - room; more > 0 {
		leap := max(room/2, 1)
		from = min((more+leap-1)/leap*leap, len(bars)-1)
		b.WriteString("… ")
	}
	for k := from; k < len(bars); k++ {
		switch {
		case k == len(bars)-1 && r.branched && r.last:
			b.WriteString("└─ ")
		case k == len(bars)-1 && r.branched:
			b.WriteString("├─ ")
		case bars[k]:
			b.WriteString("│  ")
		default:
			b.WriteString("   ")
		}
	}
	return b.String()
}
