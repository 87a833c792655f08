package session

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A lock on Windows bars other handles from the locked bytes, so it cannot be on the session's own
// file.
const lockFlag = os.O_RDWR | os.O_CREATE

func lockPath(path string) string { return path + ".lock" }

func locks(*flock.Flock, *os.File) (bool, error) { return true, nil }

func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// syncDir does nothing: Windows has no such thing.
func syncDir(string) error { return nil }
