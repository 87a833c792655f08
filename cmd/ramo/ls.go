package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/internal/find"
	"github.com/ramo-dev/ramo/session"
)

type listed struct {
	Path         string `json:"path"`
	ID           string `json:"id"`
	Name         string `json:"name"`
	Cwd          string `json:"cwd"`
	Tool         string `json:"tool"`
	Created      string `json:"created"`
	Modified     string `json:"modified"`
	Messages     *int   `json:"messages"`
	Branches     *int   `json:"branches"`
	Bytes        int64  `json:"bytes"`
	FirstMessage string `json:"firstMessage"`
}

// countBudget is how many bytes ls reads to count messages and branches, which takes the whole
// file. The newest sessions come first; for the rest --count must ask.
const countBudget = 64 << 20

func newLs() *cobra.Command {
	var all, count bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the sessions of this directory, whichever tool made them",
		Long: `List the sessions of ramo, pi and oh-my-pi about this directory, last used first. Only the first lines of each
are read. Messages and branches are counted for as many as take no time; --count counts them all.`,
		Example: "  ramo ls\n  ramo ls --all --json | jq -r .path",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cwd, err := os.Getwd()
			if err != nil {
				return err
			}
			files, skipped := find.All()
			if !all {
				files = slices.DeleteFunc(files, func(f find.File) bool { return !find.SameDir(f.Cwd, cwd) })
			}
			out := newOutput(cmd)
			budget := int64(countBudget)
			var rows []listed
			for _, f := range files {
				row := listed{
					Path: f.Path, ID: f.ID, Name: f.Title, Cwd: f.Cwd, Tool: f.Tool, Created: stamp(f.Created), Modified: stamp(f.Modified),
					Bytes: f.Bytes, FirstMessage: f.FirstMessage,
				}
				if budget -= f.Bytes; count || budget >= 0 {
					row.count(cmd.Context())
				}
				if err := cmd.Context().Err(); err != nil {
					return out.flushed(err)
				}
				if wantsJSON(cmd) {
					if err := printJSON(out, row); err != nil {
						return err
					}
				} else {
					rows = append(rows, row)
				}
			}
			if !wantsJSON(cmd) {
				printList(out, rows, all)
				sayElse(out, files, skipped, all)
			}
			if len(files) == 0 {
				return out.flushed(answerNo{})
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "of every directory")
	cmd.Flags().BoolVar(&count, "count", false, "count the messages and branches of all, which reads them whole")
	return cmd
}

// count reads the whole session. One that cannot be read stays uncounted.
func (l *listed) count(ctx context.Context) {
	s, err := session.Open(ctx, l.Path, session.WithoutPosition())
	if err != nil {
		return
	}
	defer s.Close()
	messages, branches := s.Messages(), s.Counts().Branches
	l.Messages, l.Branches = &messages, &branches
	l.Name = s.Name()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// figuresFrom is the width from which a line has room for sizes beside the title, which matters more.
const figuresFrom = 90

func printList(out *output, rows []listed, all bool) {
	number := func(n *int) string {
		if n == nil {
			return "–"
		}
		return fmt.Sprint(*n)
	}
	for _, r := range rows {
		title := r.Name
		if title == "" {
			title = r.FirstMessage
		}
		title = display.Line(title, 400)
		if title == "" {
			title = "(no request yet)"
		}
		id := display.Line(r.ID, 80)
		if len(id) > 13 {
			id = id[:13]
		}
		t, _ := time.Parse(time.RFC3339, r.Modified)
		head := fmt.Sprintf("%-13s  %s  %-4s ", id, t.Local().Format("2006-01-02 15:04"), display.Line(r.Tool, 20))
		if out.columns() >= figuresFrom {
			head += fmt.Sprintf("%9s %6s msg %4s br", display.Bytes(r.Bytes), number(r.Messages), number(r.Branches))
		}
		head += "  "
		if all {
			title += out.style(faint, "  "+display.Line(r.Cwd, 200))
		}
		fmt.Fprintln(out, display.Cut(out.style(faint, head)+title, out.columns()))
	}
}

func sayElse(out *output, files []find.File, skipped find.Skipped, all bool) {
	if len(files) == 0 {
		if all {
			fmt.Fprintln(out, "No sessions found. 'ramo new' starts one.")
		} else {
			fmt.Fprintln(out, "No sessions about this directory. 'ramo ls --all' lists those of every directory.")
		}
	}
	var reasons []string
	for why, n := range skipped {
		reasons = append(reasons, fmt.Sprintf("%d %s", n, why))
	}
	slices.Sort(reasons)
	if len(reasons) > 0 {
		fmt.Fprintln(out, out.style(faint, "Passed over: "+strings.Join(reasons, ", ")))
	}
}
