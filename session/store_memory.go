package session

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
)

// MemoryStore keeps a log in memory. Sessions that share one see each other's entries. The zero
// value has no log yet; it is safe for concurrent use.
type MemoryStore struct {
	lock sync.Mutex // held from Lock to unlock
	mu   sync.RWMutex
	view *memoryView // of the present content: Replace makes another
}

// memoryView reads a content that only grows.
type memoryView struct {
	store *MemoryStore
	mu    sync.RWMutex
	bytes []byte
}

// Name is "": a session in memory has no path.
func (m *MemoryStore) Name() string { return "" }

// Open returns a view of the log.
func (m *MemoryStore) Open() (View, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.view == nil {
		return nil, fs.ErrNotExist
	}
	return m.view, nil
}

// Lock waits for other sessions of this process that share the store.
func (m *MemoryStore) Lock(ctx context.Context) (func() error, error) {
	if _, err := m.Open(); err != nil {
		return nil, err
	}
	m.lock.Lock() // held only for the length of a write to memory
	if err := ctx.Err(); err != nil {
		m.lock.Unlock()
		return nil, err
	}
	return func() error { m.lock.Unlock(); return nil }, nil
}

// Append adds to the log.
func (m *MemoryStore) Append(p []byte, _ bool) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.view.append(p)
	return nil
}

// Create makes the log.
func (m *MemoryStore) Create(write func(io.Writer) error, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view != nil {
		return fs.ErrExist
	}
	return m.set(write)
}

// Replace changes the whole log. There is no backup: the old content lives as long as its views.
func (m *MemoryStore) Replace(write func(io.Writer) error, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set(write)
}

func (m *MemoryStore) set(write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.view = &memoryView{store: m, bytes: b.Bytes()}
	return nil
}

func (v *memoryView) append(p []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bytes = append(v.bytes, p...)
}

func (v *memoryView) ReadAt(p []byte, off int64) (int, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if off >= int64(len(v.bytes)) {
		return 0, io.EOF
	}
	n := copy(p, v.bytes[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (v *memoryView) Size() (int64, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return int64(len(v.bytes)), nil
}

func (v *memoryView) Current() (bool, error) {
	if v.store == nil {
		return true, nil
	}
	v.store.mu.RLock()
	defer v.store.mu.RUnlock()
	return v.store.view == v, nil
}

func (v *memoryView) Close() error { return nil }
