package main

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui"
)

// appFlags are the root command's.
type appFlags struct {
	tree  bool
	at    string
	model string
}

// onTerminal tells whether the app can be shown.
func onTerminal() bool { return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) }

// runApp shows the app on the session that an argument names, or on a new one.
func runApp(cmd *cobra.Command, args []string, f appFlags) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	settings, err := loadSettings(cmd)
	if err != nil {
		return err
	}
	path := ""
	if len(args) == 1 {
		if path, err = resolve(cmd.Context(), args[0]); err != nil {
			return err
		}
	}
	closeTools := func() {}
	defer func() { closeTools() }()
	return tui.Run(cmd.Context(), tui.Options{
		Settings: settings, Models: registry(settings), Library: library.New(settings.SessionDirs...), Dir: cwd,
		Index: func() (*library.Index, error) { return library.OpenIndex("") },
		Tree:  f.tree || f.at != "", At: f.at,
		Open: func(ctx context.Context, front tui.Front) (*agent.Agent, error) {
			progress := session.WithProgress(front.Progress)
			s, err := openOrStart(ctx, path, cwd, progress)
			if err != nil {
				return nil, err
			}
			a, done, err := newLive(settings, s, func(o *agent.Options) {
				if f.model != "" {
					o.Model = f.model
				}
				o.Approve, o.UI = front.Approve, front.UI
				o.SessionOptions = append(o.SessionOptions, progress)
			})
			if err == nil {
				closeTools = done
			}
			return a, err
		},
	})
}

func openOrStart(ctx context.Context, path, cwd string, opts ...session.Option) (*session.Session, error) {
	if path != "" {
		return session.Open(ctx, path, opts...)
	}
	h := session.NewHeader(cwd)
	return session.Create(session.NewPath(library.DirFor(cwd), h), h, opts...)
}
