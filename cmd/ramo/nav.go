package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
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
	return &cobra.Command{
		Use:   "nav SESSION ENTRY",
		Short: "Move to an entry; the next one grows from there",
		Long: `Move to an entry of the session and keep the position. A request (a user message, or a message of an extension)
is for putting again: the move goes to before it, and its text is printed. Nothing is written to the session.`,
		Example:           "  ramo nav - 5f27bef8\n  ramo nav - 'before the rewrite'",
		Args:              exactly(2),
		ValidArgsFunction: completeSessionEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			target, err := s.Find(args[1])
			if err != nil {
				return err
			}
			n, err := navigate(s, target)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, n))
			}
			return out.flushed(n.print(out, s))
		},
	}
}

// navigate moves as section 9 says, without a summary.
func navigate(s *session.Session, target session.Entry) (navigated, error) {
	old, _ := s.Leaf()
	n := navigated{OldLeaf: orNull(old.ID()), NewLeaf: orNull(old.ID())}
	if target.ID() == old.ID() {
		return n, nil
	}
	to := target
	text, again, err := editorText(target)
	if err != nil {
		return n, err
	}
	if again {
		n.EditorText = &text
		to, _ = target.Parent()
	}
	if to.IsZero() {
		s.ResetLeaf()
	} else if err := s.BranchTo(to.ID()); err != nil {
		return n, err
	}
	n.NewLeaf = orNull(to.ID())
	return n, s.SavePosition()
}

// editorText is the text of a request that is to be put again; again is false for other entries.
func editorText(e session.Entry) (text string, again bool, err error) {
	if e.Role() != message.RoleUser && e.Type() != session.TypeCustomMessage {
		return "", false, nil
	}
	body, err := e.Body()
	if err != nil {
		return "", false, err
	}
	switch b := body.(type) {
	case session.Message:
		return b.Message.Text(), true, nil
	case session.CustomMessage:
		return b.Text(), true, nil
	}
	return "", true, nil
}

func (n navigated) print(out *output, s *session.Session) error {
	if n.EditorText == nil && (n.OldLeaf == nil) == (n.NewLeaf == nil) && (n.OldLeaf == nil || *n.OldLeaf == *n.NewLeaf) {
		fmt.Fprintln(out, "Already at this point")
		return nil
	}
	if e, ok := s.Leaf(); ok {
		fmt.Fprintf(out, "Now at %s  %s\n", display.Line(e.ID(), 0), new(display.Lines).Entry(e))
	} else {
		fmt.Fprintln(out, "Now before the first entry: the next one will be a root")
	}
	if n.EditorText != nil {
		fmt.Fprintf(out, "\n%s\n", display.Text(*n.EditorText))
	}
	return nil
}
