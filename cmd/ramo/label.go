package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
)

type labelled struct {
	ID       string `json:"id"`
	TargetID string `json:"targetId"`
	Label    string `json:"label"`
}

func newLabel() *cobra.Command {
	var clearIt bool
	cmd := &cobra.Command{
		Use:   "label SESSION ENTRY [TEXT]",
		Short: "Put a label on an entry, show it, or take it off",
		Long: `Put a label on an entry by appending a label entry at the leaf. Without a text the label that stands there is
printed; --clear takes it off.`,
		Example: "  ramo label - 5f27bef8 'before the rewrite'\n  ramo label - 'before the rewrite' --clear",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || clearIt && len(args) > 2 {
				return usage("usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: completeSessionEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			e, err := findEntry(s, args[1])
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			text := strings.Join(args[2:], " ")
			if len(args) == 2 && !clearIt {
				l := labelled{TargetID: e.ID(), Label: e.Label()}
				for _, on := range s.Labels() {
					if on.Target.Index() == e.Index() {
						l.ID = on.By.ID()
					}
				}
				if l.Label == "" {
					return answerNo{}
				}
				if wantsJSON(cmd) {
					return out.flushed(printJSON(out, l))
				}
				fmt.Fprintln(out, display.Line(l.Label, 0))
				return out.flushed(nil)
			}
			by, err := s.SetLabel(cmd.Context(), e.ID(), text)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, labelled{by.ID(), e.ID(), text}))
			}
			if text == "" {
				fmt.Fprintf(out, "No label on %s any more\n", display.Line(e.ID(), 0))
			} else {
				fmt.Fprintf(out, "[%s] on %s\n", display.Line(text, 0), display.Line(e.ID(), 0))
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().BoolVar(&clearIt, "clear", false, "take the label off")
	return cmd
}
