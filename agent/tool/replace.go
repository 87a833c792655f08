package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxWrite bounds a file that edit changes, in bytes.
const maxWrite = 16 << 20

// target is a file that is about to be replaced. Its directory is held open, so that reading,
// writing and renaming happen in one and the same directory whatever is moved meanwhile.
type target struct {
	path string // as the model gave it
	dir  *os.Root
	name string
}

// target finds where a path leads: a link at its end is followed, for replacing a link by a file
// would lose what the link is for. With create, missing directories are made.
func (w *Workspace) target(path string, create bool) (*target, error) {
	given, err := w.relative(path)
	if err != nil {
		return nil, err
	}
	at := given
	for range 40 { // as many links as Linux follows
		dir, name := filepath.Split(at) // not Dir, which cleans: link/.. is where the link leads to
		switch name {
		case "", ".", "..":
			return nil, fmt.Errorf("%s is a directory, not a file", path)
		}
		info, err := w.root.Lstat(at)
		switch {
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			to, err := w.root.Readlink(at)
			if err != nil {
				return nil, explain(given, err)
			}
			if filepath.IsAbs(to) {
				return nil, outside(path)
			}
			at = dir + to
			continue
		case err == nil && !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is %s, not a file", path, kind(info.Mode()))
		case err != nil && !(create && errors.Is(err, fs.ErrNotExist)):
			return nil, explain(given, err)
		}
		if isProtected(at) {
			return nil, fmt.Errorf("%s can make programs run by itself, so neither write nor edit changes it; ask the user to", path)
		}
		dir = orDot(dir)
		if create {
			if err := w.root.MkdirAll(dir, 0o777); err != nil {
				return nil, explain(given, err)
			}
		}
		root, err := w.root.OpenRoot(dir)
		if err != nil {
			return nil, explain(given, err)
		}
		return &target{path: given, dir: root, name: name}, nil
	}
	return nil, fmt.Errorf("%s: too many symbolic links", path)
}

// isProtected tells whether a file could undo what permissions are for: git's hooks and settings run
// programs, and so do a trusted project's settings.
func isProtected(path string) bool {
	names := strings.FieldsFunc(strings.ToLower(filepath.ToSlash(path)), func(r rune) bool { return r == '/' })
	return slices.Contains(names, ".git") || slices.Contains(names, ".ramo") && names[len(names)-1] == "config.toml"
}

func (t *target) close() { _ = t.dir.Close() } // nothing was written through it

// read returns what the file holds; info is nil when there is no file.
func (t *target) read(ctx context.Context) (content []byte, info fs.FileInfo, err error) {
	f, info, err := t.open()
	if f == nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > maxWrite {
		return nil, info, fmt.Errorf("%s is too large: %s, and at most %s can be changed", t.path, size(info.Size()), size(maxWrite))
	}
	content, err = io.ReadAll(reader{ctx, io.LimitReader(f, maxWrite+1)})
	if err != nil {
		return nil, info, explain(t.path, err)
	}
	return content, info, nil
}

func (t *target) open() (*os.File, fs.FileInfo, error) {
	if _, err := t.dir.Lstat(t.name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	f, info, err := openFile(t.dir, t.name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", t.path, err)
	}
	return f, info, nil
}

// replace puts content in the file's place in one step: whoever reads it, and a crash, sees the old or the new one.
// Just before, check has a last chance to refuse. The permissions of a file that is there stay.
func (t *target) replace(ctx context.Context, content []byte, old fs.FileInfo, check func() error) (err error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
		// A rename would also replace a file that its owner protected against writing.
		f, err := t.dir.OpenFile(t.name, os.O_WRONLY|openFlags, 0)
		if err != nil {
			return explain(t.path, err)
		}
		if err := f.Close(); err != nil {
			return explain(t.path, err)
		}
	}
	temporary := ".ramo-" + rand.Text() + ".tmp"
	f, err := t.dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return explain(t.path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.remove(temporary))
		}
	}()
	_, err = f.Write(content)
	if err == nil && old != nil {
		err = f.Chmod(mode) // the umask does not count for a file that was there
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return explain(t.path, err)
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	if err = check(); err != nil {
		return err
	}
	if err = t.dir.Rename(temporary, t.name); err != nil {
		return explain(t.path, err)
	}
	if err := syncDir(t.dir); err != nil {
		return fmt.Errorf("%s was written, but may be lost in a power failure: %w", t.path, explain(t.path, err))
	}
	return nil
}

func (t *target) remove(name string) error {
	if err := t.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("and the temporary file %s was left behind: %w", name, err)
	}
	return nil
}
