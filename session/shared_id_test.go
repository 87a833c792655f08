package session_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

func TestFileReplacedByAReadOnlyOne(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a newer version", strings.Replace(header3, `"version":3`, `"version":4`, 1) + line("aaaaaaa1", "", "1")},
		{"no header", line("aaaaaaa1", "", "1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			put(t, path, header3+line("aaaaaaa1", "", "1"))
			s := opened(t, path)
			rewrite(t, path, c.text)
			for range 2 {
				if _, err := s.Append(t.Context(), user("x")); !errors.Is(err, session.ErrReadOnly) {
					t.Errorf("the error is %v", err)
				}
			}
			if content(t, path) != c.text {
				t.Errorf("the file was written to:\n%s", content(t, path))
			}
		})
	}
}

func TestBranchedSessionKeepsALabelOnTheEntryItStoodOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, header3+line("x", "", "first")+
		`{"type":"label","id":"11111111","parentId":"x","timestamp":"2026-02-01T10:00:02.000Z","targetId":"x","label":"on the first"}`+"\n"+
		line("x", "x", "second")+line("bbbbbbb2", "x", "b"))
	n, err := opened(t, path).CreateBranchedSession(t.Context(), "bbbbbbb2", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range n.Labels() {
		if m, err := l.Target.Message(); err != nil || m.Text() != "first" {
			t.Errorf("the label stands on %s, %q (%v)", l.Target.ID(), m.Text(), err)
		}
	}
}

func TestRawLabelOnAnEntryThatSharesItsID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, header3+line("x", "", "first")+line("x", "", "second"))
	s := opened(t, path)
	_, err := s.Append(t.Context(), session.RawBody(`{"type":"label","targetId":"x~2","label":"here"}`))
	if err == nil && s.Label("x~2") != "here" {
		t.Errorf("the label was acknowledged and stands nowhere: %v", s.Problems())
	}
}

func TestCompactionKeepsFromAnEntryThatSharesItsID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, header3+line("x", "", "first")+line("x", "", "second"))
	s := opened(t, path)
	if _, err := s.Append(t.Context(), session.Compaction{Summary: "S", FirstKeptEntryID: "x~2"}); err != nil {
		return // refusing is fine too
	}
	if c, err := s.Context(""); err != nil || len(c.Messages) != 2 {
		t.Errorf("kept is %q (%v), want the summary and what was kept", texts(c.Messages), err)
	}
}
