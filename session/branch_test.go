package session_test

import (
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

	"github.com/ramo-dev/ramo/session"
)

// labelled is a session with labels on and off a path, and a compaction that keeps from a label.
const labelled = header3 +
	`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"a"}}` + "\n" +
	`{"type":"label","id":"11111111","parentId":"aaaaaaa1","timestamp":"2026-02-01T10:00:02.000Z","targetId":"ccccccc3","label":"set first"}` + "\n" +
	`{ "parentId" : "11111111", "n":1e3,"type":"message","id":"bbbbbbb2","timestamp":"2026-02-01T10:00:03.000Z","message":{"role":"user","content":"b \ud83d"} }` + "\n" +
	`{"type":"label","id":"22222222","parentId":"bbbbbbb2","timestamp":"2026-02-01T10:00:04.000Z","targetId":"aaaaaaa1","label":"set second"}` + "\n" +
	`{"type":"label","id":"33333333","parentId":"22222222","timestamp":"2026-02-01T10:00:05.000Z","targetId":"bbbbbbb2","label":"cleared later"}` + "\n" +
	`{"type":"message","id":"ccccccc3","parentId":"33333333","timestamp":"2026-02-01T10:00:06.000Z","message":{"role":"user","content":"c"}}` + "\n" +
	`{"type":"compaction","id":"ddddddd4","parentId":"ccccccc3","timestamp":"2026-02-01T10:00:07.000Z","summary":"S","firstKeptEntryId" : "22222222","tokensBefore":1e2}` + "\n" +
	`{"type":"message","id":"eeeeeee5","parentId":"ddddddd4","timestamp":"2026-02-01T10:00:08.000Z","message":{"role":"user","content":"e"}}` + "\n" +
	`{"type":"message","id":"0f0f0f0f","parentId":"aaaaaaa1","timestamp":"2026-02-01T10:00:09.000Z","message":{"role":"user","content":"another branch"}}` + "\n" +
	`{"type":"label","id":"44444444","parentId":"0f0f0f0f","timestamp":"2026-02-01T10:00:10.000Z","targetId":"0f0f0f0f","label":"off the path"}` + "\n" +
	`{"type":"label","id":"55555555","parentId":"44444444","timestamp":"2026-02-01T10:00:11.000Z","targetId":"bbbbbbb2"}` + "\n" +
	`{"type":"label","id":"66666666","parentId":"55555555","timestamp":"2026-02-01T10:00:12.000Z","targetId":"33333333","label":"on a label"}` + "\n" +
	`{"type":"label","id":"77777777","parentId":"66666666","timestamp":"2026-02-01T10:00:13.000Z","targetId":"eeeeeee5","label":"set last"}` + "\n"

