package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/session"
)

type appended struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parentId"`
}

func newAppend() *cobra.Command {
	var leaf string
	cmd := &cobra.Command{
		Use:   "append SESSION",
		Short: "Append entries from standard input at the leaf",
		Long: `Read entries from standard input, JSON, one a line, without id, parentId and timestamp, and append each at the
leaf. Each one's id is printed once it is on the disk. A line that is refused ends the command; those before it stay.`,
		Example:           `  echo '{"type":"message","message":{"role":"user","content":"hello"}}' | ramo append -`,
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := openSession(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			switch leaf {
			case "":
			case "root":
				s.ResetLeaf()
			default:
				e, err := s.Find(leaf)
				if err != nil {
					return err
				}
				if err := s.BranchTo(e.ID()); err != nil {
					return err
				}
			}
			out := newOutput(cmd)
			in := bufio.NewReaderSize(cmd.InOrStdin(), 1<<20)
			for n := 1; ; n++ {
				line, err := in.ReadBytes('\n')
				if err != nil && err != io.EOF {
					return out.flushed(fmt.Errorf("standard input: %w", err))
				}
				last := err == io.EOF
				if line = bytes.TrimSpace(line); len(line) > 0 {
					e, err := s.Append(ctx, session.RawBody(line))
					if err != nil {
						return out.flushed(fmt.Errorf("line %d of standard input: %w", n, err))
					}
					if err := printAppended(out, e, wantsJSON(cmd)); err != nil {
						return err
					}
				}
				if last {
					return out.flushed(nil)
				}
			}
		},
	}
	leafFlag(cmd, &leaf)
	return cmd
}

func printAppended(out *output, e session.Entry, asJSON bool) error {
	if !asJSON {
		fmt.Fprintln(out, e.ID())
	} else if err := printJSON(out, appended{e.ID(), orNull(e.ParentID())}); err != nil {
		return err
	}
	return out.Flush()
}

func leafFlag(cmd *cobra.Command, leaf *string) {
	cmd.Flags().StringVar(leaf, "leaf", "", "stand at this `entry` instead of the leaf; root: before the first one")
	_ = cmd.RegisterFlagCompletionFunc("leaf", func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeEntry(cmd, args[0], toComplete)
	})
}
