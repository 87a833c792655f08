package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

// withArtifacts gives a session a folder beside it.
func withArtifacts(t *testing.T, path string) (dir string) {
	t.Helper()
	dir = strings.TrimSuffix(path, ".jsonl")
	if err := os.MkdirAll(dir+"/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/sub/0.log", []byte("ok\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func gone(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", p, err)
		}
	}
}

func TestMove(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ name, to, want string }{
		{"into a folder", "shelf", "shelf/s.jsonl"},
		{"into a folder that is not there yet", "new/shelf/", "new/shelf/s.jsonl"},
		{"to another name", "new/name.jsonl", "new/name.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBookcase(t)
			path := b.write("s", user("a", "", "one"), answer("b", "a", "two"), user("c", "b", "three"))
			artifacts := withArtifacts(t, path)
			if err := os.Mkdir(b.dir+"/shelf", 0o700); err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.BranchTo("b"), s.SavePosition(), s.Close()); err != nil {
				t.Fatal(err)
			}
			before := contentOf(t, path)
			to, err := Move(ctx, path, b.dir+"/"+c.to)
			if err != nil || to != filepath.Join(b.dir, c.want) {
				t.Fatal(to, err)
			}
			gone(t, path, artifacts)
			if contentOf(t, to) != before || contentOf(t, strings.TrimSuffix(to, ".jsonl")+"/sub/0.log") != "ok\n" {
				t.Error("it is not what it was")
			}
			if s, err = session.Open(ctx, to); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if leaf, _ := s.Leaf(); leaf.ID() != "b" {
				t.Errorf("it opens at %s, want b", leaf.ID())
			}
		})
	}
}

func TestMoveOverwritesNothing(t *testing.T) {
	ctx := context.Background()
	b := newBookcase(t)
	path := b.write("s", user("a", "", "one"))
	artifacts := withArtifacts(t, path)
	other := b.write("other", user("a", "", "another"))
	taken := b.dir + "/taken/t.jsonl"
	if err := os.MkdirAll(b.dir+"/taken/t", 0o700); err != nil {
		t.Fatal(err)
	}
	link := b.dir + "/link.jsonl"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	text := b.dir + "/notes.jsonl"
	if err := os.WriteFile(text, []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, b.dir)
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{path, other, fs.ErrExist}, {path, path, fs.ErrExist}, {path, taken, fs.ErrExist}, {path, filepath.Dir(path), fs.ErrExist},
		{path, b.dir + "/x.txt", nil}, {link, b.dir + "/x.jsonl", nil}, {text, b.dir + "/x.jsonl", ErrNotSession},
		{b.dir + "/none.jsonl", b.dir + "/x.jsonl", fs.ErrNotExist}, {path, link + "/x.jsonl", nil},
	} {
		if to, err := Move(ctx, c.from, c.to); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s to %s: %s %v", c.from, c.to, to, err)
		}
	}
	after := snapshot(t, b.dir)
	for p, state := range before {
		if after[p] != state {
			t.Errorf("%s: %s before, %s after", p, state, after[p])
		}
	}
	if len(after) != len(before) || artifacts == "" {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
}

// TestRelocateToAnotherDisk, if this machine has one.
func TestRelocateToAnotherDisk(t *testing.T) {
	here := t.TempDir()
	there, err := os.MkdirTemp("/dev/shm", "ramo-test")
	if err != nil {
		t.Skip("no other disk: ", err)
	}
	defer os.RemoveAll(there)
	a, errA := os.Stat(here)
	b, errB := os.Stat(there)
	if err := errors.Join(errA, errB); err != nil || device(a) == device(b) {
		t.Skip("no other disk: ", err)
	}
	path := here + "/s.jsonl"
	if err := os.WriteFile(path, []byte("text"), 0o640); err != nil {
		t.Fatal(err)
	}
	dir := withArtifacts(t, path)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(relocate(path, there+"/s.jsonl"), relocate(dir, there+"/s")); err != nil {
		t.Fatal(err)
	}
	gone(t, path, dir)
	after, err := os.Stat(there + "/s.jsonl")
	if err != nil || !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("%v %v, want %v %v: %v", after.ModTime(), after.Mode(), before.ModTime(), before.Mode(), err)
	}
	if contentOf(t, there+"/s.jsonl") != "text" || contentOf(t, there+"/s/sub/0.log") != "ok\n" {
		t.Error("it is not what it was")
	}
	left, err := filepath.Glob(there + "/.*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestTrash(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the trash is elsewhere")
	}
	ctx := context.Background()
	b := newBookcase(t)
	trash := b.dir + "/data/Trash"
	for n, want := range []string{"a name.jsonl", "a name.2.jsonl", "a name.3.jsonl"} {
		path := b.write("a name", user("a", "", "one"))
		artifacts := withArtifacts(t, path)
		before := contentOf(t, path)
		to, err := Trash(ctx, path)
		if err != nil || to != trash+"/files/"+want {
			t.Fatal(to, err)
		}
		gone(t, path, artifacts)
		if contentOf(t, to) != before {
			t.Error("it is not what it was")
		}
		note := contentOf(t, trash+"/info/"+want+".trashinfo")
		wantNote := "[Trash Info]\nPath=" + strings.ReplaceAll(path, " ", "%20") + "\nDeletionDate=2"
		if !strings.HasPrefix(note, wantNote) || strings.Count(note, "\n") != 3 {
			t.Errorf("the note is\n%s\nwant\n%s…", note, wantNote)
		}
		name := []string{"a name", "a name.2", "a name.3"}[n]
		if contentOf(t, trash+"/files/"+name+"/sub/0.log") != "ok\n" || !strings.Contains(contentOf(t, trash+"/info/"+name+".trashinfo"), "/a%20name\n") {
			t.Error("the artifacts are not there")
		}
	}
}

// TestTrashLeavesWhatIsNoSession, and what it cannot move, where it is, and no notes.
func TestTrashLeavesWhatIsNoSession(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the trash is elsewhere")
	}
	ctx := context.Background()
	b := newBookcase(t)
	text := b.dir + "/notes.txt"
	if err := os.WriteFile(text, []byte("my notes\nare precious\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{text: ErrNotSession, b.dir: nil, b.dir + "/none.jsonl": fs.ErrNotExist} {
		if to, err := Trash(ctx, path); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %s %v", path, to, err)
		}
	}
	if contentOf(t, text) == "" {
		t.Error("the notes are gone")
	}
	empty := b.dir + "/empty.jsonl"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Trash(ctx, empty); err != nil {
		t.Errorf("a session without anything in it: %v", err)
	}

	path := b.write("s", user("a", "", "one"))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	store, err := session.NewFileStore(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if to, err := Trash(cancelled, path); err == nil {
		t.Errorf("another process is writing, and it goes to %s", to)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if contentOf(t, path) == "" {
		t.Error("it is gone")
	}
	notes, err := filepath.Glob(b.dir + "/data/Trash/info/s*")
	if err != nil || len(notes) > 0 {
		t.Errorf("notes of what is not there: %v %v", notes, err)
	}
}
