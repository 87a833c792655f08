package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/library"
)

// shelf is the library of this machine: the tools' folders, and those that the settings name.
func shelf() (*library.Library, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s, err := config.Load(cwd)
	if err != nil {
		return nil, err
	}
	return library.New(s.SessionDirs...), nil
}

// resolve finds the file of the session that an argument names.
func resolve(ctx context.Context, arg string) (string, error) {
	if arg == "" {
		return "", usage("the session's name is empty")
	}
	if _, err := os.Lstat(arg); err == nil {
		return arg, nil // whatever the settings say
	}
	lib, err := shelf()
	if err != nil {
		return "", fmt.Errorf("looking for the session %q: %w", arg, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return lib.Resolve(ctx, arg, cwd)
}

// openIndexIfThere opens the search index for what it knows already. It is nil when there is none.
// Nothing that it is asked here needs it, so one that cannot be opened is as good as none.
func openIndexIfThere() *library.Index {
	dir, err := library.IndexDir()
	if err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	index, err := library.OpenIndex(dir)
	if err != nil {
		return nil
	}
	return index
}
