package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// The list is a text file in Dir, one directory a line, without symbolic links.
const trustedName = "trusted"

// Trust lets the settings of the project in dir do everything. It counts for this directory only, not for
// those below it, and for what its file says later, too.
func Trust(dir string) error {
	real, err := trustable(dir)
	if err != nil {
		return err
	}
	return changeTrusted(func(dirs []string) []string {
		if slices.Contains(dirs, real) {
			return dirs
		}
		return append(dirs, real)
	})
}

// Untrust takes the trust back. It also works for a directory that is gone.
func Untrust(dir string) error {
	real, err := trustable(dir)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	return changeTrusted(func(dirs []string) []string {
		return slices.DeleteFunc(dirs, func(d string) bool { return d == real })
	})
}

// IsTrusted tells whether exactly this directory is trusted.
func IsTrusted(dir string) (bool, error) {
	file, err := trustedFile()
	if err != nil {
		return false, nil // without a home nobody can have trusted anything
	}
	dirs, err := readTrusted(file)
	if err != nil || len(dirs) == 0 {
		return false, err
	}
	real, err := trustable(dir)
	if err != nil {
		return false, err
	}
	return slices.Contains(dirs, real), nil
}

// trustable is the directory's own name: a link to it can be made to lead elsewhere.
func trustable(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("finding the directory to trust: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("finding the directory to trust: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; trust is for a project's directory", abs)
	}
	if strings.ContainsAny(abs, "\r\n") {
		return "", fmt.Errorf("%q cannot be trusted: there is a line end in its name", abs)
	}
	return abs, nil
}

func trustedFile() (string, error) {
	dir, err := Dir()
	return filepath.Join(dir, trustedName), err
}

func readTrusted(file string) ([]string, error) {
	b, err := os.ReadFile(file)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the trusted directories: %w", err)
	}
	var dirs []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			dirs = append(dirs, line)
		}
	}
	return dirs, nil
}

// changeTrusted replaces the list in one step, under a lock, so that of two changes at once neither is lost.
func changeTrusted(change func([]string) []string) (err error) {
	file, err := trustedFile()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("changing the trusted directories: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	lock := flock.New(file + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	dirs, err := readTrusted(file)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, d := range change(dirs) {
		fmt.Fprintln(&b, d)
	}
	return replaceFile(file, b.Bytes())
}

func replaceFile(file string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+trustedName+"-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
