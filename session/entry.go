package session

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
)

// The types of entries (section 1). An entry of any other type is kept as found.
const (
	TypeMessage             = "message"
	TypeCustomMessage       = "custom_message"
	TypeBranchSummary       = "branch_summary"
	TypeCompaction          = "compaction"
	TypeModelChange         = "model_change"
	TypeThinkingLevelChange = "thinking_level_change"
	TypeModeChange          = "mode_change"
	TypeTTSRInjection       = "ttsr_injection"
	TypeLabel               = "label"
	TypeCustom              = "custom"
	TypeSessionInfo         = "session_info"
	TypeSessionInit         = "session_init"
	TypeResetBoundary       = "reset_boundary"

	typeTitleChange = "title_change"
	typeSession     = "session" // a header
	typeTitle       = "title"   // the line before a header
)

// Entry is a node of the tree. It is a small value that may be kept and copied, and is safe for
// concurrent use: what an entry says never changes. Its bytes stay in the log until someone asks
// for them. The zero Entry is no entry.
type Entry struct {
	log *log
	n   int32
	rec record
}

// IsZero tells whether this is no entry.
func (e Entry) IsZero() bool { return e.log == nil }

// ID is what the entry is found by: the id in the log, or, for the second different entry with
// one id, that id and "~2" (section 2).
func (e Entry) ID() string {
	if e.log == nil {
		return ""
	}
	if e.rec.id&longID == 0 && e.rec.flags&flagShared == 0 {
		return hexID(uint32(e.rec.id))
	}
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.address(e.n)
}

// Index is the entry's number in the file's order, from 0.
func (e Entry) Index() int { return int(e.n) }

// Type is the entry's type, one of the Type constants or whatever the log says.
func (e Entry) Type() string { return e.name(e.rec.kind, "type") }

// Role is a message entry's role, and "" for other entries.
func (e Entry) Role() string { return e.name(e.rec.role, "message", "role") }

func (e Entry) name(id uint16, path ...string) string {
	if e.log == nil {
		return ""
	}
	if id != tooManyNames {
		e.log.mu.RLock()
		defer e.log.mu.RUnlock()
		return e.log.idx.names[id]
	}
	raw, err := e.Raw()
	if err != nil {
		return ""
	}
	var s string
	for i, key := range path {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil {
			return ""
		}
		if raw = m[key]; i == len(path)-1 {
			_ = json.Unmarshal(raw, &s)
		}
	}
	return s
}

// Time is the entry's timestamp. One that cannot be read counts as that of the entry before.
func (e Entry) Time() time.Time { return time.UnixMilli(e.rec.time).UTC() }

// Size is the length of the entry's line in bytes.
func (e Entry) Size() int64 { return e.rec.size }

// Offset is where the entry's line starts in the log, in bytes.
func (e Entry) Offset() int64 { return e.rec.off }

// HasText tells whether a message entry has text that is not blank.
func (e Entry) HasText() bool { return e.rec.flags&flagText != 0 }

// HasToolCalls tells whether a message entry has tool calls.
func (e Entry) HasToolCalls() bool { return e.rec.flags&flagCalls != 0 }

// Failed tells whether a message entry is an answer that ended in an error.
func (e Entry) Failed() bool { return e.rec.flags&flagFailed != 0 }

// Aborted tells whether a message entry is an answer that was stopped.
func (e Entry) Aborted() bool { return e.rec.flags&flagAborted != 0 }

// Orphan tells whether the entry names a parent that is not in the log, which makes it a root.
func (e Entry) Orphan() bool {
	if e.log == nil {
		return false
	}
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.at(e.n).flags&flagOrphan != 0
}

// Parent is the entry this one hangs from; ok is false for a root.
func (e Entry) Parent() (parent Entry, ok bool) {
	if e.log == nil {
		return Entry{}, false
	}
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	p := e.log.idx.at(e.n).parent
	if p == none {
		return Entry{}, false
	}
	return e.log.entry(p), true
}

