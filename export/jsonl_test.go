package export

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

// exported writes a branch as JSONL and opens what was written.
func exported(t *testing.T, s *session.Session, leaf string) (*session.Session, string) {
	t.Helper()
	var b bytes.Buffer
	if err := JSONL(context.Background(), &b, s, leaf); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := session.Open(context.Background(), path, session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	if p := out.Problems(); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
	return out, b.String()
}

func TestABranchIsASessionOfItsOwn(t *testing.T) {
	s := talk(t, msg(`{"role":"user","content":"one","odd":1e3}`), msg(`{"role":"user","content":"two"}`))
	if _, err := s.SetLabel(context.Background(), s.At(0).ID(), "start"); err != nil {
		t.Fatal(err)
	}
	out, text := exported(t, s, s.At(1).ID())
	for i := range 2 {
		raw, err := s.At(i).Raw()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "\n"+string(raw)+"\n") {
			t.Errorf("entry %d does not have the bytes it had:\n%s\nin\n%s", i, raw, text)
		}
	}
	if h := out.Header(); h.ParentSession != s.Header().ID || h.ID == s.Header().ID || h.Cwd != "/srv/demo" {
		t.Errorf("header %+v", h)
	}
	if got := out.Label(s.At(0).ID()); got != "start" {
		t.Errorf("label %q", got)
	}
}

func TestTheRootIsAHeader(t *testing.T) {
	s := talk(t, msg(`{"role":"user","content":"one"}`))
	out, _ := exported(t, s, Root)
	if out.Len() != 0 || out.Header().ParentSession != s.Header().ID {
		t.Errorf("%d entries, header %+v", out.Len(), out.Header())
	}
}

func TestJSONLOfAnUnknownLeaf(t *testing.T) {
	var b bytes.Buffer
	if err := JSONL(context.Background(), &b, talk(t, msg(`{"role":"user","content":"one"}`)), "nosuch"); !errors.Is(err, session.ErrNotFound) || b.Len() > 0 {
		t.Errorf("%v, %d bytes written", err, b.Len())
	}
}
