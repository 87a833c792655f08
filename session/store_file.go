package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// lockPatience is how long a write waits for another process to finish its own.
const lockPatience = 30 * time.Second

// FileStore keeps a log in a JSONL file (sections 1 and 5). Writers of one file, in this process
// and in others, take turns by an advisory lock on the file itself, which the kernel drops with the
// process that holds it. It is safe for concurrent use.
type FileStore struct {
	path string // absolute

	mu     sync.Mutex
	locked *os.File // what Append writes to; set from Lock to unlock
}

// NewFileStore is a store for the file at path, which need not exist yet.
func NewFileStore(path string) (*FileStore, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &FileStore{path: abs}, nil
}

// Name is the file's absolute path.
func (s *FileStore) Name() string { return s.path }

// Open opens the file for reading. It refuses what is no regular file.
func (s *FileStore) Open() (View, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a session file", s.path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a regular file (%s), so it cannot be a session", s.path, info.Mode().Type())
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	return &fileView{f, s.path}, nil
}

type fileView struct {
	*os.File
	path string
}

func (v *fileView) Size() (int64, error) {
	info, err := v.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (v *fileView) Current() (bool, error) {
	mine, err := v.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

// Lock takes the lock on the file that the path leads to. One Session calls it from one goroutine
// at a time.
func (s *FileStore) Lock(ctx context.Context) (func() error, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience,
		fmt.Errorf("%s: another process has held the lock for %v; end it, then try again", s.path, lockPatience))
	defer cancel()
	for {
		lock := flock.New(lockPath(s.path), flock.SetFlag(lockFlag))
		if _, err := lock.TryLockContext(ctx, time.Millisecond); err != nil {
			_ = lock.Close()
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
		f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			_ = lock.Close()
			return nil, err
		}
		same, err := locks(lock, f)
		if err == nil && same {
			s.mu.Lock()
			s.locked = f
			s.mu.Unlock()
			return func() error {
				s.mu.Lock()
				s.locked = nil
				s.mu.Unlock()
				return errors.Join(f.Close(), lock.Close())
			}, nil
		}
		// The file was replaced between opening it and locking it: lock the new one.
		_, _ = f.Close(), lock.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Append writes p in one write at the file's end.
func (s *FileStore) Append(p []byte, sync bool) error {
	s.mu.Lock()
	f := s.locked
	s.mu.Unlock()
	if f == nil {
		return fmt.Errorf("%s: append without the lock", s.path)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	before := info.Size()
	n, err := f.Write(p)
	if err == nil && sync {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	// Take back what was written. A program that ignores the lock may have written behind it; its
	// bytes are not ours to cut off.
	info, statErr := f.Stat()
	if statErr == nil && info.Size() == before+int64(n) {
		if cutErr := f.Truncate(before); cutErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: the part that was written could not be taken back: %w", s.path, cutErr))
		}
	}
	return err
}

// Create writes the content beside the path and then links it there, so that the file appears
// whole and never in the place of another.
func (s *FileStore) Create(write func(io.Writer) error, sync bool) (err error) {
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(s.path); err == nil {
		return &fs.PathError{Op: "create", Path: s.path, Err: fs.ErrExist}
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(s.path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := writeAll(tmp, write, sync); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), s.path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// No hard links here. A rename would do but for the moment between looking and renaming.
		if _, err := os.Lstat(s.path); err == nil {
			return &fs.PathError{Op: "create", Path: s.path, Err: fs.ErrExist}
		}
		if err := os.Rename(tmp.Name(), s.path); err != nil {
			return err
		}
	}
	if sync {
		return syncDir(dir)
	}
	return nil
}

// Replace puts a new file in the old one's place, after giving the old one a second name.
func (s *FileStore) Replace(write func(io.Writer) error, backup string) error {
	path, err := filepath.EvalSymlinks(s.path) // replace the file, not a link to it
	if err != nil {
		return err
	}
	if backup != "" {
		if err := keepAs(path, path+backup); err != nil {
			return fmt.Errorf("%s: no backup, so nothing was changed: %w", path, err)
		}
	}
	if err := replaceFile(path, write); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// keepAs gives the content of path the name backup too, and never overwrites an older backup.
func keepAs(path, backup string) error {
	err := os.Link(path, backup)
	if err == nil || errors.Is(err, fs.ErrExist) && sameContent(path, backup) {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: move it away", backup)
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = writeAll(to, func(w io.Writer) error { _, err := io.Copy(w, from); return err }, true)
	if err != nil {
		_ = os.Remove(backup)
	}
	return err
}

// sameContent tells whether a backup that is already there is of this very content, as it is when
// a process died between the backup and what was to follow.
func sameContent(a, b string) bool {
	fa, err := os.Open(a)
	if err != nil {
		return false
	}
	defer fa.Close()
	fb, err := os.Open(b)
	if err != nil {
		return false
	}
	defer fb.Close()
	return equalReaders(bufio.NewReader(fa), bufio.NewReader(fb))
}

func equalReaders(a, b *bufio.Reader) bool {
	for {
		x, errA := a.ReadByte()
		y, errB := b.ReadByte()
		if errA != nil || errB != nil {
			return errA == io.EOF && errB == io.EOF
		}
		if x != y {
			return false
		}
	}
}

// writeAll writes a file's content and closes it.
func writeAll(f *os.File, write func(io.Writer) error, sync bool) error {
	w := bufio.NewWriterSize(f, 1<<20)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
