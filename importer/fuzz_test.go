package importer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

// FuzzImport looks for a transcript that stops the import, makes a session with problems, or makes
// more entries when it is imported again.
func FuzzImport(f *testing.F) {
	for _, file := range []string{claudeMain, codexNew, codexOld} {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file != claudeMain, content)
	}
	f.Add(false, []byte(`{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"x"}}`+"\n"+`{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"y"}}`))
	f.Add(false, []byte(`{"type":"assistant","uuid":"a","parentUuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"c"},{"type":"tool_result"},7,null,[]]}}`))
	f.Add(false, []byte(`{"type":"progress","uuid":"a","parentUuid":"a"}`+"\n"+`{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"y"}}`))
	f.Add(true, []byte(`{"type":"response_item","payload":{"type":"function_call","arguments":"[1"}}`+"\n"+`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-3}}`))
	dir := f.TempDir()
	f.Setenv("XDG_STATE_HOME", dir)
	f.Fuzz(func(t *testing.T, codex bool, content []byte) {
		dir := t.TempDir()
		source := filepath.Join(dir, "source.jsonl")
		write(t, source, content)
		one := Transcript{Tool: Claude, ID: "some-session", Files: []string{source}}
		if codex {
			one.Tool = Codex
		}
		c, err := read(context.Background(), one, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "session.jsonl")
		if err := create(path, c); err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.Len() != len(c.nodes) || len(s.Problems()) > 0 {
			t.Fatalf("%d entries of %d, problems %v", s.Len(), len(c.nodes), s.Problems())
		}
		if _, err := s.Context(""); err != nil {
			t.Fatal(err)
		}
		var again Result
		if err := new(Importer).extend(context.Background(), path, one, &again); err != nil && !errors.Is(err, session.ErrReadOnly) || again.Added != 0 {
			t.Fatalf("again: %d more, %v", again.Added, err)
		}
	})
}
