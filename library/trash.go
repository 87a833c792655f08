package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/session"
)

// Trash puts a session and its artifacts where the desktop keeps what was thrown away, from which a
// person can take it back, and returns where the session is now. On Windows that is a folder of
// ramo's own in its state directory.
//
// The session's lock is held meanwhile. A program that has the session open meets fs.ErrNotExist at
// its next append.
func Trash(ctx context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := mayChange(path); err != nil {
		return "", err
	}
	bin, err := trashFor(path)
	if err != nil {
		return "", fmt.Errorf("%s stays where it is, for there is no trash: %w", path, err)
	}
	to, err := bin.reserve(path)
	if err != nil {
		return "", fmt.Errorf("%s stays where it is: %w", path, err)
	}
	artifacts, artifactsTo := Artifacts(path), ""
	if artifacts != "" {
		if artifactsTo, err = bin.reserve(artifacts); err != nil {
			bin.release(to)
			return "", fmt.Errorf("%s stays where it is: %w", path, err)
		}
	}
	if err := relocatePair(ctx, path, to, artifacts, artifactsTo); err != nil {
		bin.release(to)
		if artifacts != "" {
			bin.release(artifactsTo)
		}
		return "", fmt.Errorf("%s stays where it is: %w", path, err)
	}
	return to, nil
}

// trashBin is a place for what was thrown away.
type trashBin struct {
	files string // the folder for it
	// info is the folder for notes of where it was and when, as freedesktop.org describes it; "" for
	// none.
	info string
	top  string // what paths in the notes begin from; "" for /
}

// trashFor is the trash for a file, and makes its folders.
func trashFor(path string) (trashBin, error) {
	switch runtime.GOOS {
	case "windows":
		state, err := session.StateDir()
		if err != nil {
			return trashBin{}, err
		}
		bin := trashBin{files: filepath.Join(state, "trash")}
		return bin, os.MkdirAll(bin.files, 0o700)
	case "darwin":
		home, err := os.UserHomeDir()
		if err != nil {
			return trashBin{}, err
		}
		bin := trashBin{files: filepath.Join(home, ".Trash")}
		return bin, os.MkdirAll(bin.files, 0o700)
	}
	data := dataDir()
	if data == "" {
		return trashBin{}, errors.New("no home directory: set XDG_DATA_HOME")
	}
	home := newTrashBin(filepath.Join(data, "Trash"), "")
	if err := home.make(); err != nil {
		return trashBin{}, err
	}
	// What is on another disk stays on it, if that has room for a trash; else it is copied.
	if top, ok := otherDisk(path, home.files); ok {
		uid := strconv.Itoa(os.Getuid())
		// The shared folder counts only if it cannot be played with: no link, and sticky.
		if info, err := os.Lstat(filepath.Join(top, ".Trash")); err == nil && info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
			if bin := newTrashBin(filepath.Join(top, ".Trash", uid), top); bin.make() == nil {
				return bin, nil
			}
		}
		if bin := newTrashBin(filepath.Join(top, ".Trash-"+uid), top); bin.make() == nil {
			return bin, nil
		}
	}
	return home, nil
}

func newTrashBin(dir, top string) trashBin {
	return trashBin{filepath.Join(dir, "files"), filepath.Join(dir, "info"), top}
}

func (b trashBin) make() error {
	for _, dir := range []string{b.files, b.info} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// otherDisk is the top folder of the disk that a file is on, unless home is on it too.
func otherDisk(path, home string) (top string, other bool) {
	there, err := os.Lstat(path)
	if err != nil {
		return "", false
	}
	here, err := os.Stat(home)
	if err != nil || device(there) == device(here) {
		return "", false
	}
	for top = filepath.Dir(path); ; top = filepath.Dir(top) {
		up, err := os.Stat(filepath.Dir(top))
		if err != nil {
			return "", false
		}
		if device(up) != device(there) || filepath.Dir(top) == top {
			return top, true
		}
	}
}

// reserve finds a free name for a file, and notes where it was.
func (b trashBin) reserve(path string) (string, error) {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	for n := 1; n < 10_000; n++ {
		name := base
		if n > 1 {
			name = strings.TrimSuffix(base, ext) + "." + strconv.Itoa(n) + ext
		}
		to := filepath.Join(b.files, name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if b.info == "" {
			return to, nil
		}
		// The note is made first, and only where there is none: that is what reserves the name.
		err := b.note(name, path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return to, err
	}
	return "", fmt.Errorf("%s: too many files of this name in it: empty the trash", b.files)
}

func (b trashBin) note(name, path string) error {
	if b.top != "" {
		rel, err := filepath.Rel(b.top, path)
		if err != nil {
			return err
		}
		path = rel
	}
	f, err := os.OpenFile(b.noteOf(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "[Trash Info]\nPath=%s\nDeletionDate=%s\n", (&url.URL{Path: path}).EscapedPath(), time.Now().Format("2006-01-02T15:04:05"))
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(b.noteOf(name))
	}
	return err
}

func (b trashBin) noteOf(name string) string { return filepath.Join(b.info, name+".trashinfo") }

// release gives back a name that was reserved.
func (b trashBin) release(to string) {
	if b.info != "" {
		_ = os.Remove(b.noteOf(filepath.Base(to))) // a note of nothing does no harm
	}
}
