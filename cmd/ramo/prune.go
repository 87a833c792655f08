package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

func newPrune() *cobra.Command {
	var older string
	var dryRun, yes, here bool
	cmd := &cobra.Command{
		Use:   "prune --older TIME",
		Short: "Put sessions into the trash that were not used for long",
		Long: `Put the sessions into the trash that were last used before a time, of every tool and directory, with the artifacts of
each. --dry-run shows which those are, and does nothing. It asks first, unless --yes is given.`,
		Example: "  ramo prune --older 6m --dry-run\n  ramo prune --older 2025-01-01 --here --yes",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if older == "" {
				return usage("say what is old: --older 6m, --older 2025-01-01")
			}
			before, err := library.ParseTime(older, time.Now())
			if err != nil {
				return usage("--older %w", err)
			}
			items, err := notUsedSince(cmd, before, here)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			switch {
			case len(items) == 0:
				if !wantsJSON(cmd) {
					fmt.Fprintln(out, "None is that old.")
				}
				return out.flushed(answerNo{})
			case !dryRun:
				return trashAll(cmd, items, yes)
			}
			total := int64(0)
			for _, i := range items {
				total += i.Bytes
				if wantsJSON(cmd) {
					if err := printJSON(out, listedOf(i)); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintln(out, display.Cut(sessionLine(i), out.columns()))
			}
			if !wantsJSON(cmd) {
				fmt.Fprintf(out, "%s, %s: nothing was done\n", counted(int64(len(items)), "session"), display.Bytes(total))
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().StringVar(&older, "older", "", "those last used before this `time`: 2025-01-01, 30d, 8w, 6m, 1y")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only show which sessions those are")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVarP(&here, "here", "C", false, "only sessions about this directory")
	return cmd
}

// notUsedSince are the sessions whose files were last changed before a time.
func notUsedSince(cmd *cobra.Command, before time.Time, here bool) (items []library.Item, err error) {
	lib, err := shelf()
	if err != nil {
		return nil, err
	}
	var o library.ListOptions
	if here {
		if o.Dir, err = os.Getwd(); err != nil {
			return nil, err
		}
		o.Only = true
	}
	list := lib.List(o)
	for i := range list.Sessions(cmd.Context()) {
		if i.Modified.Before(before) {
			items = append(items, i)
		}
	}
	return items, list.Err()
}
