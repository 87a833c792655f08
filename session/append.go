package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"
)

// Append writes an entry that hangs from the leaf, and moves the leaf to it (section 5). When it
// returns nil the entry is in the log for good; on an error it is neither there nor in memory, and
// the session can go on once the cause is gone. Cancelling ctx ends the wait for another process's
// write; once its own has begun it is finished.
func (s *Session) Append(ctx context.Context, b Body) (Entry, error) {
	return s.append(ctx, b, nil)
}

// append appends at the leaf, or at the entry that *at names ("" for a new root).
func (s *Session) append(ctx context.Context, b Body, at *string) (Entry, error) {
	if c, ok := b.(LabelChange); ok {
		if err := checkLabel(c.Label); err != nil {
			return Entry{}, err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.usable(); err != nil {
		return Entry{}, err
	}
	if !s.exists() {
		return s.appendNew(ctx, b, at)
	}
	unlock, err := s.prepare(ctx)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot append to %s: %w", s.label(), err)
	}
	defer func() { _ = unlock() }() // the entry is written; closing the lock's file cannot undo that
	line, err := s.compose(b, at)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot append to %s: %w", s.label(), err)
	}
	l := s.current()
	out := make([]byte, 0, len(line)+2)
	if ends, err := endsLine(l.view); err != nil {
		return Entry{}, fmt.Errorf("cannot append to %s: %w", s.label(), err)
	} else if !ends {
		out = append(out, '\n') // never merge with what a crash left
	}
	out = append(append(out, line...), '\n')
	if err := s.store.Append(out, !s.opt.noSync); err != nil {
		return Entry{}, fmt.Errorf("cannot append to %s: %w", s.label(), err)
	}
	if err := l.grow(context.WithoutCancel(ctx), nil); err != nil {
		return Entry{}, fmt.Errorf("%s: the entry was written but cannot be read back: %w", s.label(), err)
	}
	return s.moved(line)
}

func (s *Session) label() string {
	if name := s.store.Name(); name != "" {
		return name
	}
	return "the session in memory"
}

func (s *Session) usable() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	s.log.mu.RLock()
	defer s.log.mu.RUnlock()
	return s.log.readOnly
}

func (s *Session) exists() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.made
}

// prepare locks the log, reads what others appended, and brings an old one to the present version.
func (s *Session) prepare(ctx context.Context) (unlock func() error, err error) {
	for {
		if unlock, err = s.lock(ctx); err != nil {
			return nil, err
		}
		upgraded := false
		if err = s.sync(ctx); err == nil {
			upgraded, err = s.upgrade()
		}
		if err == nil && !upgraded {
			if err = s.usable(); err == nil { // what was read now may be read-only
				return unlock, nil
			}
		}
		// The lock is on the file that was replaced: lock the one that took its place.
		if unlockErr := unlock(); err == nil {
			err = unlockErr
		}
		if err != nil {
			return nil, err
		}
	}
}

// lock locks the log; one that was deleted is first put back with all that it held.
func (s *Session) lock(ctx context.Context) (unlock func() error, err error) {
	for range 3 {
		unlock, err = s.store.Lock(ctx)
		if !errors.Is(err, fs.ErrNotExist) {
			return unlock, err
		}
		l := s.current()
		err = s.store.Create(func(w io.Writer) error {
			size, err := l.view.Size()
			if err != nil {
				return err
			}
			_, err = io.Copy(w, io.NewSectionReader(l.view, 0, size))
			return err
		}, true)
		if err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been first
			return nil, fmt.Errorf("it was deleted and cannot be written anew: %w", err)
		}
	}
	return unlock, err
}

// sync reads what others appended. The caller has locked the log, or does not mind that it grows.
func (s *Session) sync(ctx context.Context) error {
	l := s.current()
	current, err := l.view.Current()
	if err != nil {
		return err
	}
	if current {
		if err = l.grow(ctx, nil); !errors.Is(err, errChanged) {
			return err
		}
	}
	return s.reload(ctx)
}

