package session_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// TestGoroutinesShareOneSession lets goroutines append, move, label, walk, follow and build contexts on
// one Session at once. The race detector watches; every acknowledged entry must be there, once.
func TestGoroutinesShareOneSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	s, err := session.Create(path, session.NewHeader("/srv/demo"), session.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, err := s.Append(t.Context(), session.Message{Message: message.User("begin")})
	if err != nil {
		t.Fatal(err)
	}
	other, err := session.Open(t.Context(), path, session.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	const writers, appends = 4, 60
	var mu sync.Mutex
	written := map[string]string{}
	var wg, readers sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			mine := s
			if w%2 == 1 {
				mine = other
			}
			for i := range appends {
				text := fmt.Sprintf("%d/%d", w, i)
				e, err := mine.Append(t.Context(), session.Message{Message: message.User(text)})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				written[e.ID()] = text
				mu.Unlock()
				if i%10 == 5 {
					if _, err := mine.SetLabel(t.Context(), e.ID(), text); err != nil {
						t.Error(err)
					}
					if err := mine.BranchTo(first.ID()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	followed := map[string]bool{}
	readers.Go(func() {
		for e, err := range s.Follow(ctx) {
			if err != nil {
				t.Error(err)
			}
			followed[e.ID()] = true
			if len(followed) == writers/2*(appends+appends/10) {
				return
			}
		}
	})
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				n := 0
				for node := range s.Tree() {
					n++
					_ = node.Label
				}
				if _, err := s.Context(""); err != nil {
					t.Error(err)
				}
				s.Counts()
				s.Labels()
				if leaf, ok := s.Leaf(); ok {
					_, _ = leaf.Message()
				}
			}
		})
	}
	wg.Wait()
	for _, err := range []error{refresh(s), refresh(other)} {
		if err != nil {
			t.Error(err)
		}
	}
	stop()
	readers.Wait()
	for _, open := range []*session.Session{s, other} {
		for id, text := range written {
			e, ok := open.Entry(id)
			if !ok {
				t.Fatalf("%s is not there", id)
			}
			if m, err := e.Message(); err != nil || m.Text() != text {
				t.Fatalf("%s says %q, want %q: %v", id, m.Text(), text, err)
			}
		}
		if want := 1 + writers*(appends+appends/10); open.Len() != want || len(open.Problems()) > 0 {
			t.Fatalf("%d entries, want %d; problems %v", open.Len(), want, open.Problems())
		}
	}
	for id := range followed {
		e, _ := s.Entry(id)
		if m, err := e.Message(); err == nil && (m.Text()[0] == '0' || m.Text()[0] == '2') {
			t.Errorf("Follow reports the session's own entry %q", m.Text())
		}
	}
}

func refresh(s *session.Session) error {
	_, err := s.Refresh(context.Background())
	return err
}
