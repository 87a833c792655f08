package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

func newFork() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "fork SESSION",
		Short: "Copy the whole tree into a new session",
		Long: `Copy the whole tree into a new session, whose header names the old one as its parent. Its leaf is the last entry
of the file. The session itself is untouched.`,
		Example:           "  ramo fork -\n  ramo fork session.jsonl --output copy.jsonl",
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			if output == "" {
				output = session.NewPath(filepath.Dir(s.Path()), session.NewHeader(""))
			}
			n, err := s.Fork(cmd.Context(), output)
			if err != nil {
				return err
			}
			defer n.Close()
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, struct {
					Path string `json:"path"`
				}{n.Path()}))
			}
			fmt.Fprintf(out, "New session: %s\n", display.Line(n.Path(), 0))
			return out.flushed(nil)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}
