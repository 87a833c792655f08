package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"time"
)

// Session is a conversation: a tree of entries in an append-only log, and a position in it, the
// leaf. All methods are safe for concurrent use by several goroutines; appends take turns.
//
// Other sessions, in this process and in others, may be open on the same log. Each has a leaf of
// its own. What the others append is seen after Refresh, through Follow, and with each append.
type Session struct {
	store Store
	opt   options

	writing sync.Mutex // held through an append, a refresh, a close

	mu     sync.RWMutex // guards what follows; taken before the log's
	log    *log
	epoch  int    // how often log was dropped for another
	leaf   int32  // an entry of log, or none
	lost   string // the leaf's id, when another program wrote a log without it
	made   bool   // the log exists in the store; until then it is in memory
	closed bool
}

type options struct {
	noSync     bool
	noPosition bool
	cwd        string
	progress   progressFunc
}

// Option changes how a session is opened.
type Option func(*options)

// WithoutSync leaves it to the operating system when an append reaches the disk. A crash of the
// machine, though not one of the process, can then lose the last entries.
func WithoutSync() Option { return func(o *options) { o.noSync = true } }

// WithDirectory has a copy, by Fork or CreateBranchedSession, be about another directory than the session it
// is made of. Opening ignores it.
func WithDirectory(cwd string) Option { return func(o *options) { o.cwd = cwd } }

// WithoutPosition opens at the last entry, whatever position was saved.
func WithoutPosition() Option { return func(o *options) { o.noPosition = true } }

// WithProgress has f called while the log is read, with the bytes done and in all. It is called
// from the goroutine that opens.
func WithProgress(f func(done, total int64)) Option { return func(o *options) { o.progress = f } }

// Errors that callers may want to tell apart, with errors.Is.
var (
	ErrNotFound  = errors.New("no such entry")
	ErrAmbiguous = errors.New("ambiguous entry")
	// ErrLeafLost is the error for appending after another program rewrote the log without the
	// entry this session stood at. Move with BranchTo or ResetLeaf first (section 5).
	ErrLeafLost = errors.New("the entry this session stood at is gone")
	ErrClosed   = errors.New("the session is closed")
)

// Open opens the session file at path (section 2). It never writes, and content that is damaged
// does not make it fail: see Problems. An empty file is a new session; a missing one is an error
// that is fs.ErrNotExist. Cancelling ctx stops the reading.
//
// The leaf is the last entry of the file, unless SavePosition left another and nothing was appended
// since.
func Open(ctx context.Context, path string, opts ...Option) (*Session, error) {
	store, err := NewFileStore(path)
	if err != nil {
		return nil, err
	}
	return OpenStore(ctx, store, opts...)
}

// OpenStore opens the session in a store, as Open does.
func OpenStore(ctx context.Context, store Store, opts ...Option) (*Session, error) {
	s := newSession(store, opts)
	view, err := store.Open()
	if err != nil {
		return nil, fmt.Errorf("cannot open the session: %w", err)
	}
	l, err := readLog(ctx, store.Name(), view, s.opt.progress)
	if err != nil {
		_ = view.Close()
		return nil, err
	}
	if l.header == nil { // an empty file
		_ = view.Close()
		s.log = heldLog(store.Name(), NewHeader(""))
		s.log.problems = l.problems
		return s, nil
	}
	s.log, s.made = l, true
	s.leaf = l.idx.n - 1
	if !s.opt.noPosition {
		s.restorePosition()
	}
	return s, nil
}

func readLog(ctx context.Context, name string, view View, progress progressFunc) (*log, error) {
	l := newLog(name, view)
	if err := l.grow(ctx, progress); err != nil {
		return nil, fmt.Errorf("%s: reading: %w", name, err)
	}
	if l.header == nil && !l.empty() {
		return nil, l.notSession()
	}
	return l, nil
}

// Create starts a session whose file will be at path. The file appears with the first message, in
// one write; what is appended before that is kept in memory until then (section 5). There must be
// no file at path, or an empty one. WriteHeader makes the file at once.
func Create(path string, h Header, opts ...Option) (*Session, error) {
	store, err := NewFileStore(path)
	if err != nil {
		return nil, err
	}
	return CreateStore(store, h, opts...)
}

