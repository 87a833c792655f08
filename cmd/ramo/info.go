package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

type info struct {
	Path     string  `json:"path"`
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Cwd      string  `json:"cwd"`
	Tool     string  `json:"tool"`
	Version  int     `json:"version"`
	Entries  int     `json:"entries"`
	Messages int     `json:"messages"`
	Branches int     `json:"branches"`
	Roots    int     `json:"roots"`
	Depth    int     `json:"depth"`
	Leaf     *string `json:"leaf"`
	Labels   int     `json:"labels"`
	Bytes    int64   `json:"bytes"`
	Problems int     `json:"problems"`
	Usage    *spent  `json:"usage,omitempty"`
}

// spent is what answers and summaries cost.
type spent struct {
	Branch  message.Usage `json:"branch"`
	Session message.Usage `json:"session"`
}

func newInfo() *cobra.Command {
	var usage bool
	cmd := &cobra.Command{
		Use:   "info SESSION",
		Short: "Say what is in a session",
		Long: `Say what is in a session. With --usage also the tokens and the cost in US dollars of the active branch and of the whole
session, as far as its answers and summaries say them; that reads the whole file, and takes longer.`,
		Example:           "  ramo info -\n  ramo info - --usage\n  ramo info ~/.pi/agent/sessions/--srv-demo--/….jsonl --json",
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			i := infoOf(s)
			if usage {
				i.Usage = new(spent)
				if i.Usage.Branch, i.Usage.Session, err = s.Usage(cmd.Context()); err != nil {
					return err
				}
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, i))
			}
			return out.flushed(i.print(out, s))
		},
	}
	cmd.Flags().BoolVar(&usage, "usage", false, "add up tokens and cost")
	return cmd
}

func infoOf(s *session.Session) info {
	h, c := s.Header(), s.Counts()
	leaf, _ := s.Leaf()
	return info{
		Path: s.Path(), ID: h.ID, Name: s.Name(), Cwd: h.Cwd, Tool: library.Tool(s.Path(), h.Tool, s.HasTitleLine(), h.ID),
		Version: h.Version, Entries: s.Len(), Messages: s.Messages(), Branches: c.Branches, Roots: c.Roots, Depth: c.Depth,
		Leaf: orNull(leaf.ID()), Labels: len(s.Labels()), Bytes: s.Size(), Problems: len(s.Problems()),
	}
}

func (i info) print(out *output, s *session.Session) error {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%s %s\n", out.style(faint, fmt.Sprintf("%-9s", name)), display.Line(fmt.Sprintf(format, args...), 0))
	}
	row("session", "%s", i.Path)
	row("id", "%s", i.ID)
	if i.Name != "" {
		row("name", "%s", i.Name)
	}
	row("directory", "%s", i.Cwd)
	tool := i.Tool
	if tool == "" {
		tool = "unknown tool"
	}
	row("format", "version %d, %s", i.Version, tool)
	row("entries", "%d (%s)", i.Entries, count(i.Messages, "message", "messages"))
	row("tree", "%s, %s, %d deep", count(i.Branches, "branch", "branches"), count(i.Roots, "root", "roots"), i.Depth)
	if e, ok := s.Leaf(); ok {
		row("leaf", "%s  %s", e.ID(), display.Cut(new(display.Lines).Entry(e), max(out.columns()-len(e.ID())-12, 20)))
	} else {
		row("leaf", "none: the next entry will be a root")
	}
	for n, l := range s.Labels() {
		if n == 20 {
			row("", "and %d more", i.Labels-n)
			break
		}
		name := ""
		if n == 0 {
			name = "labels"
		}
		row(name, "[%s] on %s", l.Text, l.Target.ID())
	}
	if i.Usage != nil {
		row("on branch", "%s", costs(i.Usage.Branch))
		row("in all", "%s", costs(i.Usage.Session))
	}
	row("size", "%s", display.Bytes(i.Bytes))
	if err := s.ReadOnly(); err != nil {
		row("read-only", "%v", err)
	}
	if i.Problems > 0 {
		fmt.Fprintln(out, out.style(yellow, count(i.Problems, "problem", "problems")+": 'ramo doctor' lists what is wrong"))
	}
	return nil
}

// costs is what something cost in words.
func costs(u message.Usage) string {
	return fmt.Sprintf("$%.4f: %s tokens in, %s out; from the cache %s, into it %s", u.Cost.Total,
		display.Tokens(u.Input), display.Tokens(u.Output), display.Tokens(u.CacheRead), display.Tokens(u.CacheWrite))
}

// count is a number of things in words.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
