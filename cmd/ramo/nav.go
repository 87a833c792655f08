package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

type navigated struct {
	OldLeaf      *string `json:"oldLeaf"`
	NewLeaf      *string `json:"newLeaf"`
	EditorText   *string `json:"editorText,omitempty"`
	SummaryEntry *string `json:"summaryEntry,omitempty"`
	Cancelled    bool    `json:"cancelled"`
}

func newNav() *cobra.Command {
	var o agent.NavigateOptions
	cmd := &cobra.Command{
		Use:   "nav SESSION ENTRY",
		Short: "Move to an entry; the next one grows from there",
		Long: `Move to an entry of the session and keep the position. A request (a user message, or a message of an extension)
is for putting again: the move goes to before it, and its text is printed. Nothing is written to the session, but for
the summary that --summarize asks for: what the path that is left has taught, at the new position. --model
ramo/extract writes it without a model.`,
		Example:           "  ramo nav - 5f27bef8\n  ramo nav - 'before the rewrite' --summarize",
		Args:              exactly(2),
		ValidArgsFunction: completeSessionEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !o.Summarize && (o.Instructions != "" || o.SummaryModel != "") {
				return usage("--instructions and --model go with --summarize")
			}
			a, err := openLive(cmd, args[0], "")
			if err != nil {
				return err
			}
			defer a.Close()
			target, err := findEntry(a.Session(), args[1])
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			if !wantsJSON(cmd) {
				a.Listen(func(e agent.Event) { printEvent(out, cmd.ErrOrStderr(), e) })
			}
			n, err := a.NavigateTree(cmd.Context(), target.ID(), o)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, navigatedOf(n)))
			}
			return out.flushed(navigatedOf(n).print(out, a.Session()))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Summarize, "summarize", false, "carry along what the path that is left has taught")
	f.StringVar(&o.Instructions, "instructions", "", "what the summary should look to")
	modelFlag(cmd, &o.SummaryModel)
	return cmd
}

func navigatedOf(n agent.Navigation) navigated {
	out := navigated{OldLeaf: orNull(n.OldLeaf), NewLeaf: orNull(n.NewLeaf), SummaryEntry: orNull(n.SummaryEntry.ID()), Cancelled: n.Cancelled}
	if n.Again {
		out.EditorText = &n.EditorText
	}
	return out
}

func (n navigated) print(out *output, s *session.Session) error {
	if n.EditorText == nil && (n.OldLeaf == nil) == (n.NewLeaf == nil) && (n.OldLeaf == nil || *n.OldLeaf == *n.NewLeaf) {
		fmt.Fprintln(out, "Already at this point")
		return nil
	}
	if e, ok := s.Leaf(); ok {
		at := fmt.Sprintf("Now at %s  %s", display.Line(e.ID(), 0), new(display.Lines).Entry(e))
		fmt.Fprintln(out, display.Cut(at, max(out.columns(), 40)))
	} else {
		fmt.Fprintln(out, "Now before the first entry: the next one will be a root")
	}
	if n.EditorText != nil {
		fmt.Fprintf(out, "\n%s\n", display.Text(*n.EditorText))
	}
	return nil
}
