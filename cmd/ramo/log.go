package main

import (
	"github.com/spf13/cobra"
)

func newLog() *cobra.Command {
	var leaf string
	cmd := &cobra.Command{
		Use:   "log SESSION",
		Short: "Print the entries from the root to the leaf, raw, one a line",
		Long: `Print the entries on the way from the root to the leaf, as they stand in the file, one a line. The bytes are
those of the file, so --json changes nothing.`,
		Example:           "  ramo log - | tail -n 1 | jq .message\n  ramo log session.jsonl --leaf 'first try'",
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			from, none, err := leafOf(s, leaf)
			if err != nil || none {
				return err
			}
			out := newOutput(cmd)
			for e, err := range s.Branch(from) {
				if err == nil {
					err = cmd.Context().Err()
				}
				if err != nil {
					return out.flushed(err)
				}
				if err := printRaw(out, e); err != nil {
					return out.flushed(err)
				}
			}
			return out.flushed(nil)
		},
	}
	leafFlag(cmd, &leaf)
	return cmd
}