// TestBranchedSession holds the file that is written to section 10, line by line.
func TestBranchedSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, labelled)
	s := opened(t, path)
	leafBefore, _ := s.Leaf()
	to := filepath.Join(t.TempDir(), "sub", "new.jsonl")
	n, err := s.CreateBranchedSession(t.Context(), "eeeeeee5", to)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	lines := strings.Split(strings.TrimSuffix(content(t, to), "\n"), "\n")
	old := strings.Split(labelled, "\n")
	// Only parents that were labels, and a first kept entry that was one, change in the bytes.
	want := []string{
		old[1],
		strings.Replace(old[3], `"11111111"`, `"aaaaaaa1"`, 1),
		strings.Replace(old[6], `"33333333"`, `"bbbbbbb2"`, 1),
		strings.Replace(old[7], `"22222222"`, `"ccccccc3"`, 1),
		old[8],
	}
	if len(lines) != 1+len(want)+3 || !slices.Equal(lines[1:1+len(want)], want) {
		t.Fatalf("the file is\n%s\nwant behind the header\n%s\nand three labels", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	parent := "eeeeeee5"
	for i, label := range [][2]string{{"ccccccc3", "set first"}, {"aaaaaaa1", "set second"}, {"eeeeeee5", "set last"}} {
		var e struct{ Type, ID, ParentID, TargetID, Label string }
		if err := json.Unmarshal([]byte(lines[1+len(want)+i]), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type != "label" || e.ParentID != parent || e.TargetID != label[0] || e.Label != label[1] || strings.Contains(labelled, e.ID) {
			t.Errorf("label %d is %+v, want %q on %s under %s, with a fresh id", i, e, label[1], label[0], parent)
		}
		parent = e.ID
	}
	var h struct {
		Type, ID, Cwd, ParentSession string
		Version                      int
	}
	if err := json.Unmarshal([]byte(lines[0]), &h); err != nil {
		t.Fatal(err)
	}
	if h.Type != "session" || h.Version != 3 || h.ID == "s" || h.ID == "" || h.Cwd != "/srv/demo" || h.ParentSession != path {
		t.Errorf("the header is %s", lines[0])
	}
	if leaf, _ := n.Leaf(); leaf.ID() != parent || len(n.Problems()) > 0 {
		t.Errorf("the leaf is %s, problems %v", leaf.ID(), n.Problems())
	}
	if content(t, path) != labelled {
		t.Error("the old file changed")
	}
	if leaf, _ := s.Leaf(); leaf.ID() != leafBefore.ID() {
		t.Error("the old session's leaf moved")
	}
	if e := appended(t, n, user("goes on")); e.ParentID() != parent {
		t.Errorf("the next entry hangs from %s", e.ParentID())
	}
}

func TestBranchedSessionAtALabel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, labelled)
	s := opened(t, path)
	n, err := s.CreateBranchedSession(t.Context(), "22222222", filepath.Join(t.TempDir(), "new.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if n.Len() != 3 || n.At(0).ID() != "aaaaaaa1" || n.At(1).ID() != "bbbbbbb2" || n.Label("aaaaaaa1") != "set second" || n.Label("bbbbbbb2") != "" {
		t.Errorf("the branch is %v, with labels %v", ids(slices.Collect(n.Entries())), n.Labels())
	}
}

func TestBranchedSessionInMemory(t *testing.T) {
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	var entries []session.Entry
	for i := range 4 {
		entries = append(entries, appended(t, s, user(fmt.Sprint(i))))
	}
	if _, err := s.SetLabel(t.Context(), entries[1].ID(), "here"); err != nil {
		t.Fatal(err)
	}
	n, err := s.CreateBranchedSession(t.Context(), entries[1].ID(), "")
	if err != nil {
		t.Fatal(err)
	}
	if n.Path() != "" || n.Len() != 3 || n.Label(entries[1].ID()) != "here" || n.Header().ParentSession != s.Header().ID {
		t.Errorf("path %q, %d entries, header %+v", n.Path(), n.Len(), n.Header())
	}
	appended(t, n, user("goes on"))
	if s.Len() != 5 || n.Len() != 4 {
		t.Errorf("the two share entries: %d and %d", s.Len(), n.Len())
	}
}

func TestBranchedSessionAtTheLeaf(t *testing.T) {
	s, entries := created(t)
	if err := s.BranchTo(entries[1].ID()); err != nil {
		t.Fatal(err)
	}
	n, err := s.CreateBranchedSession(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(slices.Collect(n.Entries())); !slices.Equal(got, ids(entries[:2])) {
		t.Errorf("the branch is %v", got)
	}
}

func TestBranchingAndForkingRefuse(t *testing.T) {
	s, entries := created(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there.jsonl")
	put(t, there, "keep me\n")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		do   func(path string) error
		path string
		want error
	}{
		{"an unknown leaf", func(p string) error { _, err := s.CreateBranchedSession(t.Context(), "nowhere", p); return err }, "new.jsonl", session.ErrNotFound},
		{"a file that is there", func(p string) error { _, err := s.CreateBranchedSession(t.Context(), entries[0].ID(), p); return err }, "there.jsonl", fs.ErrExist},
		{"a fork to a file that is there", func(p string) error { _, err := s.Fork(t.Context(), p); return err }, "there.jsonl", fs.ErrExist},
		{"its own file", func(string) error { _, err := s.Fork(t.Context(), s.Path()); return err }, "", fs.ErrExist},
		{"a branch that is cancelled", func(p string) error { _, err := s.CreateBranchedSession(cancelled, entries[0].ID(), p); return err }, "new.jsonl", context.Canceled},
		{"a fork that is cancelled", func(p string) error { _, err := s.Fork(cancelled, p); return err }, "new.jsonl", context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(filepath.Join(dir, c.path))
			if c.want == fs.ErrExist {
				// The error is for people; whether the sentinel is kept is not promised.
				if err == nil || !strings.Contains(err.Error(), "exists already") {
					t.Errorf("the error is %v", err)
				}
			} else if !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if list, _ := os.ReadDir(dir); len(list) != 1 || content(t, there) != "keep me\n" {
				t.Errorf("it left %v", list)
			}
		})
	}
}

func TestForkCopiesTheWholeTree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, labelled+"\n{\"torn")
	s := opened(t, path)
	to := filepath.Join(t.TempDir(), "fork.jsonl")
	n, err := s.Fork(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	_, entries, _ := strings.Cut(content(t, to), "\n")
	if want := strings.TrimPrefix(labelled, header3); entries != want {
		t.Errorf("the entries are\n%s\nwant\n%s", entries, want)
	}
	if h := n.Header(); h.ParentSession != path || h.ID == s.Header().ID || h.Cwd != "/srv/demo" || len(n.Problems()) > 0 {
		t.Errorf("the header is %+v, problems %v", h, n.Problems())
	}
	if fmt.Sprint(n.Labels()[0].Text, len(n.Labels())) != fmt.Sprint(s.Labels()[0].Text, len(s.Labels())) {
		t.Errorf("labels are %v, want %v", n.Labels(), s.Labels())
	}
}

