package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/internal/display"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings, and where each comes from",
		Args:  exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSettings(cmd)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			values := 0 // the width of the column
			for _, r := range s.List() {
				values = min(max(values, ansi.StringWidth(display.Line(r.Value, 400))), 30)
			}
			for _, r := range s.List() {
				if wantsJSON(cmd) {
					err = printJSON(out, map[string]string{"key": r.Key, "value": r.Value, "origin": r.Origin.String()})
				} else {
					_, err = fmt.Fprintf(out, "%-30s  %-*s  %s\n", display.Line(r.Key, 200), values, display.Line(r.Value, 400), out.style(faint, display.Line(r.Origin.String(), 400)))
				}
				if err != nil {
					return err
				}
			}
			return out.flushed(nil)
		},
	}
	trust := func(use, short, done string, f func(string) error) *cobra.Command {
		return &cobra.Command{
			Use: use + " [DIRECTORY]", Short: short, Args: cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				dir, err := os.Getwd()
				if len(args) == 1 {
					dir, err = filepath.Abs(args[0])
				}
				if err == nil {
					err = f(dir)
				}
				if err != nil {
					return err
				}
				out := newOutput(cmd)
				fmt.Fprintf(out, done+"\n", display.Line(dir, 0))
				return out.flushed(nil)
			},
		}
	}
	cmd.AddCommand(
		trust("trust", "Let a project's settings name programs, providers and keys", "%s is trusted", config.Trust),
		trust("untrust", "Take that back", "%s is not trusted any more", config.Untrust),
	)
	return cmd
}
