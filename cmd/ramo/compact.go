package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

func newCompact() *cobra.Command {
	var modelName, instructions string
	cmd := &cobra.Command{
		Use:   "compact SESSION",
		Short: "Summarise the start of the context, to make room",
		Long: `Append a compaction at the leaf: a summary that stands in for the start of the context. The newest messages are
kept as they are. Nothing is removed from the session. --model ramo/extract makes it without a model.`,
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := openLive(cmd, args[0], modelName)
			if err != nil {
				return err
			}
			defer a.Close()
			out := newOutput(cmd)
			a.Listen(func(e agent.Event) {
				if !wantsJSON(cmd) {
					printEvent(out, cmd.ErrOrStderr(), e)
				}
			})
			e, err := a.Compact(cmd.Context(), instructions)
			if err != nil {
				return err
			}
			body, err := e.Body()
			if err != nil {
				return err
			}
			c, _ := body.(session.Compaction)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, struct {
					ID               string `json:"id"`
					FirstKeptEntryID string `json:"firstKeptEntryId"`
					TokensBefore     int64  `json:"tokensBefore"`
					Summary          string `json:"summary"`
				}{e.ID(), c.FirstKeptEntryID, c.TokensBefore, c.Summary}))
			}
			fmt.Fprintf(out, "Compacted %s tokens; kept from %s on.\n\n%s\n", display.Tokens(c.TokensBefore), display.Line(c.FirstKeptEntryID, 100), display.Text(c.Summary))
			return out.flushed(nil)
		},
	}
	modelFlag(cmd, &modelName)
	cmd.Flags().StringVar(&instructions, "instructions", "", "what the summary should look to")
	return cmd
}
