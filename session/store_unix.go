//go:build !windows

package session

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// The lock is on the session's own file: no second file lies about, and every process that can
// write the session contends for the same lock. Not O_CREATE: locking must not make a file.
const lockFlag = os.O_RDWR

func lockPath(path string) string { return path }

// locks tells whether the lock is on the file that f is.
func locks(l *flock.Flock, f *os.File) (bool, error) {
	locked, err := l.Stat()
	if err != nil {
		return false, err
	}
	mine, err := f.Stat()
	return err == nil && os.SameFile(locked, mine), err
}

func replaceFile(path string, write func(io.Writer) error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer f.Cleanup()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace() // syncs first
}

// syncDir makes a new name in a folder durable. Some file systems cannot, and say so.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder one may write to but not list
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
