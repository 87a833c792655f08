package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
)

// log is one log as far as it has been read: its index, header and problems. A log that others
// append to grows; a log that was replaced is dropped for a new one.
type log struct {
	store string // its name, for errors
	view  View

	mu       sync.RWMutex // guards what follows
	idx      *index
	header   *Header
	slot     *titleSlot // the line before the header, if there is one
	version  int        // of the file; 0 until known
	problems []Problem
	readOnly error // why appends are refused
	ordinals []int32
	lines    int
	end      int64 // what is below has been read and will not be read again
	seen     int64 // the size up to which the log was last looked at
	open     bool  // the last line has no '\n'
	bounds   bounds
}

// bounds holds the first and the last bytes that were read: a cheap look at them tells whether the
// file is still the one that was read.
type bounds struct{ head, tail []byte }

const boundSize = 512

// ErrNotSession is the error for a file that holds no session (section 2).
var ErrNotSession = errors.New("not a session")

// ErrReadOnly is the error for changing a session that was opened read-only: its header is missing
// or its format is newer than this package (section 2).
var ErrReadOnly = errors.New("read-only session")

// errChanged tells that the log is no longer the one that was read.
var errChanged = errors.New("the log was replaced, shortened or rewritten")

func newLog(store string, view View) *log { return &log{store: store, view: view, idx: newIndex()} }

// progressFunc is told how many bytes of how many have been read.
type progressFunc func(done, total int64)

