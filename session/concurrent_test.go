package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/session"
)

// TestGoroutinesShareASession has many goroutines do everything at once; the race detector looks on.
func TestGoroutinesShareASession(t *testing.T) {
	for name, start := range map[string]func() (a, b *session.Session){
		"file": func() (*session.Session, *session.Session) {
			a, _ := created(t)
			return a, opened(t, a.Path())
		},
		"memory": func() (*session.Session, *session.Session) {
			store := new(session.MemoryStore)
			a, err := session.CreateStore(store, session.NewHeader("/"))
			if err != nil {
				t.Fatal(err)
			}
			appended(t, a, user("one"))
			b, err := session.OpenStore(t.Context(), store)
			if err != nil {
				t.Fatal(err)
			}
			return a, b
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := start()
			before := a.Len()
			const writers, each = 4, 25
			stop := make(chan struct{})
			var write, read sync.WaitGroup
			var mu sync.Mutex
			acknowledged := map[string]string{} // the parent by id
			for i := range writers {
				s := []*session.Session{a, b}[i%2]
				write.Go(func() {
					for n := range each {
						var e session.Entry
						var err error
						switch n % 5 {
						case 3:
							e, err = s.SetLabel(t.Context(), s.At(n%s.Len()).ID(), fmt.Sprint("label ", n))
						case 4:
							e, err = s.BranchWithSummary(t.Context(), s.At(n%s.Len()).ID(), session.BranchSummary{Summary: "s"})
						default:
							e, err = s.Append(t.Context(), user(fmt.Sprint(i, " ", n)))
						}
						if err != nil {
							t.Errorf("append: %v", err)
							return
						}
						mu.Lock()
						acknowledged[e.ID()] = e.ParentID()
						mu.Unlock()
					}
				})
			}
			for _, s := range []*session.Session{a, b} {
				for _, look := range []func() error{
					func() error { _, err := s.Refresh(t.Context()); return err },
					func() error { _, err := s.Context(""); return err },
					func() error { return s.BranchTo(s.At(s.Len() / 2).ID()) },
					func() error {
						for n := range s.Tree() {
							if raw, err := n.Raw(); err != nil || len(raw) == 0 {
								return fmt.Errorf("%s: %w", n.ID(), err)
							}
						}
						return nil
					},
					func() error {
						s.Labels()
						s.Counts()
						s.Problems()
						_ = s.Name()
						_, err := s.Find(s.At(0).ID())
						return err
					},
					func() error { _, err := s.CreateBranchedSession(t.Context(), "", ""); return err },
				} {
					read.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							if err := look(); err != nil {
								t.Errorf("looking: %v", err)
								return
							}
						}
					})
				}
			}
			write.Wait()
			close(stop)
			read.Wait()
			if len(acknowledged) != writers*each {
				t.Fatalf("%d ids for %d appends", len(acknowledged), writers*each)
			}
			for _, s := range []*session.Session{a, b} {
				if _, err := s.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s.Len() != before+writers*each || len(s.Problems()) > 0 {
					t.Errorf("%d entries, problems %v", s.Len(), s.Problems())
				}
				for id, parent := range acknowledged {
					if e := entry(t, s, id); e.ParentID() != parent {
						t.Errorf("%s hangs from %s, acknowledged under %s", id, e.ParentID(), parent)
					}
				}
			}
			sameTree(t, a, b)
		})
	}
}

