package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

func newMv() *cobra.Command {
	return &cobra.Command{
		Use:   "mv SESSION DESTINATION",
		Short: "Give a session's file another place",
		Long: `Give a session's file another place: a folder, or a new name that ends in .jsonl. The artifacts that omp keeps beside
it and the saved position go along. Nothing is overwritten.`,
		Example: "  ramo mv 019cd1de ~/archive/\n  ramo mv session.jsonl parser.jsonl",
		Args:    exactly(2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeSession(cmd, args, toComplete)
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := resolve(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if args[1] == "" {
				return usage("the destination is empty")
			}
			to, err := library.Move(cmd.Context(), path, args[1])
			if errors.Is(err, fs.ErrNotExist) && to == "" {
				return fmt.Errorf("%w: 'ramo ls' lists the sessions there are", err)
			} else if err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, struct {
					Path string `json:"path"`
				}{to}))
			}
			fmt.Fprintln(out, display.Line(to, 0))
			return out.flushed(nil)
		},
	}
}
