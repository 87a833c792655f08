package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// created makes a session file with three messages in a chain, and returns the session and its
// entries.
func created(t *testing.T) (*session.Session, []session.Entry) {
	t.Helper()
	s, err := session.Create(filepath.Join(t.TempDir(), "session.jsonl"), session.NewHeader("/srv/demo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var entries []session.Entry
	for _, text := range []string{"one", "two", "three"} {
		entries = append(entries, appended(t, s, user(text)))
	}
	return s, entries
}

func appended(t *testing.T, s *session.Session, b session.Body) session.Entry {
	t.Helper()
	e, err := s.Append(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func opened(t *testing.T, path string) *session.Session {
	t.Helper()
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const header3 = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/srv/demo"}` + "\n"

func line(id, parent, text string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":%q}}`+"\n", id, p, text)
}

// TestAppendWritesTheSpellingsOfBothDialects looks at what is written with encoding/json alone, and
// reads it back.
func TestAppendWritesTheSpellingsOfBothDialects(t *testing.T) {
	s, entries := created(t)
	target := entries[0].ID()
	for _, c := range []struct {
		name string
		body session.Body
		want string // the members but id, parentId and timestamp
	}{
		{"model change", session.ModelChange{Model: "openrouter/meta/llama", Role: "smol"},
			`{"type":"model_change","model":"openrouter/meta/llama","provider":"openrouter","modelId":"meta/llama","role":"smol"}`},
		{"model change of the default", session.ModelChange{Model: "acme/m1"}, `{"type":"model_change","model":"acme/m1","provider":"acme","modelId":"m1"}`},
		{"branch summary", session.BranchSummary{FromID: "root", Summary: "learnt", Details: json.RawMessage(`{"readFiles":[]}`), FromExtension: true},
			`{"type":"branch_summary","fromId":"root","summary":"learnt","details":{"readFiles":[]},"fromExtension":true,"fromHook":true}`},
		{"compaction", session.Compaction{Summary: "S", ShortSummary: "s", FirstKeptEntryID: target, TokensBefore: 42, PreserveData: json.RawMessage(`{"k":1}`)},
			`{"type":"compaction","summary":"S","shortSummary":"s","firstKeptEntryId":"` + target + `","tokensBefore":42,"preserveData":{"k":1},"fromExtension":false,"fromHook":false}`},
		{"thinking level", session.ThinkingLevelChange{Level: "high"}, `{"type":"thinking_level_change","thinkingLevel":"high"}`},
		{"thinking off", session.ThinkingLevelChange{}, `{"type":"thinking_level_change","thinkingLevel":null}`},
		{"mode", session.ModeChange{Mode: "plan", Data: json.RawMessage(`{"file":"p.md"}`)}, `{"type":"mode_change","mode":"plan","data":{"file":"p.md"}}`},
		{"rules", session.TTSRInjection{Rules: []string{"r1", "r2"}}, `{"type":"ttsr_injection","injectedRules":["r1","r2"]}`},
		{"custom", session.Custom{CustomType: "t", Data: json.RawMessage(`[1]`)}, `{"type":"custom","customType":"t","data":[1]}`},
		{"custom message", session.CustomMessage{CustomType: "t", Content: json.RawMessage(`"<b>&"`), Display: true, Details: json.RawMessage(`1e3`), Attribution: "user"},
			`{"type":"custom_message","customType":"t","content":"<b>&","display":true,"details":1e3,"attribution":"user"}`},
		{"name", session.SessionInfo{Name: "Fix & go"}, `{"type":"session_info","name":"Fix & go"}`},
		{"label", session.LabelChange{TargetID: target, Label: "here"}, `{"type":"label","targetId":"` + target + `","label":"here"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			leaf, _ := s.Leaf()
			e := appended(t, s, c.body)
			lines := strings.Split(strings.TrimSuffix(content(t, s.Path()), "\n"), "\n")
			last := lines[len(lines)-1]
			m := asMap(t, []byte(last))
			if string(m["id"]) != `"`+e.ID()+`"` || string(m["parentId"]) != `"`+leaf.ID()+`"` {
				t.Errorf("id and parent are %s and %s", m["id"], m["parentId"])
			}
			if at, err := time.Parse("2006-01-02T15:04:05.000Z", strings.Trim(string(m["timestamp"]), `"`)); err != nil || !at.Equal(e.Time()) {
				t.Errorf("the timestamp is %s (%v)", m["timestamp"], err)
			}
			delete(m, "id")
			delete(m, "parentId")
			delete(m, "timestamp")
			got, _ := json.Marshal(m)
			if !sameJSON(t, got, []byte(c.want)) {
				t.Errorf("written: %s, want %s", got, c.want)
			}
			back, err := opened(t, s.Path()).At(len(lines) - 2).Body()
			if err != nil || fmt.Sprintf("%v", back) != fmt.Sprintf("%v", c.body) {
				t.Errorf("read back: %v (%v), want %v", back, err, c.body)
			}
		})
	}
}

func TestAppendOfRawJSONKeepsItsBytes(t *testing.T) {
	s, _ := created(t)
	for _, c := range []struct{ name, raw, keeps string }{
		{"number spellings", `{"type":"x","n":[1e3,12345678901234567890,-0,1.10]}`, `"n":[1e3,12345678901234567890,-0,1.10]`},
		{"a lone surrogate", `{"type":"x","s":"\ud83d"}`, `"s":"\ud83d"`},
		{"key order and blanks", `{"b": 1, "type" : "x" , "a":{ "z":1,"y":2 }}`, `"a":{ "z":1,"y":2 }`},
		{"HTML", `{"type":"x","s":"<b>&"}`, `"s":"<b>&"`},
		{"line breaks between tokens become none", "{\n \"type\": \"x\",\n \"s\": \"a b\"\n}", `"s":"a b"`},
		{"blanks around it", "  {\"type\":\"x\",\"k\":1} \n", `"k":1`},
		{"the model of pi", `{"type":"model_change","provider":"acme","modelId":"m1"}`, `"model":"acme/m1"`},
		{"the model of omp", `{"type":"model_change","model":"acme/m1"}`, `"modelId":"m1"`},
		{"a summary of pi", `{"type":"branch_summary","fromId":"root","summary":"s","fromHook":true}`, `"fromExtension":true`},
		{"a compaction of omp", `{"type":"compaction","summary":"s","firstKeptEntryId":"x","tokensBefore":1,"fromExtension":true}`, `"fromHook":true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			leaf, _ := s.Leaf()
			e := appended(t, s, session.RawBody(c.raw))
			text := content(t, s.Path())
			last := text[strings.LastIndexByte(text[:len(text)-1], '\n')+1:]
			if !strings.Contains(last, c.keeps) || !json.Valid([]byte(last)) {
				t.Errorf("written: %s, want %s in it", last, c.keeps)
			}
			m := asMap(t, []byte(last))
			if string(m["id"]) != `"`+e.ID()+`"` || string(m["parentId"]) != `"`+leaf.ID()+`"` || e.ParentID() != leaf.ID() {
				t.Errorf("id and parent are %s and %s", m["id"], m["parentId"])
			}
			for name, v := range asMap(t, []byte(c.raw)) {
				if !sameJSON(t, m[name], v) {
					t.Errorf("%s was %s and is %s", name, v, m[name])
				}
			}
		})
	}
}

func TestAppendRefusesWhatIsNoEntry(t *testing.T) {
	s, entries := created(t)
	before := content(t, s.Path())
	label := func(target, text string) session.Body { return session.LabelChange{TargetID: target, Label: text} }
	for _, c := range []struct {
		name string
		body session.Body
		says string
	}{
		{"no JSON", session.RawBody(`{"type":`), "JSON"},
		{"two objects", session.RawBody(`{"type":"x"}{"type":"y"}`), "JSON"},
		{"nothing", session.RawBody(``), "JSON"},
		{"an array", session.RawBody(`[{"type":"x"}]`), "object"},
		{"no type", session.RawBody(`{"text":"x"}`), "type"},
		{"a type that is no text", session.RawBody(`{"type":7}`), "type"},
		{"an id", session.RawBody(`{"type":"x","id":"aaaaaaa1"}`), "id"},
		{"an id with an escaped key", session.RawBody(`{"type":"x","\u0069d":"aaaaaaa1"}`), "id"},
		{"a parent", session.RawBody(`{"type":"x","parentId":null}`), "parentId"},
		{"a timestamp", session.RawBody(`{"type":"x","timestamp":"2026-02-01T10:00:00.000Z"}`), "timestamp"},
		{"a header", session.RawBody(`{"type":"session","version":3}`), "session"},
		{"a title line", session.RawBody(`{"type":"title","v":1}`), "title"},
		{"a message without one", session.RawBody(`{"type":"message","content":"x"}`), "message"},
		{"details that are no JSON", session.Custom{CustomType: "t", Data: json.RawMessage(`{`)}, "data"},
		{"a label with a line break", label(entries[0].ID(), "two\nlines"), "control"},
		{"a label with an escape", label(entries[0].ID(), "\x1b[31mred"), "control"},
		{"a label with a C1 control", label(entries[0].ID(), "a\u0085b"), "control"},
		{"a label with a line separator", label(entries[0].ID(), "a\u2028b"), "control"},
		{"a label that is not UTF-8", label(entries[0].ID(), "caf\xe9"), "UTF-8"},
		{"a label on nothing", label("nowhere", "x"), "nowhere"},
		{"a raw label on nothing", session.RawBody(`{"type":"label","targetId":"nowhere","label":"x"}`), "nowhere"},
		{"a raw label with a control character", session.RawBody(`{"type":"label","targetId":"` + entries[0].ID() + `","label":"a\u0007"}`), "control"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Append(t.Context(), c.body)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v, want one that says %q", err, c.says)
			}
			if leaf, _ := s.Leaf(); leaf.ID() != entries[2].ID() || s.Len() != 3 || content(t, s.Path()) != before {
				t.Error("it changed something")
			}
		})
	}
	appended(t, s, user("and the session still works"))
}

func TestLabelsAreAnyLineOfText(t *testing.T) {
	s, entries := created(t)
	for _, text := range []string{"a", "begin ✓", "  blanks  ", "<tag> & \"quotes\" \\", "日本語", "🎉🌳", "zero\u200bwidth", strings.Repeat("long ", 200)} {
		e, err := s.SetLabel(t.Context(), entries[1].ID(), text)
		if err != nil {
			t.Fatal(err)
		}
		if leaf, _ := s.Leaf(); leaf.ID() != e.ID() || e.Type() != session.TypeLabel {
			t.Errorf("the label entry is a %s, the leaf %s", e.Type(), leaf.ID())
		}
		if got := opened(t, s.Path()).Label(entries[1].ID()); got != text || s.Label(entries[1].ID()) != text {
			t.Errorf("the label is %q, and %q when opened again, want %q", s.Label(entries[1].ID()), got, text)
		}
	}
	if _, err := s.SetLabel(t.Context(), entries[1].ID(), ""); err != nil {
		t.Fatal(err)
	}
	if got := s.Labels(); len(got) != 0 || len(opened(t, s.Path()).Labels()) != 0 {
		t.Errorf("after clearing: %v", got)
	}
}

func TestNewSessionFileAppearsWithItsFirstMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "down", "new.jsonl")
	s, err := session.Create(path, session.Header{Cwd: "/srv/demo", Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	model := appended(t, s, session.ModelChange{Model: "acme/m1"})
	level := appended(t, s, session.ThinkingLevelChange{Level: "high"})
	if hasFile(t, path) || s.Len() != 2 || level.ParentID() != model.ID() {
		t.Fatalf("before the first message: file %v, %d entries", hasFile(t, path), s.Len())
	}
	if c, err := s.Context(""); err != nil || c.ThinkingLevel != "high" || c.Models["default"] != "acme/m1" {
		t.Fatalf("the context in memory is %+v (%v)", c, err)
	}
	first := appended(t, s, user("hello"))
	if first.ParentID() != level.ID() {
		t.Errorf("the first message hangs from %q", first.ParentID())
	}
	again := opened(t, path)
	if got := ids(slices.Collect(again.Entries())); !slices.Equal(got, []string{model.ID(), level.ID(), first.ID()}) {
		t.Errorf("the file has %v", got)
	}
	if h := again.Header(); h.Version != 3 || h.ID != s.Header().ID || h.Cwd != "/srv/demo" || h.Title != "t" || len(again.Problems()) > 0 {
		t.Errorf("the header is %+v, problems %v", h, again.Problems())
	}
	if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
		t.Errorf("beside the file lie %v", list)
	}
	for _, e := range []session.Entry{model, level, first} { // handed out before there was a file
		if raw, err := e.Raw(); err != nil || !strings.Contains(content(t, path), string(raw)) {
			t.Errorf("%s reads %s (%v)", e.ID(), raw, err)
		}
	}
}

func TestWriteHeaderMakesTheFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.jsonl")
	s, err := session.Create(path, session.NewHeader("/srv/demo"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 { // the second time it is there
		if err := s.WriteHeader(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if text := content(t, path); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, `{"type":"session","version":3,`) {
		t.Errorf("the file is %q", text)
	}
	again := opened(t, path)
	if again.Header().ID != s.Header().ID || again.Len() != 0 {
		t.Errorf("opened: %+v", again.Header())
	}
	// Without a message, too, an append goes to the file now.
	e := appended(t, again, session.ThinkingLevelChange{Level: "low"})
	if n, err := s.Refresh(t.Context()); n != 1 || err != nil {
		t.Errorf("the other session sees %d entries (%v)", n, err)
	}
	if _, ok := s.Entry(e.ID()); !ok {
		t.Error("the other session does not have the entry")
	}
}

func TestCreateRefusesAFileThatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "there.jsonl")
	put(t, path, header3)
	if _, err := session.Create(path, session.NewHeader("/")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	if content(t, path) != header3 {
		t.Error("the file changed")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := session.Open(t.Context(), filepath.Join(dir, "missing.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if hasFile(t, filepath.Join(dir, "missing.jsonl")) {
		t.Error("opening made the file")
	}
	if _, err := session.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	path := filepath.Join(dir, "session.jsonl")
	put(t, path, header3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Open(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

func TestEmptyFileIsANewSessionAtItsPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.jsonl")
	put(t, path, "")
	s := opened(t, path)
	if content(t, path) != "" {
		t.Error("opening wrote")
	}
	e := appended(t, s, user("hello"))
	if again := opened(t, path); again.Len() != 1 || again.At(0).ID() != e.ID() || again.Header().ID != s.Header().ID || len(again.Problems()) > 0 {
		t.Errorf("the file is %q", content(t, path))
	}
}

// TestAppendAfterADamagedEnd looks at the exact bytes: what was there, a line break if one was
// missing, the new line.
func TestAppendAfterADamagedEnd(t *testing.T) {
	whole := header3 + line("aaaaaaa1", "", "one")
	for _, c := range []struct{ name, end, between, parent string }{
		{"nothing is wrong", "", "", "aaaaaaa1"},
		{"a torn line", `{"type":"message","id":"bbbbbbb2","parentId":"aa`, "\n", "aaaaaaa1"},
		{"a torn string that ends in a backslash", `{"type":"message","id":"bbb\`, "\n", "aaaaaaa1"},
		{"a complete line without its newline", strings.TrimSuffix(line("bbbbbbb2", "aaaaaaa1", "two"), "\n"), "\n", "bbbbbbb2"},
		{"NUL bytes", strings.Repeat("\x00", 100), "\n", "aaaaaaa1"},
		{"NUL bytes and a newline", strings.Repeat("\x00", 100) + "\n", "", "aaaaaaa1"},
		{"blanks", "  ", "\n", "aaaaaaa1"},
		{"text", "oops", "\n", "aaaaaaa1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			put(t, path, whole+c.end)
			s := opened(t, path)
			e := appended(t, s, user("after"))
			raw, err := e.Raw()
			if want := whole + c.end + c.between + string(raw) + "\n"; err != nil || content(t, path) != want {
				t.Errorf("the file is\n%q (%v), want\n%q", content(t, path), err, want)
			}
			if e.ParentID() != c.parent {
				t.Errorf("it hangs from %q, want %q", e.ParentID(), c.parent)
			}
			f := appended(t, s, user("and after that"))
			again := opened(t, path)
			if leaf, _ := again.Leaf(); leaf.ID() != f.ID() || leaf.ParentID() != e.ID() || again.Len() != s.Len() {
				t.Errorf("opened again: %d entries, the leaf is %s under %s", again.Len(), leaf.ID(), leaf.ParentID())
			}
		})
	}
}

func TestReadOnlySessionsRefuseEveryChange(t *testing.T) {
	for name, text := range map[string]string{
		"no header":     line("aaaaaaa1", "", "one"),
		"newer version": strings.Replace(header3, `"version":3`, `"version":4`, 1) + line("aaaaaaa1", "", "one"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			put(t, path, text)
			s := opened(t, path)
			_, errAppend := s.Append(t.Context(), user("x"))
			_, errLabel := s.SetLabel(t.Context(), "aaaaaaa1", "x")
			_, errSummary := s.BranchWithSummary(t.Context(), "aaaaaaa1", session.BranchSummary{Summary: "x"})
			for _, err := range []error{errAppend, errLabel, errSummary, s.WriteHeader(t.Context())} {
				if !errors.Is(err, session.ErrReadOnly) || !strings.Contains(err.Error(), path) {
					t.Errorf("the error is %v", err)
				}
			}
			if name == "no header" && !strings.Contains(errAppend.Error(), "ramo doctor --repair") {
				t.Errorf("the error does not say what to do: %v", errAppend)
			}
			if content(t, path) != text {
				t.Error("the file changed")
			}
			if err := s.BranchTo("aaaaaaa1"); err != nil {
				t.Errorf("a move writes nothing, and yet: %v", err)
			}
		})
	}
}

func TestDeletedFileIsWrittenAnewWithAllItHeld(t *testing.T) {
	s, entries := created(t)
	before := content(t, s.Path())
	if err := os.Remove(s.Path()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Refresh(t.Context()); n != 0 || err != nil || s.Len() != 3 {
		t.Errorf("a refresh: %d, %v, %d entries", n, err, s.Len())
	}
	if raw, err := entries[1].Raw(); err != nil || !strings.Contains(before, string(raw)) {
		t.Errorf("what was read cannot be read any more: %s (%v)", raw, err)
	}
	e := appended(t, s, user("four"))
	if e.ParentID() != entries[2].ID() || !strings.HasPrefix(content(t, s.Path()), before) {
		t.Errorf("it hangs from %s; the file is\n%s", e.ParentID(), content(t, s.Path()))
	}
	again := opened(t, s.Path())
	if again.Len() != 4 || len(again.Problems()) > 0 || again.Header().ID != s.Header().ID {
		t.Errorf("opened again: %d entries, problems %v", again.Len(), again.Problems())
	}
	appended(t, s, user("five"))
}

// rewrite puts other content in the file's place, as a tool does that renames a new file there.
func rewrite(t *testing.T, path, text string) {
	t.Helper()
	put(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestReplacedFileIsReadAnewAndTheLeafKept(t *testing.T) {
	s, entries := created(t)
	if err := s.BranchTo(entries[1].ID()); err != nil {
		t.Fatal(err)
	}
	old := strings.SplitAfter(content(t, s.Path()), "\n")
	// The other tool dropped the last entry, and added one in front.
	epoch := s.Epoch()
	text := old[0] + line("0f0f0f0f", "", "zero") + old[1] + old[2] + line("0e0e0e0e", entries[1].ID(), "theirs")
	rewrite(t, s.Path(), text)
	e := appended(t, s, user("mine"))
	if e.ParentID() != entries[1].ID() || s.Epoch() != epoch+1 || s.Len() != 5 {
		t.Errorf("it hangs from %s, epoch %d, %d entries", e.ParentID(), s.Epoch(), s.Len())
	}
	if !strings.HasPrefix(content(t, s.Path()), text) {
		t.Errorf("the file is\n%s", content(t, s.Path()))
	}
	if _, ok := s.Entry(entries[2].ID()); ok {
		t.Error("an entry that is in the file no more is still found")
	}
	if raw, err := entries[2].Raw(); err != nil || string(raw)+"\n" != old[3] {
		t.Errorf("an entry of the old file reads %s (%v)", raw, err)
	}
}

func TestReplacedFileWithoutTheLeafIsNotGuessedAt(t *testing.T) {
	s, entries := created(t)
	old := strings.SplitAfter(content(t, s.Path()), "\n")
	text := old[0] + old[1] + line("0e0e0e0e", entries[0].ID(), "theirs")
	rewrite(t, s.Path(), text)
	for range 2 {
		if _, err := s.Append(t.Context(), user("lost")); !errors.Is(err, session.ErrLeafLost) || !strings.Contains(err.Error(), entries[2].ID()) {
			t.Fatalf("the error is %v", err)
		}
	}
	if content(t, s.Path()) != text {
		t.Error("the file changed")
	}
	if err := s.BranchTo("0e0e0e0e"); err != nil {
		t.Fatal(err)
	}
	if e := appended(t, s, user("found")); e.ParentID() != "0e0e0e0e" {
		t.Errorf("it hangs from %s", e.ParentID())
	}
}

func TestReplacedFileWithoutTheLeafAfterResetLeaf(t *testing.T) {
	s, _ := created(t)
	rewrite(t, s.Path(), header3+line("0e0e0e0e", "", "theirs"))
	if _, err := s.Append(t.Context(), user("lost")); !errors.Is(err, session.ErrLeafLost) {
		t.Fatalf("the error is %v", err)
	}
	s.ResetLeaf()
	if e := appended(t, s, user("a new root")); e.ParentID() != "" {
		t.Errorf("it hangs from %s", e.ParentID())
	}
}

func TestTruncatedFileIsReadAnew(t *testing.T) {
	s, entries := created(t)
	old := strings.SplitAfter(content(t, s.Path()), "\n")
	if err := os.Truncate(s.Path(), int64(len(old[0]+old[1]+old[2]))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), user("x")); !errors.Is(err, session.ErrLeafLost) {
		t.Fatalf("the leaf was cut off: %v", err)
	}
	if err := s.BranchTo(entries[1].ID()); err != nil {
		t.Fatal(err)
	}
	if e := appended(t, s, user("x")); e.ParentID() != entries[1].ID() || opened(t, s.Path()).Len() != 3 {
		t.Errorf("it hangs from %s", e.ParentID())
	}
}

func TestEmptiedFileIsNotWrittenTo(t *testing.T) {
	s, entries := created(t)
	put(t, s.Path(), "")
	if _, err := s.Append(t.Context(), user("x")); err == nil || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("the error is %v", err)
	}
	if content(t, s.Path()) != "" {
		t.Error("something was written")
	}
	if leaf, _ := s.Leaf(); s.Len() != 3 || leaf.ID() != entries[2].ID() {
		t.Errorf("in memory: %d entries, the leaf is %s", s.Len(), leaf.ID())
	}
}

// TestEntryOfARewrittenFileIsAnErrorNotOtherBytes rewrites the file in place, so that the session's
// view of it shows other content at the same offsets.
func TestEntryOfARewrittenFileIsAnErrorNotOtherBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		rewrite func(text string, old []string) string
	}{
		{"shifted by a few bytes", func(text string, old []string) string {
			return strings.Replace(text, "/srv/demo", "/srv/demo/longer", 1)
		}},
		{"entries in another order", func(_ string, old []string) string { return old[0] + old[3] + old[2] + old[1] }},
		{"entries of the same length", func(text string, old []string) string {
			return old[0] + line("0a0a0a0a", "", "1") + line("0b0b0b0b", "", "2") + line("0c0c0c0c", "", "3")
		}},
		{"shorter", func(_ string, old []string) string { return old[0] }},
		{"no session at all", func(text string, _ []string) string { return strings.Repeat("x", len(text)) }},
		{"NUL bytes", func(text string, _ []string) string { return strings.Repeat("\x00", len(text)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			text := header3 + line("aaaaaaa1", "", "1") + line("bbbbbbb2", "", "2") + line("ccccccc3", "", "3")
			put(t, path, text)
			s := opened(t, path)
			old := strings.SplitAfter(text, "\n")
			put(t, path, c.rewrite(text, old))
			for i := range 3 {
				e := s.At(i)
				raw, err := e.Raw()
				if err == nil && string(raw)+"\n" != old[i+1] {
					t.Errorf("%s reads %s", e.ID(), raw)
				}
				if err == nil && c.name != "entries in another order" {
					t.Errorf("%s reads though it is not there", e.ID())
				}
				if err != nil && !strings.Contains(err.Error(), path) {
					t.Errorf("the error does not name the file: %v", err)
				}
				if _, err := e.Message(); err == nil && string(raw) == "" {
					t.Errorf("%s has a message though its bytes are gone", e.ID())
				}
			}
		})
	}
}

func TestEachSessionOnAFileHasItsOwnLeaf(t *testing.T) {
	a, entries := created(t)
	b := opened(t, a.Path())
	one := appended(t, a, user("a1"))
	two := appended(t, b, user("b1"))
	three := appended(t, a, user("a2"))
	four := appended(t, b, user("b2"))
	for _, c := range []struct {
		e      session.Entry
		parent string
	}{{one, entries[2].ID()}, {two, entries[2].ID()}, {three, one.ID()}, {four, two.ID()}} {
		if c.e.ParentID() != c.parent {
			t.Errorf("%s hangs from %s, want %s", c.e.ID(), c.e.ParentID(), c.parent)
		}
	}
	if _, err := a.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	leafA, _ := a.Leaf()
	leafB, _ := b.Leaf()
	if leafA.ID() != three.ID() || leafB.ID() != four.ID() || a.Len() != 7 || b.Len() != 7 {
		t.Errorf("leaves %s and %s, %d and %d entries", leafA.ID(), leafB.ID(), a.Len(), b.Len())
	}
	sameTree(t, a, b)
}

func TestFollowYieldsTheEntriesOfOthers(t *testing.T) {
	a, _ := created(t)
	b := opened(t, a.Path())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only against hanging
	defer cancel()
	got := make(chan string)
	done := make(chan struct{})
	follow := a.Follow(ctx) // from here on
	go func() {
		defer close(done)
		for e, err := range follow {
			if err != nil {
				t.Errorf("follow: %v", err)
				return
			}
			select {
			case got <- e.ID():
			case <-ctx.Done():
				return
			}
		}
	}()
	var want []string
	for i := range 5 {
		appended(t, a, user(fmt.Sprint("own ", i)))
		want = append(want, appended(t, b, user(fmt.Sprint("theirs ", i))).ID())
		if i == 2 { // the next ones come in another batch
			for _, id := range want[:3] {
				if next := receive(t, ctx, got); next != id {
					t.Fatalf("followed %s, want %s", next, id)
				}
			}
		}
	}
	for _, id := range want[3:] {
		if next := receive(t, ctx, got); next != id {
			t.Fatalf("followed %s, want %s", next, id)
		}
	}
	// After a rewrite: what is new in it, and nothing that was there.
	rewrite(t, a.Path(), content(t, a.Path())+line("0e0e0e0e", want[0], "rewritten"))
	if next := receive(t, ctx, got); next != "0e0e0e0e" {
		t.Fatalf("after the rewrite %s was followed", next)
	}
	cancel()
	<-done
}

func receive(t *testing.T, ctx context.Context, from <-chan string) string {
	t.Helper()
	select {
	case id := <-from:
		return id
	case <-ctx.Done():
		t.Fatal("nothing was followed")
		return ""
	}
}

func TestSavedPosition(t *testing.T) {
	leafOf := func(s *session.Session) string { e, _ := s.Leaf(); return e.ID() }
	saved := func(t *testing.T, move func(*session.Session, []session.Entry)) (string, []session.Entry) {
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		s, entries := created(t)
		before := content(t, s.Path())
		move(s, entries)
		if err := s.SavePosition(); err != nil {
			t.Fatal(err)
		}
		if content(t, s.Path()) != before {
			t.Error("the position is in the log")
		}
		if list, _ := os.ReadDir(filepath.Dir(s.Path())); len(list) != 1 {
			t.Errorf("the position is beside the log: %v", list)
		}
		return s.Path(), entries
	}
	toFirst := func(s *session.Session, e []session.Entry) {
		if err := s.BranchTo(e[0].ID()); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("is where the next session opens", func(t *testing.T) {
		path, entries := saved(t, toFirst)
		if got := leafOf(opened(t, path)); got != entries[0].ID() {
			t.Errorf("the leaf is %q, want %q", got, entries[0].ID())
		}
		s, err := session.Open(t.Context(), path, session.WithoutPosition())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := leafOf(s); got != entries[2].ID() {
			t.Errorf("without it the leaf is %q, want %q", got, entries[2].ID())
		}
	})
	t.Run("may be before the first entry", func(t *testing.T) {
		path, _ := saved(t, func(s *session.Session, _ []session.Entry) { s.ResetLeaf() })
		s := opened(t, path)
		if _, ok := s.Leaf(); ok {
			t.Errorf("the leaf is %q", leafOf(s))
		}
		if e := appended(t, s, user("a new root")); e.ParentID() != "" {
			t.Errorf("it hangs from %q", e.ParentID())
		}
	})
	t.Run("does not count after an append", func(t *testing.T) {
		path, _ := saved(t, toFirst)
		other, err := session.Open(t.Context(), path, session.WithoutPosition())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		e := appended(t, other, user("four"))
		if got := leafOf(opened(t, path)); got != e.ID() {
			t.Errorf("the leaf is %q, want %q", got, e.ID())
		}
	})
	t.Run("does not count for another file of the same name", func(t *testing.T) {
		path, entries := saved(t, toFirst)
		rewrite(t, path, header3+line("aaaaaaa1", "", "1")+line(entries[0].ID(), "aaaaaaa1", "2")+line("ccccccc3", "", "3"))
		if got := leafOf(opened(t, path)); got != "ccccccc3" {
			t.Errorf("the leaf is %q", got)
		}
	})
	t.Run("that cannot be read does not count", func(t *testing.T) {
		path, entries := saved(t, toFirst)
		state, err := session.StateDir()
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(state, "positions", "*"))
		if len(files) != 1 {
			t.Fatalf("the state directory has %v", files)
		}
		put(t, files[0], "{not JSON")
		if got := leafOf(opened(t, path)); got != entries[2].ID() {
			t.Errorf("the leaf is %q", got)
		}
	})
	t.Run("of a session in memory is nothing", func(t *testing.T) {
		s := session.NewMemory(session.NewHeader("/"))
		appended(t, s, user("x"))
		if err := s.SavePosition(); err != nil {
			t.Error(err)
		}
	})
}

func TestMemorySession(t *testing.T) {
	store := new(session.MemoryStore)
	a, err := session.CreateStore(store, session.NewHeader("/srv/demo"))
	if err != nil {
		t.Fatal(err)
	}
	level := appended(t, a, session.ThinkingLevelChange{Level: "low"})
	if _, err := session.OpenStore(t.Context(), store); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first message: %v", err)
	}
	hello := appended(t, a, user("hello"))
	b, err := session.OpenStore(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if a.Path() != "" || b.Len() != 2 || b.Header().ID != a.Header().ID || hello.ParentID() != level.ID() {
		t.Errorf("path %q, %d entries", a.Path(), b.Len())
	}
	theirs := appended(t, b, user("theirs"))
	mine := appended(t, a, user("mine"))
	if theirs.ParentID() != hello.ID() || mine.ParentID() != hello.ID() || a.Len() != 4 {
		t.Errorf("parents %s and %s, %d entries", theirs.ParentID(), mine.ParentID(), a.Len())
	}
	if _, err := session.CreateStore(store, session.NewHeader("/")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second session in the store: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Append(ctx, user("x")); !errors.Is(err, context.Canceled) || a.Len() != 4 {
		t.Errorf("an append that was cancelled: %v", err)
	}
}

func TestAppendKeepsTheBytesOfAMessageThatWasRead(t *testing.T) {
	s, _ := created(t)
	raw := `{"role":"assistant","content":[{"type":"text","text":"\u00e9"}],"usage":{"input":1e2},"future":{"z":1,"a":12345678901234567890}}`
	m, err := message.Decode(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	e := appended(t, s, session.Message{Message: m})
	got, err := e.Raw()
	if err != nil || !bytes.Contains(got, []byte(`"message":`+raw)) {
		t.Errorf("written: %s (%v)", got, err)
	}
}

func TestClosedSession(t *testing.T) {
	s, entries := created(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Append(t.Context(), user("x")); !errors.Is(err, session.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.Refresh(t.Context()); !errors.Is(err, session.ErrClosed) {
		t.Errorf("refresh: %v", err)
	}
	if s.Len() != 3 || entries[2].ParentID() != entries[1].ID() {
		t.Error("what is in memory is gone")
	}
}