// TestTwoNewSessionsAtOnePath: whoever comes second finds a file and loses nothing.
func TestTwoNewSessionsAtOnePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one.jsonl")
	var sessions []*session.Session
	for range 2 {
		s, err := session.Create(path, session.NewHeader("/srv/demo"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions = append(sessions, s)
	}
	level := appended(t, sessions[1], session.ThinkingLevelChange{Level: "high"})
	one := appended(t, sessions[0], user("one"))
	two := appended(t, sessions[1], user("two"))
	three := appended(t, sessions[0], user("three"))
	again := opened(t, path)
	var got [][2]string
	for e := range again.Entries() {
		got = append(got, [2]string{e.ID(), e.ParentID()})
	}
	want := [][2]string{{one.ID(), ""}, {level.ID(), ""}, {two.ID(), level.ID()}, {three.ID(), one.ID()}}
	if !slices.Equal(got, want) || len(again.Problems()) > 0 {
		t.Errorf("the file has %v, problems %v; want %v", got, again.Problems(), want)
	}
	if strings.Count(content(t, path), `"type":"session"`) != 1 {
		t.Error("the file has two headers")
	}
}

func TestAppendWaitsForTheLockAndGivesUpWithItsContext(t *testing.T) {
	s, entries := created(t)
	store, err := session.NewFileStore(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := store.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := content(t, s.Path())
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := s.Append(ctx, user("x")); failed <- err }()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || s.Len() != 3 || content(t, s.Path()) != before {
		t.Errorf("the error is %v, %d entries", err, s.Len())
	}
	waited := make(chan session.Entry)
	go func() { e, _ := s.Append(t.Context(), user("x")); waited <- e }()
	select {
	case e := <-waited:
		t.Fatalf("%s was appended while another held the lock", e.ID())
	case <-time.After(50 * time.Millisecond): // it may not have begun; then this says nothing
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if e := <-waited; e.ParentID() != entries[2].ID() {
		t.Errorf("after the wait: %q under %q", e.ID(), e.ParentID())
	}
	if err := store.Append([]byte("x"), false); err == nil {
		t.Error("a store wrote without its lock")
	}
}

// TestFileReplacedByWhatCannotBeAppendedTo: what is there now is what counts, also for refusing.
func TestFileReplacedByWhatCannotBeAppendedTo(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"no session", "# notes\n", session.ErrNotSession},
		{"a newer version", strings.Replace(header3, `"version":3`, `"version":4`, 1) + line("aaaaaaa1", "", "1"), session.ErrReadOnly},
		{"no header", line("aaaaaaa1", "", "1"), session.ErrReadOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			put(t, path, header3+line("aaaaaaa1", "", "1"))
			s := opened(t, path)
			rewrite(t, path, c.text)
			for range 2 {
				if _, err := s.Append(t.Context(), user("x")); !errors.Is(err, c.want) {
					t.Errorf("the error is %v, want %v", err, c.want)
				}
			}
			if content(t, path) != c.text {
				t.Errorf("the file was written to:\n%s", content(t, path))
			}
		})
	}
}

// TestFileRewrittenInPlace: as a tool does that opens it with O_TRUNC.
func TestFileRewrittenInPlace(t *testing.T) {
	for name, cwd := range map[string]string{"longer": "/srv/demo/longer", "shorter": "/s"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			text := header3 + line("aaaaaaa1", "", "1") + line("bbbbbbb2", "aaaaaaa1", "2")
			put(t, path, text)
			s := opened(t, path)
			text = strings.Replace(text, "/srv/demo", cwd, 1) + line("ccccccc3", "aaaaaaa1", "theirs")
			put(t, path, text)
			e := appended(t, s, user("mine"))
			if raw, _ := e.Raw(); e.ParentID() != "bbbbbbb2" || s.Len() != 4 || content(t, path) != text+string(raw)+"\n" {
				t.Errorf("it hangs from %s, %d entries:\n%s", e.ParentID(), s.Len(), content(t, path))
			}
		})
	}
}

func TestSymbolicLinkLeadsToTheSession(t *testing.T) {
	s, entries := created(t)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(s.Path(), link); err != nil {
		t.Skip(err)
	}
	l := opened(t, link)
	e := appended(t, l, user("through the link"))
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil || e.ParentID() != entries[2].ID() {
		t.Errorf("the other session sees %d entries (%v)", n, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is one no more (%v)", err)
	}
}

// TestLinesOfAnyLengthAtAnyPlace moves line ends across the places where reads begin and end.
func TestLinesOfAnyLengthAtAnyPlace(t *testing.T) {
	const mega = 1 << 20
	for _, sizes := range [][]int{
		{mega, mega, mega},
		{mega - 1, 1, mega + 1, 10},
		{3*mega + 7, 20, 2 * mega},
		{10, 5 * mega, 10, 10},
		{mega / 2, mega / 2, mega / 2, mega / 2, mega / 2, mega/2 - 1, 3},
	} {
		around := 2
		if testing.Short() {
			around = 1
		}
		for shift := -around; shift <= around; shift++ {
			var b strings.Builder
			b.WriteString(header3)
			parent := ""
			for i, n := range sizes {
				id := fmt.Sprintf("%08x", i+1)
				empty := len(line(id, parent, ""))
				if i == 0 {
					empty += b.Len() - shift // the first line ends at or beside a multiple
				}
				b.WriteString(line(id, parent, strings.Repeat("x", max(0, n-empty))))
				parent = id
			}
			ends := []string{""}
			if shift == 0 {
				ends = []string{"", `{"torn`, "\x00\x00"}
			}
			for _, end := range ends {
				log := []byte(b.String() + end)
				l := readNaive(log)
				if len(l.entries) != len(sizes) {
					t.Fatalf("the model reads %d entries", len(l.entries))
				}
				s := inMemory(t, log)
				checkAgainst(t, s, l)
				if end == "" && len(s.Problems()) > 0 {
					t.Errorf("%v, shifted by %d: %v", sizes, shift, s.Problems())
				}
				if end != "" && (len(s.Problems()) != 1 || s.Problems()[0].Line != len(sizes)+2) {
					t.Errorf("%v, shifted by %d: problems %v, want one in line %d", sizes, shift, s.Problems(), len(sizes)+2)
				}
			}
		}
	}
}