// TestForkOfAnOldSessionIsInThePresentFormat: what is copied is what the entries say now.
func TestForkOfAnOldSessionIsInThePresentFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	v1 := strings.Replace(header3, `"version":3,`, "", 1) +
		`{"type":"message","timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"one"}}` + "\n" +
		`{"type":"message","timestamp":"2026-02-01T10:00:02.000Z","message":{"role":"hookMessage","content":"two"}}` + "\n"
	put(t, path, v1)
	s := opened(t, path)
	n, err := s.Fork(t.Context(), filepath.Join(t.TempDir(), "fork.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if n.Header().Version != 3 || n.Len() != 2 || n.At(1).ID() != s.At(1).ID() || n.At(1).ParentID() != n.At(0).ID() || n.At(1).Role() != "custom" {
		t.Errorf("the fork is\n%s", content(t, n.Path()))
	}
	if content(t, path) != v1 || hasFile(t, path+".v1.bak") {
		t.Error("forking changed the old file")
	}
}

// TestForkKeepsEntriesThatShareAnIDApart: their ids stay, so their addresses do.
func TestForkKeepsEntriesThatShareAnIDApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.jsonl")
	put(t, path, header3+line("x", "", "first")+line("bbbbbbb2", "x", "under the first")+line("x", "", "second")+line("ccccccc3", "x", "under the second"))
	s := opened(t, path)
	n, err := s.Fork(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Len() {
		if s.At(i).ID() != n.At(i).ID() || s.At(i).ParentID() != n.At(i).ParentID() {
			t.Errorf("%s under %s became %s under %s", s.At(i).ID(), s.At(i).ParentID(), n.At(i).ID(), n.At(i).ParentID())
		}
	}
}

func TestCommonAncestor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, header3+line("aaaaaaa1", "", "")+line("bbbbbbb2", "aaaaaaa1", "")+line("ccccccc3", "bbbbbbb2", "")+line("ddddddd4", "bbbbbbb2", "")+line("eeeeeee5", "", ""))
	s := opened(t, path)
	for _, c := range [][3]string{
		{"ccccccc3", "ddddddd4", "bbbbbbb2"}, {"ccccccc3", "ccccccc3", "ccccccc3"}, {"ccccccc3", "aaaaaaa1", "aaaaaaa1"},
		{"bbbbbbb2", "ddddddd4", "bbbbbbb2"}, {"ccccccc3", "eeeeeee5", ""}, {"", "eeeeeee5", "eeeeeee5"},
	} {
		for _, pair := range [][2]string{{c[0], c[1]}, {c[1], c[0]}} {
			e, ok, err := s.CommonAncestor(pair[0], pair[1])
			if err != nil || e.ID() != c[2] || ok != (c[2] != "") {
				t.Errorf("of %q and %q it is %q (%v), want %q", pair[0], pair[1], e.ID(), err, c[2])
			}
		}
	}
	if _, _, err := s.CommonAncestor("aaaaaaa1", "nowhere"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("with an unknown entry: %v", err)
	}
}

