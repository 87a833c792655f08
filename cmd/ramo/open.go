package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

// openSession opens the session that an argument names. A large one shows on a terminal how far it
// has come.
func openSession(ctx context.Context, arg string, opts ...session.Option) (*session.Session, error) {
	path, err := resolve(ctx, arg)
	if err != nil {
		return nil, err
	}
	const large = 200 << 20
	shown := int64(-1) // the percentage that stands there
	if term.IsTerminal(os.Stderr.Fd()) {
		opts = append(opts, session.WithProgress(func(done, total int64) {
			if percent := done * 100 / max(total, 1); total > large && percent != shown {
				fmt.Fprintf(os.Stderr, "\rreading %s: %d %%", display.Cut(display.Line(filepath.Base(path), 200), 50), percent)
				shown = percent
			}
		}))
	}
	s, err := session.Open(ctx, path, opts...)
	if shown >= 0 {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file: 'ramo ls' lists the sessions there are, 'ramo new' starts one", path)
	case err != nil:
		return nil, err
	}
	return s, nil
}

// findEntry finds the entry that an argument names.
func findEntry(s *session.Session, name string) (session.Entry, error) {
	e, err := s.Find(name)
	if errors.Is(err, session.ErrNotFound) {
		err = fmt.Errorf("%w: 'ramo tree --ids' shows what entries there are", err)
	}
	return e, err
}

// leafOf is what --leaf names: an entry's id, "" for the session's own leaf, or nothing for root.
func leafOf(s *session.Session, flag string) (id string, none bool, err error) {
	switch flag {
	case "":
		_, ok := s.Leaf()
		return "", !ok, nil
	case "root":
		return "", true, nil
	}
	e, err := findEntry(s, flag)
	return e.ID(), false, err
}
