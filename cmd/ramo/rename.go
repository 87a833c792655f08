package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

func newRename() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "rename SESSION [NAME]",
		Short: "Give a session a name, or take it away",
		Long: `Give a session a name, by which lists show it and searches find it. It is appended as an entry, and put into the
title line of a newer oh-my-pi session too. The file keeps its own name: see mv.`,
		Example: "  ramo rename - 'The parser'\n  ramo rename 019cd1de --clear",
		Args: func(cmd *cobra.Command, args []string) error {
			if remove && len(args) != 1 || !remove && len(args) != 2 {
				return usage("usage: ramo rename SESSION NAME, or ramo rename SESSION --clear")
			}
			return nil
		},
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if !remove {
				if name = strings.TrimSpace(args[1]); name == "" {
					return usage("the name is empty: --clear takes a name away")
				}
			}
			path, err := resolve(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := library.Rename(cmd.Context(), path, name); err != nil {
				return err
			}
			i, err := library.Read(path)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, struct {
					Path string `json:"path"`
					Name string `json:"name"`
				}{i.Path, i.Name}))
			}
			fmt.Fprintln(out, display.Line(i.Title(), 400))
			return out.flushed(nil)
		},
	}
	cmd.Flags().BoolVar(&remove, "clear", false, "take the name away")
	return cmd
}
