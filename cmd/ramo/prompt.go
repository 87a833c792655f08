package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/rpc"
)

func newPrompt() *cobra.Command {
	var modelName string
	cmd := &cobra.Command{
		Use:   "prompt SESSION [TEXT]",
		Short: "Put one request to the model at the leaf",
		Long: `Put a request to the model at the leaf and print the answer as it comes. Without a text it is read from standard
input. The request is in the session before the model is asked; what arrives is kept even if you interrupt. With
--json the events are printed, one a line.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if len(args) == 1 {
				b, err := io.ReadAll(cmd.InOrStdin())
				if err != nil {
					return fmt.Errorf("standard input: %w", err)
				}
				text = strings.TrimSpace(string(b))
			}
			if text == "" {
				return usage("the request is empty")
			}
			a, err := openLive(cmd, args[0], modelName)
			if err != nil {
				return err
			}
			defer a.Close()
			out := newOutput(cmd)
			asJSON := wantsJSON(cmd)
			a.Listen(func(e agent.Event) {
				if asJSON {
					_ = printJSON(out, rpc.EventOf(e))
				} else {
					printEvent(out, cmd.ErrOrStderr(), e)
				}
				_ = out.Flush()
			})
			_, err = a.Prompt(cmd.Context(), text)
			return out.flushed(err)
		},
	}
	modelFlag(cmd, &modelName)
	return cmd
}

// printEvent prints the answer's text on out, and what happens besides on side.
func printEvent(out *output, side io.Writer, e agent.Event) {
	switch e.Type {
	case agent.TextDelta:
		fmt.Fprint(out, display.Text(e.Text))
	case agent.AnswerEnd:
		if e.Entry.HasText() {
			fmt.Fprintln(out)
		}
	case agent.ToolStart:
		fmt.Fprintln(side, display.Line(display.Call(e.Call), 400))
	case agent.Retry:
		fmt.Fprintf(side, "retry %d in %v: %s\n", e.Attempt, e.Delay, display.Line(e.Text, 400))
	case agent.SummaryStart:
		fmt.Fprintf(side, "summarizing with %s\n", display.Line(e.Text, 100))
	case agent.Notice, agent.ExtensionTrouble:
		fmt.Fprintln(side, "ramo: "+display.Line(e.Text, 0))
	}
}
