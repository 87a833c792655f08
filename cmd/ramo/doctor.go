package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

type diagnosis struct {
	Path     string            `json:"path"`
	Entries  int               `json:"entries"`
	Problems []session.Problem `json:"problems"`
}

type repaired struct {
	Path    string   `json:"path"`
	Backup  string   `json:"backup,omitempty"`
	Actions []string `json:"actions"`
}

func newDoctor() *cobra.Command {
	var o session.RepairOptions
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor SESSION...",
		Short: "Report what is wrong with a session's file, and write a sound one",
		Long: `List what is odd about each session's file: the line, the byte, what it is and what is done about it. The exit
code is 1 when there is anything.

--repair writes a new, sound file beside the old one and says what it did. With --in-place the new file takes the old
one's name, and the old one is kept with .bak behind it. --reattach hangs each entry whose parent is missing from the
entry before it.`,
		Example: "  ramo doctor session.jsonl\n  ramo doctor --repair --reattach session.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("usage: %s", cmd.UseLine())
			case !repair && (o.InPlace || o.Reattach || o.Output != ""):
				return usage("--in-place, --reattach and --output go with --repair")
			case o.InPlace && o.Output != "":
				return usage("--in-place and --output exclude each other")
			case o.Output != "" && len(args) > 1:
				return usage("--output is for one session")
			}
			return nil
		},
		ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := newOutput(cmd)
			var failed, no error
			for _, arg := range args {
				path, err := resolve(cmd.Context(), arg)
				sick := false
				switch {
				case err != nil:
				case repair:
					err = repairInto(cmd, out, path, o)
				default:
					sick, err = diagnose(cmd, out, path)
				}
				if err != nil { // the others are looked at all the same
					if failed != nil {
						fmt.Fprintf(cmd.ErrOrStderr(), "ramo: %s\n", oneLine(failed))
					}
					failed = err
				}
				if sick {
					no = answerNo{}
				}
				if cmd.Context().Err() != nil {
					break
				}
			}
			if failed != nil {
				return out.flushed(failed)
			}
			return out.flushed(no)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&repair, "repair", false, "write a sound file")
	f.BoolVar(&o.InPlace, "in-place", false, "put it in the old one's place, and keep that as .bak")
	f.BoolVar(&o.Reattach, "reattach", false, "hang an entry whose parent is missing from the one before it")
	f.StringVarP(&o.Output, "output", "o", "", "the new `file`; by default the old name with .repaired")
	return cmd
}

func diagnose(cmd *cobra.Command, out *output, path string) (found bool, err error) {
	s, err := openSession(cmd.Context(), path)
	if err != nil {
		return false, err
	}
	defer s.Close()
	problems := s.Problems()
	if wantsJSON(cmd) {
		if problems == nil {
			problems = []session.Problem{}
		}
		return len(problems) > 0, printJSON(out, diagnosis{s.Path(), s.Len(), problems})
	}
	entries := count(s.Len(), "entry", "entries")
	if len(problems) == 0 {
		fmt.Fprintf(out, "%s: %s, %s\n", display.Line(s.Path(), 0), entries, out.style(green, "nothing wrong"))
		return false, nil
	}
	fmt.Fprintf(out, "%s: %s, %s\n", display.Line(s.Path(), 0), entries, out.style(yellow, count(len(problems), "problem", "problems")))
	for _, p := range problems {
		fmt.Fprintf(out, "  line %d, byte %d: %s: %s\n", p.Line, p.Offset, out.style(bold, string(p.Kind)), display.Line(p.Message, 0))
	}
	return true, nil
}

func repairInto(cmd *cobra.Command, out *output, path string, o session.RepairOptions) error {
	r, err := session.Repair(cmd.Context(), path, o)
	if err != nil {
		return err
	}
	return printRepair(out, r, wantsJSON(cmd))
}

func printRepair(out *output, r session.RepairReport, asJSON bool) error {
	if asJSON {
		actions := r.Actions
		if actions == nil {
			actions = []string{}
		}
		return printJSON(out, repaired{r.Path, r.Backup, actions})
	}
	fmt.Fprintf(out, "Wrote %s\n", display.Line(r.Path, 0))
	if r.Backup != "" {
		fmt.Fprintf(out, "The old file is %s\n", display.Line(r.Backup, 0))
	}
	for _, a := range r.Actions {
		fmt.Fprintf(out, "  %s\n", display.Line(a, 0))
	}
	return nil
}
