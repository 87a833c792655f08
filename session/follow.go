package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"
)

// How often Follow looks for new entries: ever less often while there are none.
const (
	followSoonest = 200 * time.Millisecond
	followLatest  = 900 * time.Millisecond
)

// Refresh reads what others appended since the log was last looked at, and returns how many
// entries that were. The leaf stays. When another program rewrote the log it is read anew; see
// Epoch.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.exists() {
		return 0, nil
	}
	s.mu.RLock()
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return 0, ErrClosed
	}
	before := s.Len()
	// A log that is gone changes nothing: what was read of it stays, and the next append puts it back.
	if err := s.sync(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s: %w", s.label(), err)
	}
	return max(0, s.Len()-before), nil
}

// Follow yields the entries that others append from now on, within a second of their being
// written, until ctx is done. An error that may pass is yielded too, and following goes on.
func (s *Session) Follow(ctx context.Context) iter.Seq2[Entry, error] {
	l := s.current()
	next := s.Len()
	return func(yield func(Entry, error) bool) {
		wait := followSoonest
		for {
			if _, err := s.Refresh(ctx); err != nil && ctx.Err() == nil {
				if !yield(Entry{}, err) {
					return
				}
			}
			var fresh []Entry
			fresh, l, next = s.since(l, next)
			wait = min(wait+wait/16, followLatest)
			for _, e := range fresh {
				wait = followSoonest
				if !yield(e, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
		}
	}
}

// since lists the entries of others from number next on, and where to go on. When the log is not
// the one it was, these are the entries that the old one did not have.
func (s *Session) since(old *log, next int) ([]Entry, *log, int) {
	s.writing.Lock() // an append of our own is not half done
	defer s.writing.Unlock()
	l := s.current()
	if l != old {
		next = 0
	}
	var fresh []Entry
	for n := s.Len(); next < n; next++ {
		e := s.At(next)
		if e.rec.flags&flagOwn == 0 && (l == old || !old.has(e.ID())) {
			fresh = append(fresh, e)
		}
	}
	return fresh, l, next
}

func (l *log) has(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.idx.find(id) != none
}
