package session_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

// writeChain writes a session of n short messages, each hanging from the one before, or all but the
// first from the first one.
func writeShape(t *testing.T, n int, wide bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, `{"type":"session","version":3,"id":"deep","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/srv/demo"}`)
	for i := range n {
		parent := "null"
		switch {
		case i > 0 && wide:
			parent = `"00000000"`
		case i > 0:
			parent = fmt.Sprintf(`"%08x"`, i-1)
		}
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-01T10:00:00.000Z","message":{"role":"user","content":"%d"}}`+"\n", i, parent, i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkShape(t *testing.T, n, wantDepth, wantBranches, wantContext int, wide bool) {
	t.Helper()
	path := writeShape(t, n, wide)
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if c := s.Counts(); c.Depth != wantDepth || c.Branches != wantBranches || c.Roots != 1 {
		t.Errorf("counts %+v", c)
	}
	seen := 0
	for node := range s.Tree() {
		if node.Index() != seen {
			t.Fatalf("node %d of the tree is entry %d", seen, node.Index())
		}
		seen++
	}
	if seen != n {
		t.Errorf("the tree has %d nodes, want %d", seen, n)
	}
	c, err := s.Context("")
	if err != nil || len(c.Messages) != wantContext {
		t.Errorf("the context has %d messages, want %d: %v", len(c.Messages), wantContext, err)
	}
	out, err := s.CreateBranchedSession(t.Context(), "", path+".branch")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if leaf, _ := out.Leaf(); out.Len() != wantContext || leaf.ID() != fmt.Sprintf("%08x", n-1) {
		t.Errorf("the branched session has %d entries and the leaf %s", out.Len(), leaf.ID())
	}
}

func TestAChainOfAMillionEntries(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	checkShape(t, n, n, 1, n, false)
}

func TestAParentOfAHundredThousand(t *testing.T) {
	checkShape(t, 100_000, 2, 99_999, 2, true)
}
