package session_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

// TestCorpusVersion1IsRewrittenWithTheFirstAppend holds the rewriting to section 3: the original is
// kept, and nothing but what must change does.
func TestCorpusVersion1IsRewrittenWithTheFirstAppend(t *testing.T) {
	for _, file := range corpus(t, "real/*.jsonl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			header, _, _ := bytes.Cut(original, []byte("\n"))
			path := filepath.Join(t.TempDir(), "old.jsonl")
			if err := os.WriteFile(path, original, 0o600); err != nil {
				t.Fatal(err)
			}
			again, err := session.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			s, err := session.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			e, err := s.Append(t.Context(), user("one more"))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(path + ".v1.bak"); err != nil || !bytes.Equal(b, original) {
				t.Errorf("the backup is not the original (%v)", err)
			}
			fresh, err := session.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			if fresh.Header().Version != 3 || fresh.Len() != again.Len()+1 || len(fresh.Problems()) != len(again.Problems()) {
				t.Errorf("migrated: version %d, %d entries, problems %v", fresh.Header().Version, fresh.Len(), fresh.Problems())
			}
			if leaf, _ := fresh.Leaf(); leaf.ID() != e.ID() {
				t.Errorf("the leaf is %s, want %s", leaf.ID(), e.ID())
			}
			for i := range again.Len() {
				a, errA := again.At(i).Raw() // the old file, which its reader still has open
				b, errB := fresh.At(i).Raw()
				if errA != nil || errB != nil || !bytes.Equal(a, b) {
					t.Fatalf("entry %d changed its bytes with the migration (%v, %v)", i, errA, errB)
				}
			}
			checkHeaderMigrated(t, fresh.Header().Raw(), header)
		})
	}
}

func checkHeaderMigrated(t *testing.T, raw, line json.RawMessage) {
	t.Helper()
	got, want := objectOf(t, raw), objectOf(t, line)
	if string(got["version"]) != "3" {
		t.Errorf("the header's version is %s", got["version"])
	}
	delete(got, "version")
	delete(want, "version")
	if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Errorf("the header is %s, it was %s", raw, line)
	}
}
