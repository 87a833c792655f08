package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

// NewPath names a file for a new session in a directory, the way the tools of this kind do: the
// time, then the session's id.
func NewPath(dir string, h Header) string {
	t, ok := h.Time()
	if !ok {
		t = time.Now()
	}
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(formatTime(t))
	return filepath.Join(dir, stamp+"_"+h.ID+".jsonl")
}

// CreateBranchedSession copies the path from the root to an entry, or with "" to the leaf, into a
// new session (section 10): a new header whose parentSession is this one, the path's entries
// without its label entries, then a fresh label entry for each label on an entry that was copied.
// The file at path appears whole; with path "" the session is in memory. This session is untouched.
//
// What hung from a dropped label is re-chained to the nearest entry above that was kept, and a
// compaction's firstKeptEntryId that named one moves to the next entry on the path that was kept.
func (s *Session) CreateBranchedSession(ctx context.Context, leaf, path string, opts ...Option) (*Session, error) {
	l, way, err := s.path(leaf)
	if err != nil {
		return nil, err
	}
	return s.copyTo(ctx, path, opts, func(w io.Writer) error { return s.writePath(ctx, w, l, way) })
}

// Fork copies the whole tree into a new session at path, or with path "" in memory. Its header
// names this session as the parent.
func (s *Session) Fork(ctx context.Context, path string, opts ...Option) (*Session, error) {
	l := s.current()
	l.mu.RLock()
	n := l.idx.n
	l.mu.RUnlock()
	return s.copyTo(ctx, path, opts, func(w io.Writer) error {
		r := newEntryReader(l)
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			raw, err := r.read(l.entryAt(i))
			if err != nil {
				return err
			}
			if err := writeLine(w, raw); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Session) copyTo(ctx context.Context, path string, opts []Option, entries func(io.Writer) error) (*Session, error) {
	from := s.Header()
	h := complete(Header{Cwd: from.Cwd, Title: s.Name(), ParentSession: s.Path()})
	if h.ParentSession == "" {
		h.ParentSession = from.ID
	}
	var store Store = new(MemoryStore)
	if path != "" {
		file, err := NewFileStore(path)
		if err != nil {
			return nil, err
		}
		store = file
	}
	o := newSession(store, opts).opt
	if o.cwd != "" {
		h.Cwd = o.cwd
	}
	err := store.Create(func(w io.Writer) error {
		if err := writeLine(w, h.marshal()); err != nil {
			return err
		}
		return entries(w)
	}, !o.noSync)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s exists already (%w): choose another name", path, fs.ErrExist)
		}
		return nil, fmt.Errorf("cannot write the new session: %w", err)
	}
	return OpenStore(ctx, store, append(slices.Clone(opts), WithoutPosition())...)
}

func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write([]byte{'\n'})
	return err
}

func (s *Session) writePath(ctx context.Context, w io.Writer, l *log, way []int32) error {
	entries := make([]Entry, len(way))
	l.mu.RLock()
	for i, n := range way {
		entries[i] = l.entry(n)
	}
	l.mu.RUnlock()
	dropped := map[string]string{} // a label entry's id, and the next kept one on the path
	next := ""
	for _, e := range slices.Backward(entries) {
		if id := e.key(); e.Type() == TypeLabel {
			dropped[id] = next
		} else {
			next = id
		}
	}
	kept := map[int32]string{} // the ids of the entries that have a label
	used := make(map[string]bool, len(entries))
	parent := ""
	r := newEntryReader(l)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Type() == TypeLabel {
			continue
		}
		raw, err := r.read(e)
		if err != nil {
			return err
		}
		raw = rechain(raw, parent)
		// Of several entries with one id, the later get one of their own: labels and children name
		// the one they belong to.
		parent = e.key()
		if used[parent] {
			parent = l.unusedID(used)
			raw = setMember(raw, "id", quote(parent), "type")
		}
		used[parent] = true
		if e.Type() == TypeCompaction {
			raw = editMember(raw, "firstKeptEntryId", func(v []byte) []byte {
				if to, ok := dropped[string(rawjson.Unescape(bytes.Trim(v, `"`)))]; ok && to != "" {
					return quote(to)
				}
				return v
			})
		}
		if err := writeLine(w, raw); err != nil {
			return err
		}
		if e.Label() != "" {
			kept[e.n] = parent
		}
	}
	// The labels, in a chain behind the path: the last of them becomes the leaf.
	var labels []Label
	l.mu.RLock()
	for target := range kept {
		on := l.idx.labels[target]
		labels = append(labels, Label{Target: l.entry(target), Text: on.text, By: l.entry(on.by)})
	}
	l.mu.RUnlock()
	slices.SortFunc(labels, func(a, b Label) int { return int(a.By.n) - int(b.By.n) })
	now := formatTime(time.Now())
	for _, lab := range labels {
		id := l.unusedID(used)
		used[id] = true
		line, err := newLine(LabelChange{TargetID: kept[lab.Target.n], Label: lab.Text}, id, parent, now)
		if err != nil {
			return err
		}
		if err := writeLine(w, line); err != nil {
			return err
		}
		parent = id
	}
	return nil
}

// unusedID is an id that neither the log nor used has.
func (l *log) unusedID(used map[string]bool) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for {
		if id := l.idx.freshID(); !used[id] {
			return id
		}
	}
}

// key is the id as it stands in the log, without what ID adds to tell two apart.
func (e Entry) key() string {
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.key(e.n).String()
}

// rechain gives an entry another parent; bytes that say it already stay as they are.
func rechain(raw []byte, parent string) []byte {
	if v, ok := locate(raw, "parentId"); ok {
		now := member{span{v.start, v.end}, nullValue, false}
		if raw[v.start] == '"' {
			now = member{span{v.start + 1, v.end - 1}, stringValue, true}
		}
		if now.kind == stringValue && now.text(raw) == parent && parent != "" || raw[v.start] == 'n' && parent == "" {
			return raw
		}
	}
	return setMember(raw, "parentId", quoteID(parent), "id")
}
