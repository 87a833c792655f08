package main

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

// Completion offers file names, and the ids of sessions; for an entry the labels, and ids once some
// of one is typed.

func completeSession(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeSessions(cmd, args, toComplete)
}

func completeSessions(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	cwd, _ := os.Getwd()
	lib, err := shelf()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var here, elsewhere []string
	for i := range lib.List(library.ListOptions{}).Sessions(cmd.Context()) {
		if !completable(i.ID) || !strings.HasPrefix(i.ID, toComplete) {
			continue
		}
		item := i.ID + "\t" + display.Cut(display.Line(i.Title(), 200), 60)
		if library.SameDir(i.Cwd, cwd) {
			here = append(here, item)
		} else {
			elsewhere = append(elsewhere, item)
		}
	}
	if len(here) == 0 || toComplete != "" {
		here = append(here, elsewhere...)
	}
	return here, cobra.ShellCompDirectiveDefault
}

// completable tells whether a shell can be given a word as it is.
func completable(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool { return display.Hostile(r) || r == utf8.RuneError })
}

func completeSessionEntry(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return completeSession(cmd, args, toComplete)
	case 1:
		return completeEntry(cmd, args[0], toComplete)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func completeEntry(cmd *cobra.Command, name, toComplete string) ([]string, cobra.ShellCompDirective) {
	s, err := openSession(cmd.Context(), name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	var items []string
	lines := new(display.Lines)
	for _, l := range s.Labels() {
		if completable(l.Text) && strings.HasPrefix(l.Text, toComplete) {
			items = append(items, l.Text+"\t"+display.Cut(lines.Entry(l.Target), 60))
		}
	}
	const most = 100
	if toComplete != "" {
		for e := range s.Entries() {
			if id := e.ID(); len(items) < most && completable(id) && strings.HasPrefix(id, toComplete) {
				items = append(items, id+"\t"+display.Cut(lines.Entry(e), 60))
			}
		}
	}
	return items, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
