package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
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
			show, err := treeview.ParseFilter(filter)
			if err != nil {
				return usage("--filter: %w", err)
			}
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			out := newOutput(cmd)
			shown := 0
			if asJSON {
				shown, err = printNodes(cmd.Context(), out, s, show, search)
			} else if s.Len() == 0 {
				_, err = fmt.Fprintln(out, "No entries yet")
			} else {
				shown, err = printTree(cmd.Context(), out, s, show, search, ids)
			}
			if err == nil && shown == 0 && s.Len() > 0 {
				err = answerNo{}
			}
			return out.flushed(err)
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "default, no-tools, user-only, labeled-only or all")
	cmd.Flags().BoolVar(&ids, "ids", false, "show each entry's id")
	cmd.Flags().StringVar(&search, "search", "", "show only what has all these `words`")
	_ = cmd.RegisterFlagCompletionFunc("filter", cobra.FixedCompletions([]string{"default", "no-tools", "user-only", "labeled-only", "all"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// printNodes prints the nodes that a filter and a search leave, an object a line, depth first and
// children from the oldest to the newest. It tells how many.
func printNodes(ctx context.Context, out *output, s *session.Session, show treeview.Filter, search string) (shown int, err error) {
	leaf := ""
	if e, ok := s.Leaf(); ok {
		leaf = e.ID()
	}
	found := treeview.NewMatcher(search)
	var lines display.Lines
	for n := range s.Tree() {
		if ctx.Err() != nil {
			return shown, errInterrupted
		}
		if !show.Shows(n.Entry, n.Label, n.ID() == leaf) || !found.Matches(n.Entry, n.Label) {
			continue
		}
		shown++
		err := printJSON(out, treeNode{
			ID: n.ID(), ParentID: orNull(n.ParentID()), Type: n.Type(), Role: n.Role(), Timestamp: stamp(n.Time()), Label: n.Label,
			Depth: n.Depth, Active: n.Active, Leaf: n.ID() == leaf, Text: lines.Entry(n.Entry),
		})
		if err != nil {
			return shown, err
		}
	}
	return shown, nil
}

var errInterrupted = errors.New("interrupted")

// printTree prints the selector's rows, and tells how many.
func printTree(ctx context.Context, out *output, s *session.Session, show treeview.Filter, search string, ids bool) (shown int, err error) {
	t := treeview.New(s)
	t.SetFilter(show)
	if t.Search(ctx, search) != nil {
		return 0, errInterrupted
	}
	total := out.columns()
	width := total
	if ids {
		width = max(total-10, 1) // nearly all ids have 8 characters
	}
	for l := range t.Lines(width) {
		if ctx.Err() != nil {
			return shown, errInterrupted
		}
		shown++
		line := ""
		for _, part := range l.Segments {
			line += out.style(colours[part.Kind], part.Text)
		}
		end := ""
		if l.Selected && l.Active { // the leaf, or the nearest above it that is shown
			if end = "  ← here"; width < 2*len(end) {
				end = ""
			}
		}
		line = display.Cut(line, width-ansi.StringWidth(end)) + out.style(bold, end)
		if ids {
			id := fmt.Sprintf("%-8s  ", display.Cut(display.Line(l.Entry.ID(), 0), min(36, total/2)))
			line = display.Cut(out.style(faint, id)+line, total)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return shown, err
		}
	}
	return shown, nil
}

// colours are those of the pieces of a line; the others have the terminal's own.
var colours = map[treeview.Kind]string{
	treeview.KindGutter:      faint,
	treeview.KindActive:      yellow,
	treeview.KindLabel:       yellow,
	treeview.KindUser:        green,
	treeview.KindError:       red,
	treeview.KindTool:        cyan,
	treeview.KindSummary:     magenta,
	treeview.KindCustom:      magenta,
	treeview.KindBookkeeping: magenta,
}
