package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/importer"
	"github.com/ramo-dev/ramo/internal/display"
)

func newImport() *cobra.Command {
	var from string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import [PATH…]",
		Short: "Make sessions of the transcripts of Claude Code and Codex",
		Long: `Make sessions of transcripts: of those in the files and folders that are named, or of all that Claude Code and
Codex keep in their own. The tree is kept, and each entry says where it comes from. Importing again adds only what is
new. Transcripts are never changed. docs/import.md tells what becomes of what.`,
		Example: "  ramo import --dry-run\n  ramo import --from codex\n  ramo import ~/.claude/projects/-srv-demo",
		RunE: func(cmd *cobra.Command, args []string) error {
			if from != "" && from != importer.Claude && from != importer.Codex {
				return usage("--from is claude or codex, not %q", from)
			}
			ctx := cmd.Context()
			list, err := findTranscripts(ctx, from, args)
			if err != nil {
				return err
			}
			lib, err := shelf()
			if err != nil {
				return err
			}
			i, err := importer.New(ctx, lib, dryRun)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			all := importTotals{skipped: map[string]int{}, dryRun: dryRun}
			for _, t := range list {
				r, err := i.Import(ctx, t)
				switch {
				case ctx.Err() != nil:
					return out.flushed(ctx.Err())
				case errors.Is(err, importer.ErrEmpty):
					all.empty++
					continue
				case err != nil:
					all.failed++
					fmt.Fprintf(cmd.ErrOrStderr(), "ramo: %s\n", oneLine(err))
					continue
				}
				all.add(r)
				if wantsJSON(cmd) {
					err = printJSON(out, r)
				} else {
					all.printResult(out, r)
				}
				if err == nil {
					err = out.Flush() // an import may take long
				}
				if err != nil {
					return err
				}
			}
			if !wantsJSON(cmd) {
				all.print(out)
			}
			switch {
			case all.failed > 0:
				return out.flushed(fmt.Errorf("%s could not be imported; what was imported is kept, and importing again adds the rest", count(all.failed, "transcript", "transcripts")))
			case all.sessions == 0:
				return out.flushed(answerNo{})
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "claude or codex; by default both")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only tell what would be imported")
	_ = cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions([]string{importer.Claude, importer.Codex}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// findTranscripts finds those at paths, or without any those in the tools' own folders, as far as
// there are such.
func findTranscripts(ctx context.Context, from string, paths []string) ([]importer.Transcript, error) {
	if len(paths) == 0 {
		places, err := importer.Places(from)
		if err != nil {
			return nil, err
		}
		paths = slices.DeleteFunc(places, func(dir string) bool {
			_, err := os.Stat(dir)
			return errors.Is(err, fs.ErrNotExist)
		})
	}
	return importer.Find(ctx, from, paths...)
}

// importTotals are what all imports did.
type importTotals struct {
	sessions, entries, added, empty, failed int
	skipped                                 map[string]int
	damaged                                 []importer.Damage
	dryRun                                  bool
}

func (t *importTotals) add(r importer.Result) {
	t.sessions++
	t.entries += r.Entries
	t.added += r.Added
	for what, n := range r.Skipped {
		t.skipped[what] += n
	}
	t.damaged = append(t.damaged, r.Damaged...)
}

func (t *importTotals) printResult(out *output, r importer.Result) {
	what := "nothing new"
	if r.Added > 0 {
		what = count(r.Added, "entry", "entries")
		if !r.New {
			what += " more"
		}
	}
	fmt.Fprintf(out, "%-6s  %s\n        %s\n", r.Tool, display.Line(r.Files[0], 0), out.style(faint, display.Line(what+" in "+r.Path, 0)))
}

func (t *importTotals) print(out *output) {
	if t.sessions == 0 {
		fmt.Fprintln(out, "No transcripts were found.")
	} else {
		verb := "added"
		if t.dryRun {
			verb = "to be added"
		}
		fmt.Fprintf(out, "%s: %d of %s %s\n", count(t.sessions, "session", "sessions"), t.added, count(t.entries, "entry", "entries"), verb)
	}
	if t.empty > 0 {
		fmt.Fprintf(out, "Nothing was said in %s.\n", count(t.empty, "transcript", "transcripts"))
	}
	if len(t.skipped) > 0 {
		var list []string
		for _, what := range slices.Sorted(maps.Keys(t.skipped)) {
			list = append(list, fmt.Sprintf("%s (%d)", display.Line(what, 100), t.skipped[what]))
		}
		fmt.Fprintln(out, wrap("Without a place in a session: "+strings.Join(list, ", ")+".", out.columns()))
	}
	const most = 20
	for n, d := range t.damaged {
		if n == most {
			fmt.Fprintf(out, "and %d more\n", len(t.damaged)-n)
			break
		}
		fmt.Fprintln(out, out.style(yellow, display.Line(fmt.Sprintf("%s: line %d cannot be read", d.File, d.Line), 0)))
	}
}
