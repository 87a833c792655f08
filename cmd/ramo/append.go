package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
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
				e, err := findEntry(s, leaf)
				if err != nil {
					return err
				}
				if err := s.BranchTo(e.ID()); err != nil {
					return err
				}
			}
			out := newOutput(cmd)
			for in := range inputLines(ctx, cmd.InOrStdin()) {
				if in.err != nil {
					return out.flushed(fmt.Errorf("reading line %d of standard input: %w", in.number, in.err))
				}
				e, err := s.Append(ctx, session.RawBody(in.text))
				if err != nil {
					return out.flushed(fmt.Errorf("line %d of standard input: %w", in.number, err))
				}
				if err := printAppended(out, e, wantsJSON(cmd)); err != nil {
					return err
				}
			}
			return out.flushed(ctx.Err())
		},
	}
	leafFlag(cmd, &leaf)
	return cmd
}

// inputLine is a line that is not blank, or the error that ended the reading.
type inputLine struct {
	number int
	text   []byte
	err    error
}

// inputLines reads lines of any length. Reading from a terminal or a pipe cannot be interrupted, so a
// goroutine does it, and the channel ends when ctx does.
func inputLines(ctx context.Context, r io.Reader) iter.Seq[inputLine] {
	read := make(chan inputLine)
	go func() {
		defer close(read)
		in := bufio.NewReaderSize(r, 1<<20)
		for n := 1; ; n++ {
			text, err := in.ReadBytes('\n')
			last := err == io.EOF
			if last {
				err = nil
			}
			if text = bytes.TrimSpace(text); len(text) > 0 || err != nil {
				select {
				case read <- inputLine{n, text, err}:
				case <-ctx.Done():
					return
				}
			}
			if last || err != nil {
				return
			}
		}
	}()
	return func(yield func(inputLine) bool) {
		for {
			select {
			case l, ok := <-read:
				if !ok || !yield(l) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func printAppended(out *output, e session.Entry, asJSON bool) error {
	if !asJSON {
		fmt.Fprintln(out, display.Line(e.ID(), 0))
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
