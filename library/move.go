package library

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ramo-dev/ramo/session"
)

// Move gives a session another place, with its artifacts and the position that was saved in it, and
// returns its new path. A folder keeps the file's name; any other path is the new one, whose folder is
// made if it must be. Nothing is overwritten.
//
// The session's lock is held meanwhile. A program that has the session open meets fs.ErrNotExist at
// its next append.
func Move(ctx context.Context, path, to string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	folder := strings.HasSuffix(to, "/") || strings.HasSuffix(to, string(filepath.Separator))
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() || folder {
		to = filepath.Join(to, filepath.Base(path))
	}
	if filepath.Ext(to) != ".jsonl" {
		return "", fmt.Errorf("%s: the name of a session must end in .jsonl, else no tool finds it", to)
	}
	if err := mayChange(path); err != nil {
		return "", err
	}
	artifacts, artifactsTo := Artifacts(path), strings.TrimSuffix(to, ".jsonl")
	for _, there := range []string{to, artifactsTo} {
		if _, err := os.Lstat(there); err == nil && (there == to || artifacts != "") {
			return "", fmt.Errorf("%s: %w: choose another name", there, fs.ErrExist)
		}
	}
	leaf, saved, err := savedPosition(ctx, path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	if err := relocatePair(ctx, path, to, artifacts, artifactsTo); err != nil {
		return "", fmt.Errorf("%s stays where it is: %w", path, err)
	}
	if saved {
		if err := savePosition(ctx, to, leaf); err != nil {
			return to, fmt.Errorf("the session is at %s now, but at its end: %w", to, err)
		}
	}
	return to, nil
}

// savedPosition is the leaf at which a session opens, if that is not its last entry. "" is none.
func savedPosition(ctx context.Context, path string) (leaf string, saved bool, err error) {
	s, err := session.Open(ctx, path)
	if err != nil {
		return "", false, err
	}
	defer s.Close()
	e, _ := s.Leaf()
	return e.ID(), s.Len() > 0 && e.ID() != s.At(s.Len()-1).ID(), nil
}

func savePosition(ctx context.Context, path, leaf string) error {
	s, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	if leaf == "" {
		s.ResetLeaf()
	} else if err := s.BranchTo(leaf); err != nil {
		return err
	}
	return s.SavePosition()
}