// CreateStore starts a session in a store that has no log yet.
func CreateStore(store Store, h Header, opts ...Option) (*Session, error) {
	s := newSession(store, opts)
	view, err := store.Open()
	if err == nil {
		size, err := view.Size()
		_ = view.Close()
		if err == nil && size > 0 {
			err = fs.ErrExist
		}
		if err != nil {
			return nil, fmt.Errorf("cannot create %s: %w", store.Name(), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot create %s: %w", store.Name(), err)
	}
	s.log = heldLog(store.Name(), complete(h))
	return s, nil
}

// heldLog is a new session's log, in memory until its first message.
func heldLog(name string, h Header) *log {
	l := newLog(name, &memoryView{bytes: append(h.marshal(), '\n')})
	_ = l.grow(context.Background(), nil) // memory has no way to fail
	return l
}

// NewMemory starts a session that is nowhere but in memory.
func NewMemory(h Header, opts ...Option) *Session {
	s, _ := CreateStore(new(MemoryStore), h, opts...) // an empty memory store has no way to fail
	return s
}

func newSession(store Store, opts []Option) *Session {
	s := &Session{store: store, leaf: none}
	for _, o := range opts {
		o(&s.opt)
	}
	return s
}

// NewHeader is a header for a new session about the directory cwd.
func NewHeader(cwd string) Header { return complete(Header{Cwd: cwd}) }

func complete(h Header) Header {
	h.Version = Version
	if h.ID == "" {
		h.ID = newSessionID(time.Now())
	}
	if h.Timestamp == "" {
		h.Timestamp = formatTime(time.Now())
	}
	if h.Tool == "" {
		h.Tool = "ramo"
	}
	return h
}

// Epoch counts how often the log was read anew because another program rewrote it. Entries and
// their numbers belong to the epoch in which they were handed out.
func (s *Session) Epoch() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.epoch
}

// Close releases the log. The session is not usable afterwards; its entries still are, though
// their bytes may not be.
func (s *Session) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.log.view.Close()
}

// Path is where the session's log is, and "" for one in memory.
func (s *Session) Path() string { return s.store.Name() }

// Header is the log's first line.
func (s *Session) Header() Header {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return *l.header
}

// Name is what to call the session: the latest name that an entry gives it, else the title line's,
// else the header's. It is "" when nobody named it.
func (s *Session) Name() string {
	l := s.current()
	l.mu.RLock()
	at, slot, header := l.idx.nameAt, l.slot, l.header
	l.mu.RUnlock()
	if at != none {
		if raw, err := l.entryAt(at).Raw(); err == nil {
			m := membersOf(raw)
			if name := m.str("name") + m.str("title"); name != "" {
				return name
			}
		}
	}
	if slot != nil && slot.title != "" {
		return slot.title
	}
	return header.Title
}

// HasTitleLine tells whether the log starts with the fixed-width title line of newer omp files.
func (s *Session) HasTitleLine() bool {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.slot != nil
}

// ReadOnly is nil, or the reason why nothing can be appended; it is ErrReadOnly.
func (s *Session) ReadOnly() error {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.readOnly
}

// Problems lists what was odd about the log, in file order (section 2).
func (s *Session) Problems() []Problem {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.problems)
}

// Size is how many bytes of the log have been read.
func (s *Session) Size() int64 {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.seen
}

// current is the log that queries are about.
func (s *Session) current() *log {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.log
}

func (l *log) entryAt(i int32) Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.entry(i)
}

// Len is the number of entries.
func (s *Session) Len() int {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return int(l.idx.n)
}

// Messages is the number of message entries.
func (s *Session) Messages() int {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.idx.messages
}

// At is the entry with a number in file order, from 0 to Len()-1. For any other number, as one may
// have become when another program rewrote the log, it is the zero Entry.
func (s *Session) At(i int) Entry {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	if i < 0 || i >= int(l.idx.n) {
		return Entry{}
	}
	return l.entry(int32(i))
}

// Entries yields the entries in file order, with those that arrive meanwhile.
func (s *Session) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		l := s.current()
		for i := int32(0); ; i++ {
			l.mu.RLock()
			if i >= l.idx.n {
				l.mu.RUnlock()
				return
			}
			e := l.entry(i)
			l.mu.RUnlock()
			if !yield(e) {
				return
			}
		}
	}
}

// Entry finds an entry by its ID.
func (s *Session) Entry(id string) (Entry, bool) {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := l.idx.find(id)
	if i == none {
		return Entry{}, false
	}
	return l.entry(i), true
}

// Leaf is the entry that the next one will hang from; ok is false when the next one will be a root.
func (s *Session) Leaf() (leaf Entry, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.leaf == none {
		return Entry{}, false
	}
	return s.log.entryAt(s.leaf), true
}