func TestFindByIDLabelOrUniquePrefix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, header3+line("aaaaaaa1", "", "")+line("aaaabbb2", "aaaaaaa1", "")+line("beef", "aaaabbb2", "")+line("beef0001", "beef", "")+
		`{"type":"label","id":"11111111","parentId":"beef0001","timestamp":"2026-02-01T10:00:02.000Z","targetId":"aaaaaaa1","label":"start"}`+"\n"+
		`{"type":"label","id":"22222222","parentId":"11111111","timestamp":"2026-02-01T10:00:03.000Z","targetId":"beef","label":"twice"}`+"\n"+
		`{"type":"label","id":"33333333","parentId":"22222222","timestamp":"2026-02-01T10:00:03.000Z","targetId":"beef0001","label":"twice"}`+"\n"+
		`{"type":"label","id":"44444444","parentId":"33333333","timestamp":"2026-02-01T10:00:03.000Z","targetId":"aaaabbb2","label":"11111111"}`+"\n")
	s := opened(t, path)
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"aaaaaaa1", "aaaaaaa1", nil},
		{"aaaaa", "aaaaaaa1", nil},
		{"aaaab", "aaaabbb2", nil},
		{"beef", "beef", nil}, // an id of its own, though another starts with it
		{"start", "aaaaaaa1", nil},
		{"11111111", "11111111", nil}, // an id goes before a label
		{"aaaa", "", session.ErrAmbiguous},
		{"twice", "", session.ErrAmbiguous},
		{"star", "", session.ErrNotFound}, // a label is named whole
		{"zzz", "", session.ErrNotFound},
		{"", "", session.ErrNotFound},
	} {
		e, err := s.Find(c.name)
		if e.ID() != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q finds %q (%v), want %q (%v)", c.name, e.ID(), err, c.want, c.err)
		}
		if errors.Is(c.err, session.ErrAmbiguous) && c.name == "aaaa" && (!strings.Contains(err.Error(), "aaaaaaa1") || !strings.Contains(err.Error(), "aaaabbb2")) {
			t.Errorf("the error names no candidates: %v", err)
		}
	}
}

// TestEntryFlags: what the index tells without reading a body.
func TestEntryFlags(t *testing.T) {
	message := func(id, rest string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"assistant",%s}}`+"\n", id, rest)
	}
	path := filepath.Join(t.TempDir(), "session.jsonl")
	put(t, path, header3+
		message("text", `"content":[{"type":"text","text":"x"}],"stopReason":"stop"`)+
		message("string", `"content":"x"`)+
		message("blank", `"content":[{"type":"text","text":" \n\t"}]`)+
		message("calls", `"content":[{"type":"toolCall","id":"c","name":"n","arguments":{"type":"text","text":"no"}}],"stopReason":"toolUse"`)+
		message("both", `"content":[{"type":"toolCall","id":"c","name":"n","arguments":{}},{"text":"x","type":"text"}]`)+
		message("failed", `"content":[],"stopReason":"error"`)+
		message("aborted", `"content":[],"stopReason":"aborted"`)+
		message("thinking", `"content":[{"type":"thinking","thinking":"x"}]`))
	s := opened(t, path)
	for id, want := range map[string][4]bool{ // text, calls, failed, aborted
		"text": {true}, "string": {true}, "blank": {}, "calls": {false, true}, "both": {true, true},
		"failed": {false, false, true}, "aborted": {false, false, false, true}, "thinking": {},
	} {
		e := entry(t, s, id)
		if got := [4]bool{e.HasText(), e.HasToolCalls(), e.Failed(), e.Aborted()}; got != want || e.Role() != "assistant" {
			t.Errorf("%s: text, calls, failed, aborted are %v, want %v", id, got, want)
		}
	}
}
