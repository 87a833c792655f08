package main

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui"
)

// appFlags are the root command's.
type appFlags struct {
	tree  bool
	at    string
	model string

	goOn   bool   // with this terminal's last session
	resume string // the session with this name
}

func (f *appFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.tree, "tree", false, "open on the tree")
	cmd.Flags().StringVar(&f.at, "at", "", "open on the tree, at this `entry`")
	cmd.Flags().BoolVarP(&f.goOn, "continue", "c", false, "go on with this terminal's last session here, else with the latest here")
	cmd.Flags().StringVarP(&f.resume, "resume", "r", "", "go on with the session that has this `name`, id, file or label")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume")
	modelFlag(cmd, &f.model)
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
	lib := library.New(settings.SessionDirs...)
	path, err := f.session(cmd.Context(), lib, args, cwd)
	if err != nil {
		return err
	}
	return tui.Run(cmd.Context(), tui.Options{
		Settings: settings, Models: registry(settings), Library: lib, Dir: cwd,
		Index:    func() (*library.Index, error) { return library.OpenIndex("") },
		Remember: func(path string) error { return library.Remember(path, cwd) },
		Tree:     f.tree || f.at != "", At: f.at,
		Open: func(ctx context.Context, front tui.Front) (*agent.Agent, error) {
			progress := session.WithProgress(front.Progress)
			s, err := openOrStart(ctx, path, cwd, progress)
			if err != nil {
				return nil, err
			}
			if f.resume != "" {
				if s, err = offerFork(ctx, front.UI, s, cwd); err != nil {
					return nil, err
				}
			}
			return newLive(settings, s, func(o *agent.Options) {
				o.Model, o.Approve, o.UI = f.model, front.Approve, front.UI
				o.SessionOptions = append(o.SessionOptions, progress)
			})
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

// session finds the file that the arguments and flags name; "" is a new one.
func (f appFlags) session(ctx context.Context, lib *library.Library, args []string, cwd string) (string, error) {
	switch {
	case len(args) == 1 && (f.goOn || f.resume != ""):
		return "", usage("a session and --continue or --resume cannot be given together")
	case len(args) == 1:
		return resolve(ctx, args[0])
	case f.goOn:
		item, err := lib.Resume(ctx, cwd)
		return item.Path, err
	case f.resume != "":
		index := openIndexIfThere()
		defer index.Close()
		item, err := lib.Find(ctx, f.resume, cwd, index)
		return item.Path, err
	}
	return "", nil
}

// offerFork asks someone who resumes a session of another directory whether to go on there or with a copy
// about this one. The session is closed when it is not what is returned.
func offerFork(ctx context.Context, ui extension.UI, s *session.Session, cwd string) (*session.Session, error) {
	if s.Header().Cwd == "" || library.SameDir(s.Header().Cwd, cwd) {
		return s, nil
	}
	choice, ok, err := ui.Select(ctx, "This session is about "+s.Header().Cwd, []string{"Open it as it is", "Fork it: a copy about " + cwd})
	if err == nil && !ok {
		err = context.Canceled
	}
	if err != nil || choice == 0 {
		if err != nil {
			_ = s.Close()
		}
		return s, err
	}
	h := session.NewHeader(cwd)
	fork, err := s.Fork(ctx, session.NewPath(library.DirFor(cwd), h), session.WithDirectory(cwd))
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return fork, err
}