// ParentID is the parent's ID, and "" for a root.
func (e Entry) ParentID() string {
	p, _ := e.Parent()
	return p.ID()
}

// Children yields the entries that hang from this one, oldest first.
func (e Entry) Children() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if e.log == nil {
			return
		}
		e.log.mu.RLock()
		children := e.log.idx.children(e.n)
		e.log.mu.RUnlock()
		e.log.each(children, yield)
	}
}

// HasChildren tells whether anything hangs from this entry.
func (e Entry) HasChildren() bool {
	if e.log == nil {
		return false
	}
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.at(e.n).first != none
}

// Raw reads the entry's bytes from the log: exactly those that stand there, but for what migration
// changes in an old log (section 3).
func (e Entry) Raw() (json.RawMessage, error) {
	if e.log == nil {
		return nil, fmt.Errorf("no entry")
	}
	b := make([]byte, e.rec.size)
	if _, err := e.log.view.ReadAt(b, e.rec.off); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: entry %s: %w", e.log.store, e.ID(), err)
	}
	return e.checked(b, new(scanner))
}

// checked is what stands where the entry was found, if that is still the entry: another program may
// have rewritten the file, and no answer is better than another entry's.
func (e Entry) checked(b []byte, s *scanner) ([]byte, error) {
	var now scanned
	gone := len(b) == 0 || b[0] != '{'
	if !gone {
		fault, _ := s.scanObject(b, 0, &now)
		gone = fault != rawjson.OK || now.end != len(b)
	}
	if gone || e.rec.flags&flagGivenID == 0 && !e.is(now.id.key(b)) {
		return nil, fmt.Errorf("%s: entry %s is not at byte %d any more: another program rewrote the file; open it again", e.log.store, e.ID(), e.rec.off)
	}
	return e.log.migrate(e.n, b)
}

// entryReader reads many entries that stand close to each other with few reads.
type entryReader struct {
	log  *log
	buf  []byte
	base int64
	scan scanner
}

func newEntryReader(l *log) *entryReader { return &entryReader{log: l} }

// read returns an entry's bytes, which are good until the next call.
func (r *entryReader) read(e Entry) ([]byte, error) {
	const window = 256 << 10
	off, size := e.rec.off, e.rec.size
	if size > window/4 {
		return e.Raw()
	}
	if off < r.base || off+size > r.base+int64(len(r.buf)) {
		if r.buf == nil {
			r.buf = make([]byte, window)
		}
		r.buf = r.buf[:cap(r.buf)]
		n, err := e.log.view.ReadAt(r.buf, off)
		if int64(n) < size {
			return nil, fmt.Errorf("%s: entry %s: %w", e.log.store, e.ID(), err)
		}
		r.base, r.buf = off, r.buf[:n]
	}
	at := off - r.base
	return e.checked(r.buf[at:at+size:at+size], &r.scan)
}

func (e Entry) is(k idKey) bool {
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.same(e.n, k)
}

// Body reads and decodes the entry. A member of the wrong type reads as if it were not there; an
// entry of an unknown type is a RawBody.
func (e Entry) Body() (Body, error) {
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	return decodeBody(e.Type(), raw), nil
}

// Message reads the message of a message entry.
func (e Entry) Message() (message.Message, error) {
	b, err := e.Body()
	if err != nil {
		return message.Message{}, err
	}
	m, ok := b.(Message)
	if !ok {
		return message.Message{}, fmt.Errorf("%s: entry %s is a %s, not a message", e.log.store, e.ID(), e.Type())
	}
	return m.Message, nil
}

func (l *log) entry(i int32) Entry { return Entry{log: l, n: i, rec: *l.idx.at(i)} }

// each yields entries without holding the lock while the caller works.
func (l *log) each(list []int32, yield func(Entry) bool) {
	for _, i := range list {
		l.mu.RLock()
		e := l.entry(i)
		l.mu.RUnlock()
		if !yield(e) {
			return
		}
	}
}
