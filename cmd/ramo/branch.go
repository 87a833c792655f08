package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

type branched struct {
	Path       string `json:"path"`
	EditorText string `json:"editorText"`
}

func newBranch() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "branch SESSION ENTRY",
		Short: "Take the branch up to a request out into a new session",
		Long: `Make a new session file that holds the way from the root to before a user message, with its labels. The message's
text is printed, to be put again there. The session itself is untouched.`,
		Example:           "  ramo branch - 5f27bef8\n  ramo branch session.jsonl 'first try' --output try.jsonl",
		Args:              exactly(2),
		ValidArgsFunction: completeSessionEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := openSession(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			e, err := findEntry(s, args[1])
			if err != nil {
				return err
			}
			if e.Role() != message.RoleUser {
				return fmt.Errorf("entry %s is no user message but %q: a branch starts at a request; 'ramo tree --ids --filter user-only' shows them", e.ID(), display.Cut(new(display.Lines).Entry(e), 60))
			}
			m, err := e.Message()
			if err != nil {
				return err
			}
			path, err := branchAt(ctx, s, e, output)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, branched{path, m.Text()}))
			}
			fmt.Fprintf(out, "New session: %s\n\n%s\n", display.Line(path, 0), display.Text(m.Text()))
			return out.flushed(nil)
		},
	}
	outputFlag(cmd, &output)
	return cmd
}

// branchAt makes the new session. A request that nothing comes before starts an empty one.
func branchAt(ctx context.Context, s *session.Session, e session.Entry, output string) (string, error) {
	h := session.NewHeader(s.Header().Cwd)
	if output == "" {
		output = session.NewPath(filepath.Dir(s.Path()), h)
	}
	if parent, ok := e.Parent(); ok {
		n, err := s.CreateBranchedSession(ctx, parent.ID(), output)
		if err != nil {
			return "", err
		}
		return n.Path(), n.Close()
	}
	h.ParentSession = s.Path()
	n, err := session.Create(output, h)
	if err != nil {
		return "", err
	}
	if err := n.WriteHeader(ctx); err != nil {
		return "", err
	}
	return n.Path(), n.Close()
}

func outputFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "output", "o", "", "the new `file`; by default one beside the old")
}
