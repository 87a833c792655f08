package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadingChangesNothing runs every command that reads on files of every kind of oddity: the file's
// bytes and its time stay, and nothing appears beside it.
func TestReadingChangesNothing(t *testing.T) {
	files := []string{"../../examples/tour.jsonl"}
	vectors, err := filepath.Glob("../../session/testdata/vectors/*.jsonl")
	if err != nil || len(vectors) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	if testing.Short() { // they are many, and each is nine processes
		vectors = vectors[:len(vectors)/5]
	}
	for _, file := range append(files, vectors...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			readAll(t, file)
		})
	}
}

func TestReadingWildFilesChangesNothing(t *testing.T) {
	for _, file := range corpus(t, "wild/*.jsonl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			want := decode[struct {
				Nodes    [][2]*string
				Leaf     *string
				Problems bool
			}](t, read(t, strings.TrimSuffix(file, ".jsonl")+".expected.json"))
			readAll(t, file)
			m := newMachine(t)
			path := m.file("session.jsonl", read(t, file))
			var got [][2]string
			for _, line := range linesOf(m.ok("tree", path, "--json")) {
				n := decode[treeNode](t, line)
				got = append(got, [2]string{n.ID, text(n.ParentID)})
				if want.Leaf != nil && n.Leaf != (n.ID == *want.Leaf) {
					t.Errorf("the leaf is wrong: %+v", n)
				}
			}
			for _, n := range want.Nodes { // in file order; the tree is depth first
				found := false
				for _, g := range got {
					found = found || g == [2]string{text(n[0]), text(n[1])}
				}
				if !found {
					t.Errorf("no node %s under %q in %v", text(n[0]), text(n[1]), got)
				}
			}
			if want.Nodes != nil && len(got) != len(want.Nodes) {
				t.Errorf("%d nodes, want %d", len(got), len(want.Nodes))
			}
			if o := m.run("", "doctor", path); want.Problems && o.code != exitNo {
				t.Errorf("doctor: exit %d, but there are problems", o.code)
			}
		})
	}
}

func text(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// readAll runs the commands on a copy of a file.
func readAll(t *testing.T, file string) {
	t.Helper()
	m := newMachine(t)
	content := read(t, file)
	path := m.file("shelf/session.jsonl", content)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := "none"
	if out := m.run("", "tree", path, "--json").out; out != "" {
		entry = decode[treeNode](t, linesOf(out)[0]).ID
	}
	for _, args := range [][]string{
		{"info", path}, {"tree", path, "--search", "a"}, {"log", path}, {"show", path, entry}, {"context", path, "--format", "model"},
		{"doctor", path}, {"__complete", "show", path, ""}, {"nav", path, entry}, {"fork", path, "--output", "fork.jsonl"},
	} {
		if o := m.run("", args...); o.code != 0 && o.code != exitNo && o.code != exitFailed {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, path) != content || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Error("the file changed")
	}
	beside, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(beside) != 1 {
		t.Errorf("beside the file: %v %v", beside, err)
	}
}
