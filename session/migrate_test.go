package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

var version1 = strings.Replace(header3, `"version":3,`, "", 1) +
	`{"type":"message","timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"one"}}` + "\n" +
	`{"type":"message","timestamp":"2026-02-01T10:00:02.000Z","message":{"role":"user","content":"two"}}` + "\n"

// TestTwoSessionsOnAVersion1File: one migrates it, the other notices and keeps its leaf by id.
func TestTwoSessionsOnAVersion1File(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, version1)
	a, b := opened(t, path), opened(t, path)
	leaf, _ := b.Leaf()
	mine := appended(t, a, user("mine"))
	theirs := appended(t, b, user("theirs"))
	again := appended(t, a, user("again"))
	if mine.ParentID() != leaf.ID() || theirs.ParentID() != leaf.ID() || again.ParentID() != mine.ID() {
		t.Errorf("they hang from %s, %s and %s; the leaf was %s", mine.ParentID(), theirs.ParentID(), again.ParentID(), leaf.ID())
	}
	if content(t, path+".v1.bak") != version1 {
		t.Errorf("the backup is\n%s", content(t, path+".v1.bak"))
	}
	fresh := opened(t, path)
	if fresh.Len() != 5 || len(fresh.Problems()) > 0 {
		t.Errorf("%d entries, problems %v", fresh.Len(), fresh.Problems())
	}
	sameTree(t, a, fresh)
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 2 {
		t.Errorf("beside the file lie %v", list)
	}
}

func TestMigrationNeverOverwritesABackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, version1)
	put(t, path+".v1.bak", "of another time\n")
	s := opened(t, path)
	if _, err := s.Append(t.Context(), user("x")); err == nil || !strings.Contains(err.Error(), ".v1.bak") {
		t.Errorf("the error is %v", err)
	}
	if content(t, path) != version1 || content(t, path+".v1.bak") != "of another time\n" {
		t.Error("something was written")
	}
	if err := os.Remove(path + ".v1.bak"); err != nil {
		t.Fatal(err)
	}
	appended(t, s, user("x")) // works once the cause is gone
}

// TestMigrationAgainAfterACrash: the backup of this very content is there already.
func TestMigrationAgainAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, version1)
	put(t, path+".v1.bak", version1)
	s := opened(t, path)
	appended(t, s, user("x"))
	if content(t, path+".v1.bak") != version1 || opened(t, path).Header().Version != session.Version {
		t.Error("the migration was not finished")
	}
}

func TestMigrationThroughASymbolicLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, version1)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	s := opened(t, link)
	e := appended(t, s, user("x"))
	if leaf, _ := opened(t, path).Leaf(); leaf.ID() != e.ID() || content(t, path+".v1.bak") != version1 {
		t.Errorf("the file behind the link ends with %s, want %s", leaf.ID(), e.ID())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is one no more (%v)", err)
	}
}
