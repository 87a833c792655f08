package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/session"
)

func newNew() *cobra.Command {
	var cwd, output string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Start a session",
		Long: `Start a session about this directory, or another one. Its file is written at once with no entries yet, and its
path is printed.`,
		Example: "  ramo new\n  ramo new --cwd ~/src/shop --output shop.jsonl",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cwd == "" {
				dir, err := os.Getwd()
				if err != nil {
					return err
				}
				cwd = dir
			}
			dir, err := filepath.Abs(cwd)
			if err != nil {
				return err
			}
			h := session.NewHeader(dir)
			if output == "" {
				if library.OwnDir() == "" {
					return fmt.Errorf("there is no home directory to keep the session in: set XDG_DATA_HOME, or name a file with --output")
				}
				output = session.NewPath(library.DirFor(dir), h)
			}
			s, err := session.Create(output, h)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%w: choose another name", err)
			} else if err != nil {
				return err
			}
			defer s.Close()
			if err := s.WriteHeader(cmd.Context()); err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, struct {
					Path string `json:"path"`
					ID   string `json:"id"`
				}{s.Path(), s.Header().ID}))
			}
			fmt.Fprintln(out, display.Line(s.Path(), 0))
			return out.flushed(nil)
		},
	}
	cmd.Flags().StringVar(&cwd, "cwd", "", "the `directory` that the conversation is about; by default this one")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the session's `file`; by default one among ramo's own")
	return cmd
}
