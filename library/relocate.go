package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ramo-dev/ramo/session"
)

// ErrNotSession is the error for changing a file that is no session.
var ErrNotSession = session.ErrNotSession

// Artifacts is the folder in which omp keeps what belongs to a session, and "" when it has none: it
// stands beside the session, with its name.
func Artifacts(path string) string {
	dir := strings.TrimSuffix(path, ".jsonl")
	if info, err := os.Lstat(dir); dir == path || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// mayChange refuses what is no session. One whose header was never completed is one.
func mayChange(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link: name the file that it leads to", path)
	}
	if _, err := Read(path); errors.Is(err, errNotSession) {
		return fmt.Errorf("%w: %w", ErrNotSession, err)
	} else if err != nil && !errors.Is(err, errHalfWritten) {
		return err
	}
	return nil
}

// locked does something while no other ramo writes to a session. On Windows, where an open file cannot
// be renamed, it only waits until the others are done.
func locked(ctx context.Context, path string, do func() error) error {
	store, err := session.NewFileStore(path)
	if err != nil {
		return err
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		return fmt.Errorf("%s is not ours to change: %w", path, err)
	}
	if !renamesWhileOpen {
		if err := unlock(); err != nil {
			return err
		}
		return do()
	}
	return errors.Join(do(), unlock())
}

// relocatePair moves a session and its artifacts, if it has any. The artifacts go first: if it ends
// between the two, the session is still where it was, and doing it again finishes the work.
func relocatePair(ctx context.Context, path, to, artifacts, artifactsTo string) error {
	return locked(ctx, path, func() error {
		if artifacts != "" {
			if err := relocate(artifacts, artifactsTo); err != nil {
				return err
			}
		}
		err := relocate(path, to)
		if err != nil && artifacts != "" {
			err = errors.Join(err, relocate(artifactsTo, artifacts))
		}
		return err
	})
}

// relocate gives a file or folder another place. It overwrites nothing, and at every moment the whole
// of it is at one place at least.
func relocate(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		// A link is made only where nothing is, which a rename cannot promise.
		if err = os.Link(from, to); err == nil {
			return os.Remove(from)
		}
		if errors.Is(err, fs.ErrExist) {
			return existsAlready(to)
		}
	}
	// A folder, or a disk that has no links, or another disk.
	if _, err := os.Lstat(to); err == nil {
		return existsAlready(to)
	}
	if err = os.Rename(from, to); !crossDevice(err) {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(to), ".ramo-*.tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	whole := filepath.Join(half, filepath.Base(to))
	if info.IsDir() {
		err = os.CopyFS(whole, os.DirFS(from))
	} else {
		err = copyFile(from, whole, info)
	}
	if err != nil {
		return fmt.Errorf("copying to another disk: %w", err)
	}
	if err := os.Rename(whole, to); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

func existsAlready(path string) error { return fmt.Errorf("%s: %w", path, fs.ErrExist) }

// copyFile copies a file, its mode and its time, onto the disk.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