// reload reads the log anew after another program rewrote it, and finds the leaf by its id.
func (s *Session) reload(ctx context.Context) error {
	view, err := s.store.Open()
	if err != nil {
		return err
	}
	l, err := readLog(ctx, s.store.Name(), view, nil)
	if err == nil && l.header == nil {
		err = fmt.Errorf("%s: another program emptied the file; restore it, or move it away and append again", s.store.Name())
	}
	if err != nil {
		_ = view.Close()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.log
	for i := range old.idx.n { // what Follow must not report
		if old.idx.at(i).flags&flagOwn != 0 {
			if k := l.idx.find(old.idx.address(i)); k != none {
				l.idx.at(k).flags |= flagOwn
			}
		}
	}
	if s.leaf != none {
		id := old.idx.address(s.leaf)
		if s.leaf = l.idx.find(id); s.leaf == none {
			s.lost = id
		}
	}
	s.log = l
	s.epoch++
	// The old view stays open for entries that were handed out; the runtime closes it after them.
	return nil
}

// upgrade rewrites a log of an older version, keeping the old file.
func (s *Session) upgrade() (bool, error) {
	l := s.current()
	if l.version >= Version {
		return false, nil
	}
	backup := fmt.Sprintf(".v%d.bak", l.version)
	if err := s.store.Replace(l.writeMigrated, backup); err != nil {
		return false, fmt.Errorf("migrating it to version %d: %w", Version, err)
	}
	return true, nil
}

// compose makes the line for an entry at the leaf, or at *at.
func (s *Session) compose(b Body, at *string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.log.mu.RLock()
	defer s.log.mu.RUnlock()
	x := s.log.idx
	parent := s.leaf
	switch {
	case at != nil && *at == "":
		parent = none
	case at != nil:
		if parent = x.find(*at); parent == none {
			return nil, s.notFound(*at)
		}
	case s.lost != "":
		return nil, fmt.Errorf("%w: %s is not in the file that another program wrote; move to an entry, or to a new root, and append again", ErrLeafLost, s.lost)
	}
	parentID, err := x.reference(parent)
	if err != nil {
		return nil, err
	}
	switch c := b.(type) {
	case LabelChange:
		target := x.find(c.TargetID)
		if target == none {
			return nil, s.notFound(c.TargetID)
		}
		if c.TargetID, err = x.reference(target); err != nil {
			return nil, err
		}
		b = c
	case BranchSummary:
		if c.FromID == "" {
			c.FromID = cmp.Or(parentID, "root")
		}
		b = c
	case Compaction:
		if kept := x.find(c.FirstKeptEntryID); kept != none {
			if c.FirstKeptEntryID, err = x.reference(kept); err != nil {
				return nil, err
			}
		}
		b = c
	case RawBody:
		if c.EntryType() == TypeLabel {
			lab := decodeBody(TypeLabel, []byte(c)).(LabelChange)
			target := x.find(lab.TargetID)
			if target == none {
				return nil, s.notFound(lab.TargetID)
			}
			if err := checkLabel(lab.Label); err != nil {
				return nil, err
			}
			id, err := x.reference(target)
			if err != nil {
				return nil, err
			}
			if id != lab.TargetID {
				b = RawBody(setMember(bytes.TrimSpace(c), "targetId", quote(id), "type"))
			}
		}
	}
	return newLine(b, x.freshID(), parentID, formatTime(time.Now()))
}

// reference is the id by which a new entry names an older one. When several entries have it, it
// leads to the latest of them, so that the others cannot be named.
func (x *index) reference(i int32) (string, error) {
	if i == none {
		return "", nil
	}
	k := x.key(i)
	if x.before(k, x.n) != i {
		return "", fmt.Errorf("several entries have the id %s, and a new entry would hang from the last of them: give them ids of their own with 'ramo doctor --repair'", k)
	}
	return k.String(), nil
}

// freshID is an id that no entry of the log has.
func (x *index) freshID() string {
	for {
		if v := rand.Uint32(); x.lookup(idKey{hex: v, ok: true}) == none {
			return hexID(v)
		}
	}
}

// moved moves the leaf to the entry that has just been written, which is not always the last: a
// program that ignores the lock may have written behind it.
func (s *Session) moved(line []byte) (Entry, error) {
	var c scanned
	new(scanner).scanObject(line, 0, &c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	i := s.log.idx.lookup(c.id.key(line))
	if i == none {
		return Entry{}, fmt.Errorf("%s: the entry was written but cannot be found again: run 'ramo doctor'", s.label())
	}
	s.log.idx.at(i).flags |= flagOwn
	s.leaf, s.lost = i, ""
	return s.log.entry(i), nil
}

// endsLine tells whether the log is empty or ends with '\n'.
func endsLine(v View) (bool, error) {
	size, err := v.Size()
	if err != nil || size == 0 {
		return true, err
	}
	var last [1]byte
	if _, err := v.ReadAt(last[:], size-1); err != nil && err != io.EOF {
		return false, err
	}
	return last[0] == '\n', nil
}

// appendNew appends to a session whose log does not exist yet. The first message makes it.
func (s *Session) appendNew(ctx context.Context, b Body, at *string) (Entry, error) {
	line, err := s.compose(b, at)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot append to %s: %w", s.label(), err)
	}
	l := s.current()
	line = append(line, '\n')
	if b.EntryType() == TypeMessage {
		if err := s.begin(ctx, line); err != nil {
			return Entry{}, fmt.Errorf("cannot write %s: %w", s.label(), err)
		}
		return s.moved(line)
	}
	l.view.(*memoryView).append(line)
	if err := l.grow(ctx, nil); err != nil {
		return Entry{}, err
	}
	return s.moved(line)
}

// WriteHeader makes the log of a new session at once, with its header and what was appended so
// far, instead of with its first message.
func (s *Session) WriteHeader(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.usable(); err != nil || s.exists() {
		return err
	}
	if err := s.begin(ctx, nil); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.label(), err)
	}
	return nil
}

// begin makes the log, with the lines held in memory and one more.
func (s *Session) begin(ctx context.Context, line []byte) error {
	held := s.current().view.(*memoryView)
	content := append(bytes.Clone(held.bytes), line...)
	err := s.store.Create(func(w io.Writer) error { _, err := w.Write(content); return err }, !s.opt.noSync)
	if errors.Is(err, fs.ErrExist) {
		err = s.join(ctx, content)
	}
	if err != nil {
		return err
	}
	if err := s.reload(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	s.mu.Lock()
	s.made = true
	s.epoch-- // the same entries under the same numbers, only read from the log now
	s.mu.Unlock()
	return nil
}

// join writes the lines of a new session into a file that is there: an empty one, or one that
// another process made since. In the latter the entries become a tree of their own.
func (s *Session) join(ctx context.Context, content []byte) error {
	unlock, err := s.store.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	view, err := s.store.Open()
	if err != nil {
		return err
	}
	defer view.Close()
	l, err := readLog(ctx, s.store.Name(), view, nil)
	if err != nil {
		return err
	}
	if l.header != nil {
		if l.readOnly != nil {
			return l.readOnly
		}
		content = content[bytes.IndexByte(content, '\n')+1:]
	}
	ends, err := endsLine(view)
	if err != nil || len(content) == 0 {
		return err
	}
	if !ends {
		content = append([]byte{'\n'}, content...)
	}
	return s.store.Append(content, !s.opt.noSync)
}
