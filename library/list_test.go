package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// put makes a session in a folder below a tool's, about a directory, that was last used minutes ago.
func (b *bookcase) put(folder, name, cwd string, minutes int, lines ...string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, folder, name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-09T09:00:00.000Z","cwd":%q}`, name, cwd)
	if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	at := time.Now().Add(-time.Duration(minutes) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bookcase) listed(o ListOptions) string {
	b.t.Helper()
	list := b.lib.List(o)
	var names []string
	for i := range list.Sessions(context.Background()) {
		names = append(names, strings.TrimSuffix(filepath.Base(i.Path), ".jsonl"))
	}
	if err := list.Err(); err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// TestTheOrderOfAList: the last used first; with a directory, those that lie in its folder before all
// others. What a session is about, its header tells, not its folder.
func TestTheOrderOfAList(t *testing.T) {
	b := newBookcase(t)
	home := filepath.Join(b.dir, "src", "shop")
	b.put(".pi/agent/sessions/"+filepath.Base(DirFor("/srv/demo")), "a", "/srv/demo", 3)
	b.put(".omp/agent/sessions/-srv-demo", "b", "/srv/demo", 1)
	b.put(".omp/agent/sessions/-srv-other", "c", "/srv/other", 0)
	b.put("data/ramo/sessions/--elsewhere--", "d", "/srv/demo", 2)
	b.put(".omp/agent/sessions/-src-shop", "e", home, 5)
	for _, c := range []struct {
		options ListOptions
		want    string
	}{
		{ListOptions{}, "c b d a e"},
		{ListOptions{Dir: "/srv/demo"}, "b a c d e"},
		{ListOptions{Dir: "/srv/demo", Only: true}, "b d a"},
		{ListOptions{Dir: home}, "e c b d a"}, // omp leaves the home directory out of the folder's name
		{ListOptions{Dir: "/nowhere", Only: true}, ""},
	} {
		if got := b.listed(c.options); got != c.want {
			t.Errorf("%+v lists %q, want %q", c.options, got, c.want)
		}
	}
}

func TestWhatIsPassedOverIsCounted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	b := newBookcase(t)
	one := b.write("one", user("a", "", "x"))
	dir := filepath.Dir(one)
	for name, text := range map[string]string{"empty": "", "half": `{"type":"session","ver`, "other": "{\"a\":1}\n", "text": "hello\n", ".hidden": "{}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(one, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := b.lib.List(ListOptions{})
	n := 0
	for range list.Sessions(context.Background()) {
		n++
	}
	want := Skipped{SkippedHalfWritten: 2, SkippedOther: 2, SkippedLink: 1}
	if got := list.Skipped(); n != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d sessions, passed over %v, want %v", n, got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range list.Sessions(ctx) {
		t.Error("a list goes on after its context's end")
	}
	if list.Err() == nil {
		t.Error("it does not say why it ended")
	}
}

// TestWhatTheListTellsOfASession, however long or damaged its first lines are.
func TestWhatTheListTellsOfASession(t *testing.T) {
	b := newBookcase(t)
	picture := strings.Repeat("A", 200_000)
	for name, c := range map[string]struct {
		lines         []string
		name, request string
	}{
		"plain":               {[]string{user("a", "", "mend it")}, "", "mend it"},
		"an answer first":     {[]string{answer("a", "", "hello"), user("b", "a", "mend it")}, "", "mend it"},
		"a picture behind":    {[]string{entry("message", "a", "", `"message":{"role":"user","content":[{"type":"text","text":"what is \"this\"?"},{"type":"image","data":"`+picture+`"}]}`)}, "", `what is "this"?`},
		"a very long request": {[]string{entry("message", "a", "", `"message":{"role":"user","content":"mend `+strings.Repeat(`\u00e4`, 50_000)+`"}`)}, "", "mend ää"},
		"a long answer":       {[]string{entry("message", "a", "", `"message":{"role":"assistant","content":[{"type":"text","text":"`+picture+`"}]}`), user("b", "a", "mend it")}, "", ""},
		"named":               {[]string{entry("session_info", "n", "", `"name":"First"`), user("a", "n", "mend it")}, "First", "mend it"},
		"named at the end":    {[]string{user("a", "", "mend it"), answer("b", "a", picture), entry("session_info", "n", "b", `"name":"Last"`), answer("c", "n", "done")}, "Last", "mend it"},
		"a name in a text":    {[]string{user("a", "", "mend it"), user("b", "a", `"session_info" {"name":"no"}`)}, "", "mend it"},
		"a damaged line":      {[]string{`{"type":"mess`, user("a", "", "mend it")}, "", "mend it"},
	} {
		i, err := Read(b.write("s", c.lines...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(i.Request) > 5000 && strings.HasPrefix(i.Request, c.request+"ä") && strings.HasSuffix(i.Request, "ä") {
			i.Request = c.request // the start of a long one
		}
		if i.Name != c.name || i.Request != c.request || i.ID != "s" || i.Cwd != "/srv/demo" || i.Tool != "pi" {
			t.Errorf("%s: name %q, request %.30q, %s %s %s", name, i.Name, i.Request, i.ID, i.Cwd, i.Tool)
		}
		if want := c.name + c.request; c.name == "" && i.Title() != want || c.name != "" && i.Title() != c.name {
			t.Errorf("%s: it is called %q", name, i.Title())
		}
	}
}

func TestTool(t *testing.T) {
	for _, c := range []struct {
		path, said string
		title      bool
		id, want   string
	}{
		{"/x/s.jsonl", "ramo", true, "", "ramo"},
		{"/home/ada/.pi/agent/sessions/s.jsonl", "", false, "", "pi"},
		{"/home/ada/.omp/agent/sessions/s.jsonl", "", false, "019cd1de-0000-7000-8000-000000000001", "omp"},
		{"/x/s.jsonl", "", true, "", "omp"},
		{"/x/s.jsonl", "", false, "019cd1de-0000-7000-8000-000000000001", "pi"},
		{"/x/s.jsonl", "", false, "15e3a92db2c510f5", "omp"},
		{"/x/s.jsonl", "", false, "15E3A92DB2C510F5", ""},
		{"/x/s.jsonl", "", false, "", ""},
	} {
		if got := Tool(c.path, c.said, c.title, c.id); got != c.want {
			t.Errorf("%+v is of %q", c, got)
		}
	}
}
