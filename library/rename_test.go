package library

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/session"
)

func TestRename(t *testing.T) {
	b := newBookcase(t)
	path := b.write("s", user("a", "", "one"))
	ctx := context.Background()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"The parser", "  Der \"Parser\" <2> ", ""} {
		if err := Rename(ctx, path, name); err != nil {
			t.Fatal(err)
		}
		i, err := Read(path)
		if err != nil || i.Name != strings.TrimSpace(name) {
			t.Errorf("named %q it is %q: %v", name, i.Name, err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("what was there before is not there any more: %v\n%s", err, after)
	}
	s, err := session.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if p := s.Problems(); len(p) > 0 || s.Counts().Branches != 1 {
		t.Errorf("%v, %d branches", p, s.Counts().Branches)
	}
	for _, bad := range []string{"two\nlines", "\xff", "\x1b[31m"} {
		if err := Rename(ctx, path, bad); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}
	if err := Rename(ctx, path+"x", "a"); err == nil {
		t.Error("a session that is not there")
	}
}

// TestRenameKeepsTheWidthOfTheTitleLine, whatever the name is, and changes nothing else.
func TestRenameKeepsTheWidthOfTheTitleLine(t *testing.T) {
	b := newBookcase(t)
	ctx := context.Background()
	slot := `{"type":"title","v":1,"title":"Old","source":"user","updatedAt":"2026-03-09T09:00:00.000Z","pad":"`
	slot += strings.Repeat(" ", 255-len(slot)-2) + `"}`
	if len(slot) != 255 {
		t.Fatal(len(slot))
	}
	for _, name := range []string{"New", "Neu: „Zwölf\" \\ <b>", strings.Repeat("long ", 100), strings.Repeat("ä", 300), ""} {
		path := b.write("s", user("a", "", "one"))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append([]byte(slot+"\n"), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Rename(ctx, path, name); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line, rest, _ := strings.Cut(string(after), "\n")
		var got struct{ Type, Title, Source, UpdatedAt string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || len(line) != 255 || got.Type != "title" || got.Source != "user" || got.UpdatedAt == "2026-03-09T09:00:00.000Z" {
			t.Errorf("%q: %d bytes, %v: %s", name, len(line), err, line)
		}
		if !strings.HasPrefix(strings.TrimSpace(name), strings.TrimSpace(got.Title)) || name != "" && got.Title == "" {
			t.Errorf("the title is %q, the name %q", got.Title, name)
		}
		if !strings.HasPrefix(rest, string(text)) {
			t.Errorf("the rest changed: %s", rest)
		}
		if i, err := Read(path); err != nil || i.Name != strings.TrimSpace(name) {
			t.Errorf("named %q it is %q: %v", name, i.Name, err)
		}
	}
}

func TestTitleLinesThatStayAsTheyAre(t *testing.T) {
	for _, line := range []string{`{"type":"session","title":"x","pad":"   "}`, `{"type":"title","title":"x"}`, `{"type":"title","pad":"  "}`, `{"type":"title","title":"x","pad":`, `[]`, ``} {
		if out, ok := titleLine([]byte(line), "new", time.Now()); ok {
			t.Errorf("%s becomes %s", line, out)
		}
	}
	out, ok := titleLine([]byte(`{"pad":"    ","title":"x","type":"title","n":1}`), "ab", time.Now())
	if want := `{"pad":"   ","title":"ab","type":"title","n":1}`; !ok || string(out) != want {
		t.Errorf("%s, want %s", out, want)
	}
	out, ok = titleLine([]byte(`{"type":"title","title":"abc","pad":""}`), "defghi", time.Now())
	if want := fmt.Sprintf(`{"type":"title","title":%q,"pad":""}`, "def"); !ok || string(out) != want {
		t.Errorf("%s, want %s", out, want)
	}
}
