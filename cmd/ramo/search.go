package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

type foundEntry struct {
	Path      string   `json:"path"`
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Cwd       string   `json:"cwd"`
	Tool      string   `json:"tool"`
	Entry     *string  `json:"entry"`
	Role      string   `json:"role"`
	Timestamp string   `json:"timestamp"`
	Label     string   `json:"label,omitempty"`
	Snippet   string   `json:"snippet"`
	Matches   [][2]int `json:"matches"`
}

func newSearch() *cobra.Command {
	var limit int
	var here, output bool
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search what was said in all sessions",
		Long: `Search the requests, answers, summaries, labels and names of all sessions, the commands that were run and the files
that were touched. All words of the query must stand in one entry; the best hits come first, each with its session and
the entry's id.

A query is words, "phrases" (in quotes that the shell leaves) and the starts of words (pars*), and, each with a word or
a phrase behind it: label:, file:, tool:, cwd: (a directory or a part of its path), role: (user, assistant, summary,
label, session, bash, tool) and since: (2026-03-09, yesterday, 12h, 7d, 2w, 3m, 1y).

The index that this needs is in the cache directory, and brought up to date first. It holds no likely passwords or keys.
What tools printed is not in it, until --index-tool-output is given once; --index-tool-output=false takes it out.`,
		Example: "  ramo search parser coupon\n  ramo search '\"rounding error\" file:cart.go since:2w'\n  ramo search label:diagnosis --json | jq -r .path",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !cmd.Flags().Changed("index-tool-output") {
				return usage("usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if limit < 1 {
				return usage("--limit must be at least 1")
			}
			index, err := library.OpenIndex("")
			if err != nil {
				return err
			}
			defer index.Close()
			if cmd.Flags().Changed("index-tool-output") {
				if err := index.SetToolOutput(ctx, output); err != nil {
					return err
				}
			}
			if err := updateIndex(cmd, index); err != nil || len(args) == 0 {
				return err
			}
			o := library.SearchOptions{Limit: limit}
			if here {
				if o.Dir, err = os.Getwd(); err != nil {
					return err
				}
			}
			hits, err := index.Search(ctx, strings.Join(args, " "), o)
			if errors.Is(err, library.ErrQuery) {
				return usageError{err}
			} else if err != nil {
				return err
			}
			out := newOutput(cmd)
			before := ""
			for _, h := range hits {
				if wantsJSON(cmd) {
					if err := printJSON(out, foundEntryOf(h)); err != nil {
						return err
					}
					continue
				}
				if h.Item.Path != before {
					printFoundSession(out, h.Item)
				}
				before = h.Item.Path
				printHit(out, h)
			}
			if len(hits) == 0 {
				if !wantsJSON(cmd) {
					fmt.Fprintln(out, "Nothing found.")
				}
				return out.flushed(answerNo{})
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "show no more hits than this `number`")
	cmd.Flags().BoolVarP(&here, "here", "C", false, "only in sessions about this directory")
	cmd.Flags().BoolVar(&output, "index-tool-output", false, "have what tools printed in the index too, from now on")
	return cmd
}

// updateIndex brings the index up to date. When that takes a while, a bar on the terminal shows how
// far it has come.
func updateIndex(cmd *cobra.Command, index *library.Index) error {
	lib, err := shelf()
	if err != nil {
		return err
	}
	const large = 16 << 20
	shown := int64(-1) // the percentage that stands there
	var progress func(done, total int64)
	if term.IsTerminal(os.Stderr.Fd()) {
		progress = func(done, total int64) {
			if percent := done * 100 / max(total, 1); total > large && percent != shown {
				const width = 30
				full := int(percent * width / 100)
				fmt.Fprintf(os.Stderr, "\rindexing sessions %s%s %d %% of %s ", strings.Repeat("█", full), strings.Repeat("░", width-full), percent, display.Bytes(total))
				shown = percent
			}
		}
	}
	err = index.Update(cmd.Context(), lib, progress)
	if shown >= 0 {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	return err
}

func foundEntryOf(h library.Hit) foundEntry {
	f := foundEntry{
		Path: h.Item.Path, ID: h.Item.ID, Name: h.Item.Name, Cwd: h.Item.Cwd, Tool: h.Item.Tool, Entry: orNull(h.EntryID), Role: h.Role,
		Timestamp: stamp(h.Time), Label: h.Label, Snippet: h.Snippet, Matches: h.Matches,
	}
	if f.Matches == nil {
		f.Matches = [][2]int{}
	}
	return f
}

func printFoundSession(out *output, i library.Item) {
	head := fmt.Sprintf("%-13s  %s  %-4s  ", shortID(i.ID), i.Modified.Local().Format("2006-01-02 15:04"), display.Line(i.Tool, 20))
	title := display.Line(i.Title(), 400)
	fmt.Fprintln(out, display.Cut(out.style(bold, head+title)+out.style(faint, "  "+display.Line(i.Cwd, 200)), out.columns()))
}

func printHit(out *output, h library.Hit) {
	text := h.Snippet
	for i := len(h.Matches) - 1; i >= 0; i-- {
		m := h.Matches[i]
		text = text[:m[0]] + out.style(yellow, text[m[0]:m[1]]) + text[m[1]:]
	}
	head := fmt.Sprintf("  %-8s  %s: ", display.Line(h.EntryID, 40), display.Line(h.Role, 40))
	if h.Label != "" && h.Role != library.RoleLabel {
		head += "[" + display.Line(h.Label, 80) + "] "
	}
	fmt.Fprintln(out, display.Cut(out.style(faint, head)+text, max(out.columns(), 40)))
}
