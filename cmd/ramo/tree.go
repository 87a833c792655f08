package main

import (
	"fmt"
	"strings"

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
	cmd := &cobra.Command{
		Use:   "tree SESSION",
		Short: "Show the tree",
		Long: `Show the session's tree, one line an entry. The branch with the leaf comes first and is marked with •; labels
stand in [brackets].

Filters: default hides labels, settings and other bookkeeping; no-tools hides tool results too; user-only and
labeled-only show only those; all shows everything. With --json the nodes come depth first, oldest first, and the
filter is all unless one is given.`,
		Example:           "  ramo tree -\n  ramo tree session.jsonl --filter user-only --search 'parser cache'",
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
			v := treeView{out: out, session: s, show: show, words: strings.Fields(display.Fold(search)), here: -1, done: cmd.Context().Done()}
			if leaf, ok := s.Leaf(); ok {
				v.leaf = leaf.Index()
			} else {
				v.leaf = -1
			}
			if asJSON {
				err = v.printJSON()
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
	cmd.Flags().StringVar(&search, "search", "", "show only what has all these `words`")
	_ = cmd.RegisterFlagCompletionFunc("filter", cobra.FixedCompletions(filterNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

type treeView struct {
	out     *output
	session *session.Session
	show    func(n session.Node, leaf bool) bool
	words   []string
	leaf    int
	here    int // the leaf, or the nearest node above it that is shown
	lines   display.Lines
	shown   int
	done    <-chan struct{}
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

// shape is the tree of the nodes that are shown: those whose own parent is hidden hang from the
// nearest one above that is not. Its numbers are those of the entries.
type shape struct {
	first, next []int32
	roots       []int32
	active      []bool
	label       map[int32]string
}

const nothing = -1

func (v *treeView) shape() shape {
	n := v.session.Len()
	s := shape{first: make([]int32, n), next: make([]int32, n), active: make([]bool, n), label: map[int32]string{}}
	last := make([]int32, n)
	for i := range n {
		s.first[i], s.next[i], last[i] = nothing, nothing, nothing
	}
	// The way down to the node at hand: for each depth the nearest shown node.
	var way []int32
	for node := range v.session.Tree() {
		i := int32(node.Index())
		if v.stopped() {
			break // print finds out too
		}
		if int(i) >= n {
			continue // appended meanwhile
		}
		way = way[:min(node.Depth, len(way))]
		parent := int32(nothing)
		if node.Depth > 0 {
			parent = way[node.Depth-1]
		}
		s.active[i] = node.Active
		if !v.wanted(node) {
			way = append(way, parent)
			continue
		}
		way = append(way, i)
		if node.Label != "" {
			s.label[i] = node.Label
		}
		v.shown++
		if node.Active {
			v.here = node.Index()
		}
		switch {
		case parent == nothing:
			s.roots = append(s.roots, i)
		case last[parent] == nothing:
			s.first[parent], last[parent] = i, i
		default:
			s.next[last[parent]], last[parent] = i, i
		}
	}
	return s
}

// children are a node's, the one on the active path first.
func (s *shape) children(i int32) []int32 {
	if i == nothing {
		return activeFirst(s.roots, s.active)
	}
	var list []int32
	for c := s.first[i]; c != nothing; c = s.next[c] {
		list = append(list, c)
	}
	return activeFirst(list, s.active)
}

func activeFirst(list []int32, active []bool) []int32 {
	for k, i := range list {
		if active[i] {
			out := append([]int32{i}, list[:k]...)
			return append(out, list[k+1:]...)
		}
	}
	return list
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
	push := func(stack []row, parent int32, indent int, branched bool) []row {
		children := s.children(parent)
		several := len(children) > 1
		// Indent grows where a node has several children, and once more for the first generation
		// after that, so that a single chain stays flat.
		if several || branched && parent != nothing {
			indent++
		}
		for k := len(children) - 1; k >= 0; k-- {
			stack = append(stack, row{children[k], indent, several, k == len(children)-1})
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
	prefix := gutters(r, bars, width)
	e := v.session.At(int(r.node))
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