// grow reads what was appended since it was last called, the whole log at first. It returns
// errChanged when the log is not the one it was.
func (l *log) grow(ctx context.Context, progress progressFunc) error {
	size, err := l.view.Size()
	if err != nil {
		return err
	}
	if size < l.seen {
		return errChanged
	}
	if l.seen > 0 {
		if same, err := l.bounds.match(l.view, l.end); err != nil || !same {
			return cmp.Or(err, errChanged)
		}
	}
	if size == l.seen {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.seen == 0
	line := l.lines
	if l.open {
		line-- // the rest of the line that had no end
		kept := slices.DeleteFunc(l.problems, func(p Problem) bool { return p.Offset >= l.end })
		l.problems = kept
		l.lines = line
	}
	open, end := false, l.end
	err = readPieces(ctx, l.view, l.end, size, func(p *piece) (bool, error) {
		if open {
			return true, nil // a giant last line runs through the pieces that follow
		}
		if err := l.take(p); err != nil {
			return false, err
		}
		l.lines += p.lines
		open, end = p.open, p.consumed
		if progress != nil {
			progress(end, size)
		}
		return !(first && l.hopeless(end)), nil
	})
	if err != nil {
		return err
	}
	l.idx.settle(func(entry int32, line int, kind ProblemKind, msg string) {
		off := l.idx.at(entry).off
		if msg == "" {
			l.problems = slices.DeleteFunc(l.problems, func(p Problem) bool { return p.Kind == kind && p.Offset == off })
			return
		}
		l.problem(line, off, kind, msg)
	})
	slices.SortStableFunc(l.problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
	l.open, l.end, l.seen = open, end, size
	return l.bounds.read(l.view, l.end)
}

// readPieces scans [from, to) piece by piece, several at once, and hands them over in order until
// take says no.
func readPieces(ctx context.Context, src io.ReaderAt, from, to int64, take func(*piece) (bool, error)) error {
	n := int((to - from + pieceSize - 1) / pieceSize)
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		var p piece
		r := newPieceReader(src, to)
		for start := from; start < to; start += pieceSize {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.read(start, min(start+pieceSize, to), start == from, &p); err != nil {
				return err
			}
			if more, err := take(&p); err != nil || !more {
				return err
			}
		}
		return nil
	}
	type result struct {
		piece *piece
		err   error
	}
	type job struct {
		start int64
		out   chan result
	}
	ctx, cancel := context.WithCancel(ctx)
	jobs := make(chan job)
	order := make(chan chan result, workers+1) // bounds how far the workers run ahead
	spare := make(chan *piece, 2*workers+2)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(jobs)
		defer close(order)
		for start := from; start < to; start += pieceSize {
			out := make(chan result, 1)
			select {
			case order <- out:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- job{start, out}:
			case <-ctx.Done():
				return
			}
		}
	})
	for range workers {
		wg.Go(func() {
			r := newPieceReader(src, to)
			for j := range jobs {
				var p *piece
				select {
				case p = <-spare:
				default:
					p = new(piece)
				}
				err := r.read(j.start, min(j.start+pieceSize, to), j.start == from, p)
				j.out <- result{p, err}
			}
		})
	}
	for out := range order {
		select {
		case r := <-out:
			if r.err != nil {
				return r.err
			}
			if more, err := take(r.piece); err != nil || !more {
				return err
			}
			select {
			case spare <- r.piece:
			default:
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// hopeless tells, after the first piece, whether reading on is pointless: not one entry.
func (l *log) hopeless(read int64) bool {
	return read >= 1<<20 && l.header == nil && l.idx.n == 0 && l.lines > 1
}

func (l *log) problem(line int, off int64, kind ProblemKind, msg string) {
	l.problems = append(l.problems, Problem{Line: line, Offset: off, Kind: kind, Message: msg})
}

// take puts a piece's objects into the index.
func (l *log) take(p *piece) error {
	for _, q := range p.problems {
		l.problem(l.lines+q.Line+1, q.Offset, q.Kind, q.Message)
	}
	for i := range p.found {
		f := &p.found[i]
		line := l.lines + f.line + 1
		switch f.typ {
		case typeTitle:
			if l.header == nil && l.idx.n == 0 && l.slot == nil && !f.id.ok {
				l.slot = readTitleSlot(f)
				continue
			}
		case typeSession:
			if l.header == nil && l.idx.n == 0 {
				l.takeHeader(f, line)
			} else {
				l.problem(line, f.off, ProblemRepeatedHeader, "another session header: ignored")
			}
			continue
		}
		if err := l.takeEntry(f, line); err != nil {
			return err
		}
	}
	return nil
}

func (l *log) takeHeader(f *found, line int) {
	l.header = readHeader(f.raw)
	l.header.line = place{f.off, f.size}
	l.version = l.header.Version
	if l.version > Version {
		l.problem(line, f.off, ProblemNewerVersion, fmt.Sprintf("format version %d; this program knows up to %d", l.version, Version))
		l.readOnly = fmt.Errorf("%w: %s has format version %d and this program knows up to %d: use the tool that wrote it, or a newer ramo",
			ErrReadOnly, l.store, l.version, Version)
	}
	if l.damagedBefore(line) {
		l.missingHeader(f.off, line, "the first line is no header; one was found further down")
	}
	if l.version < 2 {
		l.ordinals = append(l.ordinals, none)
	}
}

// damagedBefore tells whether a line before the header could not be read.
func (l *log) damagedBefore(line int) bool {
	return slices.ContainsFunc(l.problems, func(p Problem) bool {
		return p.Line < line && (p.Kind == ProblemNotJSON || p.Kind == ProblemMergedLines || p.Kind == ProblemNotEntry || p.Kind == ProblemNoID)
	})
}

func (l *log) missingHeader(off int64, line int, msg string) {
	l.problem(line, off, ProblemMissingHeader, msg+": opened read-only")
	l.readOnly = fmt.Errorf("%w: %s has no session header in its first line: run 'ramo doctor --repair %s', which writes a new file with one",
		ErrReadOnly, l.store, l.store)
}

func (l *log) takeEntry(f *found, line int) error {
	if l.header == nil {
		// Entries without a header. Only what surely is one counts, for the file may be anything.
		switch {
		case f.id.ok && f.hasParent && f.hasTime && f.typ != "":
			l.version = max(l.version, Version)
		case !f.id.ok && !f.hasParent && f.hasTime && f.typ == TypeMessage && f.role != "":
			l.version = max(l.version, 1)
		default:
			l.problem(line, f.off, ProblemNotEntry, "an object that is no entry of a session")
			return nil
		}
		if l.idx.n == 0 {
			l.missingHeader(f.off, line, "entries, but no header before them")
		}
		l.header = &Header{Version: l.version, Inferred: true}
	}
	if l.version < 2 {
		l.ordinals = append(l.ordinals, none)
		if !f.id.ok {
			f.id = l.derivedID(f.hash)
			f.flags |= flagGivenID
		}
		if !f.hasParent && l.idx.n > 0 {
			f.parent = l.idx.key(l.idx.n - 1)
		}
	}
	if !f.id.ok {
		l.problem(line, f.off, ProblemNoID, "an entry without an id: skipped")
		return nil
	}
	first := l.idx.lookup(f.id)
	if first != none {
		again, err := l.idx.repeats(l.view, f, first)
		if err != nil {
			return err
		}
		if again {
			l.problem(line, f.off, ProblemRepeatedEntry, "the entry "+f.id.String()+" stands here again: ignored")
			return nil
		}
	}
	i := l.idx.add(f, line, first)
	if l.version < 2 {
		l.ordinals[len(l.ordinals)-1] = i
	}
	if l.idx.at(i).flags&flagShared != 0 {
		l.problem(line, f.off, ProblemDuplicateID, "another entry has the id "+f.id.String()+": this one is "+l.idx.address(i))
	}
	if !f.timeOK {
		l.problem(line, f.off, ProblemBadTimestamp, "the timestamp cannot be read")
	}
	if f.typ == "" {
		l.problem(line, f.off, ProblemNotEntry, "an entry without a type")
	}
	return nil
}

// derivedID is the id that a version 1 entry gets: made from its bytes and its place, so that every
// reader gives it the same (section 3).
func (l *log) derivedID(hash uint64) idKey {
	for n := uint64(len(l.ordinals)); ; n += 0x9e3779b9 {
		h := (hash ^ n) * 0xff51afd7ed558ccd
		if k := (idKey{hex: uint32(h >> 32), ok: true}); l.idx.lookup(k) == none {
			return k
		}
	}
}

// empty tells whether the log holds nothing at all, so that it is a new session.
func (l *log) empty() bool {
	return l.header == nil && l.idx.n == 0 && l.slot == nil &&
		!slices.ContainsFunc(l.problems, func(p Problem) bool { return p.Kind != ProblemNUL })
}

// notSession says why the log is none.
func (l *log) notSession() error {
	head := make([]byte, boundSize)
	n, _ := l.view.ReadAt(head, 0)
	head = bytes.TrimSpace(bytes.TrimPrefix(head[:n], bom))
	why := "it is text, not JSON lines"
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		why = "it is binary data"
	case l.slot != nil:
		why = "it has a title line, but no session header and no entries"
	case len(head) > 0 && (head[0] == '{' || head[0] == '['):
		why = "it is JSON, but has no session header and no entries"
	}
	return fmt.Errorf("%s: %w: %s", l.store, ErrNotSession, why)
}

func (b *bounds) read(src io.ReaderAt, end int64) error {
	b.head = make([]byte, min(boundSize, end))
	b.tail = make([]byte, min(boundSize, end))
	return b.fill(src, end)
}

func (b *bounds) fill(src io.ReaderAt, end int64) error {
	if len(b.head) == 0 {
		return nil
	}
	if _, err := src.ReadAt(b.head, 0); err != nil && err != io.EOF {
		return err
	}
	_, err := src.ReadAt(b.tail, end-int64(len(b.tail)))
	if err == io.EOF {
		err = nil
	}
	return err
}

func (b *bounds) match(src io.ReaderAt, end int64) (bool, error) {
	now := bounds{make([]byte, len(b.head)), make([]byte, len(b.tail))}
	if err := now.fill(src, end); err != nil {
		return false, err
	}
	return bytes.Equal(b.head, now.head) && bytes.Equal(b.tail, now.tail), nil
}
