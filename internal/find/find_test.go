package find

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTool(t *testing.T) {
	const uuid, hex16 = "019cd1de-0000-7000-8000-000000000001", "15e3a92db2c510f5"
	for _, c := range []struct {
		name, path, said string
		titleLine        bool
		id, want         string
	}{
		{"the header says it", "/home/a/.pi/agent/sessions/x.jsonl", "ramo", true, uuid, "ramo"},
		{"pi's folder", "/home/a/.pi/agent/sessions/x.jsonl", "", false, hex16, "pi"},
		{"omp's folder", "/home/a/.omp/agent/sessions/x.jsonl", "", false, uuid, "omp"},
		{"a title line", "/srv/x.jsonl", "", true, uuid, "omp"},
		{"a UUID", "/srv/x.jsonl", "", false, uuid, "pi"},
		{"16 hex digits", "/srv/x.jsonl", "", false, hex16, "omp"},
		{"nothing tells", "/srv/x.jsonl", "", false, "abc", ""},
	} {
		if got := Tool(c.path, c.said, c.titleLine, c.id); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	const header = `{"type":"session","version":3,"id":"15e3a92db2c510f5","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo","title":"old"}` + "\n"
	user := func(content string) string {
		return `{"type":"message","id":"aaaaaaa1","parentId":null,"message":{"role":"user","content":` + content + `}}` + "\n"
	}
	long := strings.Repeat("A", headSize)
	for _, c := range []struct{ name, content, title, first string }{
		{"header only", header, "old", ""},
		{"without a line end", strings.TrimSpace(header), "old", ""},
		{"byte order mark, blank and broken lines", "\ufeff" + header + "\r\n{\"type\":\n" + user(`"hi"`), "old", "hi"},
		{"a title line counts more", `{"type":"title","v":1,"title":" new ","pad":"  "}` + "\n" + header, "new", ""},
		{"a wrong member spoils no other", `{"type":"session","id":"15e3a92db2c510f5","title":7,"cwd":"/srv/demo","timestamp":"2026-03-09T09:00:00Z"}` + "\n" + user(`"hi"`), "", "hi"},
		{"blocks", header + user(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), "old", "ab"},
		{"the first request, not the first message", header + strings.Replace(user(`"no"`), `"user"`, `"developer"`, 1) + user(`"yes"`) + user(`"later"`), "old", "yes"},
		{"a picture behind the text", header + user(`[{"type":"text","text":"what \u00e9 \"is\" it?"},{"type":"image","data":"`+long+`"}]`), "old", `what é "is" it?`},
		{"a picture before the text", header + user(`[{"type":"image","data":"`+long+`"},{"type":"text","text":"late"}]`), "old", ""},
		{"a second header", header + header + user(`"hi"`), "old", "hi"},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if f.ID != "15e3a92db2c510f5" || f.Cwd != "/srv/demo" || f.Title != c.title || f.FirstMessage != c.first || f.Bytes != int64(len(c.content)) || f.Created.Year() != 2026 {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestReadRefusesWhatIsNoSession(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": "Buy milk.\n", "json": `{"a":1}`, "array": `[1,2]`, "entries": `{"type":"message","id":"a"}`, "nul": "\x00\x00"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing")} {
		if _, err := Read(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

func TestSameDir(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{dir, dir + "/", true}, {dir, link, true}, {dir, filepath.Dir(dir), false}, {"", "", false}, {"/gone/x", "/gone/x", true}, {"/gone/x", "/gone/y", false}} {
		if got := SameDir(c.a, c.b); got != c.want {
			t.Errorf("SameDir(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

// home points everything that Roots looks at to a folder of the test.
func home(t *testing.T) string {
	dir := t.TempDir()
	for name, value := range map[string]string{"HOME": dir, "USERPROFILE": dir, "XDG_DATA_HOME": "", "PI_CODING_AGENT_DIR": "", "PI_CODING_AGENT_SESSION_DIR": "", "PI_CONFIG_DIR": ""} {
		t.Setenv(name, value)
	}
	return dir
}

func TestResolveTakesAPathAsItIs(t *testing.T) {
	home(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("plain", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "missing.jsonl", "some/where", filepath.Join("..", "x")} {
		if got, err := Resolve(name, "/"); got != name || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Resolve("missing", "/"); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
	if _, err := Resolve("-", "/"); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
}

func TestAFolderThatCannotBeReadIsCounted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := filepath.Join(home(t), ".pi", "agent", "sessions", "--x--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	if files, skipped := All(); len(files) != 0 || skipped["unreadable"] != 1 {
		t.Errorf("%v %v", files, skipped)
	}
}

func TestAllFollowsALinkedRootAndListsAFileOnce(t *testing.T) {
	base := home(t)
	real := filepath.Join(base, "elsewhere")
	if err := os.MkdirAll(filepath.Join(real, "--x--"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(real, "--x--", "s.jsonl"), []byte(`{"type":"session","id":"a","cwd":"/x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{".pi", ".omp"} {
		if err := os.MkdirAll(filepath.Join(base, tool, "agent"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(real, filepath.Join(base, tool, "agent", "sessions")); err != nil {
			t.Skip(err)
		}
	}
	files, skipped := All()
	if len(files) != 1 || files[0].Tool != "pi" || len(skipped) != 0 {
		t.Errorf("%+v %v", files, skipped)
	}
}
