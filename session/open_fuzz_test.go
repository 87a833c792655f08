package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen reads logs of any content: no panic, no walk without end, the same tree whether the log
// is read at once or as it grows, and what can be appended to afterwards keeps what was there.
func FuzzOpen(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(len(b)/2))
	}
	f.Fuzz(func(t *testing.T, content []byte, at uint16) {
		whole := memoryLog(content)
		s, err := OpenStore(t.Context(), whole)
		if err != nil {
			if !errors.Is(err, ErrNotSession) {
				t.Fatal(err)
			}
			return
		}
		before, old := outline(t, s), s.Header().Version < Version

		// The same log, read in two steps.
		cut := min(int(at), len(content))
		l := newLog("", &memoryView{bytes: bytes.Clone(content[:cut])})
		if err := l.grow(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if l.header != nil || l.empty() {
			l.view.(*memoryView).append(content[cut:])
			if err := l.grow(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if l.header != nil {
				grown := &Session{store: whole, log: l, leaf: l.idx.n - 1, made: true}
				// What looks like a complete last line may turn out to be the start of a longer one.
				if after := outline(t, grown); !bytes.Equal(before, after) && !cutsObject(content, cut) {
					t.Fatalf("read in two steps at %d:\n%s\nat once:\n%s", cut, after, before)
				}
			}
		}

		if _, err := s.Append(t.Context(), RawBody(`{"type":"custom","customType":"fuzz"}`)); err != nil {
			if s.ReadOnly() == nil && !bytes.Contains([]byte(err.Error()), []byte("several entries have the id")) {
				t.Fatal(err)
			}
			return
		}
		view, _ := whole.Open()
		size, _ := view.Size()
		now := make([]byte, size)
		if _, err := view.ReadAt(now, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if !old && !bytes.HasPrefix(now, content) {
			t.Fatal("the append changed what was there")
		}
	})
}

// cutsObject tells whether a cut falls behind a complete object but within its line, so that the
// object counted before the rest of the line was there.
func cutsObject(content []byte, cut int) bool {
	rest := content[cut:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	line := content[bytes.LastIndexByte(content[:cut], '\n')+1 : cut]
	return len(rest) > 0 && len(line) > 0
}

func memoryLog(content []byte) *MemoryStore {
	m := new(MemoryStore)
	_ = m.Create(func(w io.Writer) error { _, err := w.Write(content); return err }, false)
	return m
}

// outline is a text that tells the whole tree.
func outline(t *testing.T, s *Session) []byte {
	t.Helper()
	var b bytes.Buffer
	n := 0
	for node := range s.Tree() {
		n++
		b.WriteString(node.ID() + " < " + node.ParentID() + " " + node.Type() + " " + node.Label + "\n")
	}
	if n != s.Len() {
		t.Fatalf("the tree has %d nodes, the session %d entries", n, s.Len())
	}
	c, err := s.Context("")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Messages {
		b.Write(m.AppendJSON(nil))
		b.WriteByte('\n')
	}
	return b.Bytes()
}
