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
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/session"
)

type listed struct {
	Path          string `json:"path"`
	ID            string `json:"id"`
	Name          string `json:"name"`
	Cwd           string `json:"cwd"`
	Tool          string `json:"tool"`
	Created       string `json:"created"`
	Modified      string `json:"modified"`
	Messages      *int   `json:"messages"`
	Branches      *int   `json:"branches"`
	Bytes         int64  `json:"bytes"`
	FirstMessage  string `json:"firstMessage"`
	Labels        int    `json:"labels,omitempty"`
	ParentSession string `json:"parentSession,omitempty"`
}

// countBudget is how many bytes ls reads to count messages and branches, which takes the whole
// file. The newest sessions come first; for the rest --count must ask, or the search index know.
const countBudget = 64 << 20

func newLs() *cobra.Command {
	var all, count, families bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the sessions of this directory, whichever tool made them",
		Long: `List the sessions of ramo, pi and oh-my-pi about this directory, last used first. Only the first and last lines of
each are read. How many messages and branches there are is told where the search index knows it, and counted for as
many as take no time; --count counts them all. docs/library.md says where sessions are looked for.`,
		Example: "  ramo ls\n  ramo ls --all --families\n  ramo ls --all --json | jq -r .path",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			cwd, err := os.Getwd()
			if err != nil {
				return err
			}
			lib, err := shelf()
			if err != nil {
				return err
			}
			index := openIndexIfThere()
			defer index.Close()
			out := newOutput(cmd)
			budget := int64(countBudget)
			list := lib.List(library.ListOptions{Dir: cwd, Only: !all, Index: index})
			if all {
				list = lib.List(library.ListOptions{Index: index})
			}
			shown := 0
			print := func(i library.Item, depth int) error {
				shown++
				if !i.Known {
					if budget -= i.Bytes; count || budget >= 0 {
						countMessages(ctx, &i)
					}
				}
				if wantsJSON(cmd) {
					return printJSON(out, listedOf(i))
				}
				printItem(out, i, depth, all)
				if out.width > 0 {
					return out.Flush() // someone is waiting for the first screen
				}
				return nil
			}
			var items []library.Item
			for i := range list.Sessions(ctx) {
				if families {
					items = append(items, i)
				} else if err := print(i, 0); err != nil {
					return err
				}
			}
			for _, p := range library.Families(items) {
				if err := ctx.Err(); err != nil {
					return out.flushed(err)
				}
				if err := print(p.Item, p.Depth); err != nil {
					return err
				}
			}
			if err := list.Err(); err != nil {
				return out.flushed(err)
			}
			if !wantsJSON(cmd) {
				sayElse(out, shown, list.Skipped(), all)
			}
			if shown == 0 {
				return out.flushed(answerNo{})
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "of every directory")
	cmd.Flags().BoolVar(&count, "count", false, "count the messages and branches of all, which reads them whole")
	cmd.Flags().BoolVarP(&families, "families", "f", false, "put forks below the session they came from")
	return cmd
}

// countMessages reads the whole session. One that cannot be read stays uncounted.
func countMessages(ctx context.Context, i *library.Item) {
	s, err := session.Open(ctx, i.Path, session.WithoutPosition())
	if err != nil {
		return
	}
	defer s.Close()
	i.Known, i.Messages, i.Branches, i.Labels = true, s.Messages(), s.Counts().Branches, len(s.Labels())
	i.Name = s.Name()
}

func listedOf(i library.Item) listed {
	l := listed{
		Path: i.Path, ID: i.ID, Name: i.Name, Cwd: i.Cwd, Tool: i.Tool, Created: stamp(i.Created), Modified: stamp(i.Modified),
		Bytes: i.Bytes, FirstMessage: i.Request, ParentSession: i.Parent,
	}
	if i.Known {
		l.Messages, l.Branches, l.Labels = &i.Messages, &i.Branches, i.Labels
	}
	return l
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// figuresFrom is the width from which a line has room for sizes beside the title, which matters more.
const figuresFrom = 90

func printItem(out *output, i library.Item, depth int, all bool) {
	number := func(n int) string {
		if !i.Known {
			return "–"
		}
		return fmt.Sprint(n)
	}
	title := display.Line(i.Title(), 400)
	if title == "" {
		title = "(no request yet)"
	}
	if depth > 0 {
		title = strings.Repeat("  ", min(depth, 10)-1) + "└ " + title
	}
	head := fmt.Sprintf("%-13s  %s  %-4s ", shortID(i.ID), i.Modified.Local().Format("2006-01-02 15:04"), display.Line(i.Tool, 20))
	if out.columns() >= figuresFrom {
		head += fmt.Sprintf("%9s %6s msg %4s br", display.Bytes(i.Bytes), number(i.Messages), number(i.Branches))
	}
	head += "  "
	if all {
		title += out.style(faint, "  "+display.Line(i.Cwd, 200))
	}
	fmt.Fprintln(out, display.Cut(out.style(faint, head)+title, out.columns()))
}

// shortID is the part of an id that tells sessions apart and fits a line.
func shortID(id string) string {
	id = display.Line(id, 80)
	if len(id) > 13 {
		id = id[:13]
	}
	return id
}

func sayElse(out *output, shown int, skipped library.Skipped, all bool) {
	if shown == 0 {
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
