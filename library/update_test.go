package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/session"
)

// bookcase is a home directory with sessions, and an index of them.
type bookcase struct {
	t   *testing.T
	dir string
	lib *Library
	x   *Index
}

func newBookcase(t *testing.T) *bookcase {
	t.Helper()
	dir := t.TempDir()
	for name, to := range map[string]string{"HOME": dir, "USERPROFILE": dir, "XDG_DATA_HOME": dir + "/data", "XDG_CACHE_HOME": dir + "/cache",
		"XDG_STATE_HOME": dir + "/state", "PI_CODING_AGENT_DIR": "", "PI_CODING_AGENT_SESSION_DIR": "", "PI_CONFIG_DIR": ""} {
		t.Setenv(name, to)
	}
	b := &bookcase{t: t, dir: dir, lib: New()}
	b.open()
	return b
}

func (b *bookcase) open() {
	b.t.Helper()
	x, err := OpenIndex("")
	if err != nil {
		b.t.Fatal(err)
	}
	b.x = x
	b.t.Cleanup(func() {
		if err := x.Close(); err != nil {
			b.t.Error(err)
		}
	})
}

func (b *bookcase) update() {
	b.t.Helper()
	if err := b.x.Update(context.Background(), b.lib, nil); err != nil {
		b.t.Fatal(err)
	}
}

// write makes a session of pi from lines without the header.
func (b *bookcase) write(name string, lines ...string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, ".pi/agent/sessions/--srv-demo--", name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	header := `{"type":"session","version":3,"id":"` + name + `","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}`
	if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bookcase) append(path string, lines ...string) {
	b.t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	for _, l := range lines {
		if _, err := f.WriteString(l + "\n"); err != nil {
			b.t.Fatal(err)
		}
	}
}

// entry is a line of a session, its parent "" for none.
func entry(typ, id, parent, rest string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-03-09T09:00:01.000Z",%s}`, typ, id, p, rest)
}

func user(id, parent, text string) string {
	b, _ := json.Marshal(text) // a string has no way to fail
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"user","content":%s}`, b))
}

func answer(id, parent, text string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"text","text":%q}],"provider":"acme","model":"m1","usage":{"input":10,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"total":0.5}}}`, text))
}

func label(id, parent, target, text string) string {
	return entry("label", id, parent, fmt.Sprintf(`"targetId":%q,"label":%q`, target, text))
}

// all is everything in the index, as text.
func (b *bookcase) all() string {
	b.t.Helper()
	var out strings.Builder
	for _, q := range []string{
		"SELECT path, settled, modified, odd, skipped, cwd, tool, name, copied, messages, branches, leaves FROM sessions ORDER BY path",
		"SELECT path, entry, role, time, at, size FROM entries JOIN sessions ON sessions.id = session ORDER BY path, role, at, entry",
		"SELECT path, entry, label, folded FROM labels JOIN sessions ON sessions.id = session ORDER BY path, entry",
		"SELECT path, quarter, model, spent.messages, input, output, cache_read, cache_write, cost FROM spent JOIN sessions ON sessions.id = session ORDER BY path, quarter, model",
	} {
		rows, err := b.x.db.Query(q)
		if err != nil {
			b.t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			values := make([]any, len(columns))
			to := make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); err != nil {
				b.t.Fatal(err)
			}
			fmt.Fprintln(&out, values...)
		}
		if err := rows.Err(); err != nil {
			b.t.Fatal(err)
		}
	}
	return out.String()
}

// found counts the documents that match, in FTS5's own language.
func (b *bookcase) found(match string) (n int) {
	b.t.Helper()
	if err := b.x.db.QueryRow("SELECT count(*) FROM words JOIN entries ON id = words.rowid WHERE words MATCH ?", match).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// whatIsRead lets an update run, and tells how many bytes it meant to read.
func (b *bookcase) whatIsRead() (bytes int64) {
	b.t.Helper()
	var last int64
	err := b.x.Update(context.Background(), b.lib, func(done, total int64) {
		if done < last || done > total {
			b.t.Errorf("progress goes from %d to %d of %d", last, done, total)
		}
		last, bytes = done, total
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if last != bytes {
		b.t.Errorf("progress ends at %d of %d", last, bytes)
	}
	return bytes
}

// TestAppendedIsAsReadAnew: an index that grew with its sessions says what one says that is made of
// the same sessions at once, and reads only what is new.
func TestAppendedIsAsReadAnew(t *testing.T) {
	steps := map[string][][]string{
		"chain":              {{user("a", "", "one")}, {answer("b", "a", "two")}, {user("c", "b", "three"), answer("d", "c", "four")}},
		"branches":           {{user("a", "", "one"), answer("b", "a", "two")}, {answer("c", "a", "three")}, {user("d", "", "another root")}},
		"labels":             {{user("a", "", "one"), label("b", "a", "a", "first")}, {label("c", "b", "a", "second")}, {label("d", "c", "a", "")}, {label("e", "d", "b", "of a label")}},
		"names":              {{user("a", "", "one")}, {entry("session_info", "b", "a", `"name":"Parser"`)}, {entry("session_info", "c", "b", `"name":"Lexer"`)}},
		"name taken away":    {{entry("session_info", "b", "", `"name":"Parser"`)}, {entry("session_info", "c", "b", `"name":""`)}},
		"other entries":      {{user("a", "", "one")}, {entry("custom", "b", "a", `"customType":"x"`), entry("branch_summary", "c", "b", `"summary":"We tried","fromId":"a"`)}},
		"an id once more":    {{user("a", "", "one"), answer("b", "a", "two")}, {user("b", "a", "three")}},
		"the same once more": {{user("a", "", "one")}, {user("a", "", "one")}},
		"damage":             {{user("a", "", "one")}, {`{"type":"mess`, user("b", "a", "two")}, {user("c", "b", "three")}},
		"another header":     {{user("a", "", "one")}, {`{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/"}`}},
		"no time":            {{user("a", "", "one")}, {`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"x"}}`}},
		"blank lines":        {{user("a", "", "one")}, {"", "  " + user("b", "a", "two") + " \r", ""}},
		"an orphan":          {{user("a", "", "one"), user("c", "b", "three")}, {user("b", "a", "two")}},
		"newline in an id":   {{user("a", "", "one")}, {user("x\ny", "a", "two")}, {user("c", "x\ny", "three")}},
	}
	b := newBookcase(t)
	for name, batches := range steps {
		path := b.write(name, batches[0]...)
		b.update()
		for i, lines := range batches[1:] {
			b.append(path, lines...)
			b.update()
			grown := b.all()
			if err := os.Remove(b.x.path); err != nil {
				t.Fatal(err)
			}
			b.update()
			if anew := b.all(); grown != anew {
				t.Errorf("%s, after batch %d:\n%s\nread anew:\n%s", name, i+1, grown, anew)
			}
			s, err := session.Open(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			figures, err := b.x.figures(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if f := figures[path]; f.messages != s.Messages() || f.branches != s.Counts().Branches || f.labels != len(s.Labels()) {
				t.Errorf("%s: %+v, the session has %d, %d, %d", name, f, s.Messages(), s.Counts().Branches, len(s.Labels()))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnUpdateReadsWhatIsNew(t *testing.T) {
	b := newBookcase(t)
	path := b.write("a", user("a", "", "apples"), answer("b", "a", "pears"))
	other := b.write("other", user("a", "", "plums"))
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if got, want := b.whatIsRead(), size(path)+size(other); got != want {
		t.Errorf("at first %d bytes of %d", got, want)
	}
	if got := b.whatIsRead(); got != 0 {
		t.Errorf("%d bytes, though nothing changed", got)
	}
	line := user("c", "b", "cherries")
	b.append(path, line)
	if got := b.whatIsRead(); got != int64(len(line)+1) {
		t.Errorf("of %d bytes that were appended %d", len(line)+1, got)
	}
	for word, want := range map[string]int{"apples": 1, "pears": 1, "plums": 1, "cherries": 1, "quinces": 0} {
		if got := b.found(word); got != want {
			t.Errorf("%s: %d times", word, got)
		}
	}

	t.Run("half a line is read when it is whole", func(t *testing.T) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		line := user("d", "c", "quinces")
		for _, half := range []string{line[:20], line[20:] + "\n"} {
			if n := b.found("quinces"); n != 0 {
				t.Errorf("quinces: %d times before they are there", n)
			}
			if _, err := f.WriteString(half); err != nil {
				t.Fatal(err)
			}
			b.update()
		}
		if n := b.found("quinces"); n != 1 {
			t.Errorf("quinces: %d times", n)
		}
	})

	t.Run("a rewritten session is read anew", func(t *testing.T) {
		b.write("a", user("a", "", "grapes and more than was there before"), answer("b", "a", strings.Repeat("long ", 200)))
		b.update()
		if b.found("grapes") != 1 || b.found("apples") != 0 || b.found("cherries") != 0 {
			t.Error("what was there before is still found, or what is there now is not")
		}
		now := time.Now().Add(time.Hour)
		b.write("a", user("a", "", "dates! and more than was there before"), answer("b", "a", strings.Repeat("long ", 200)))
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		b.update()
		if b.found("dates") != 1 || b.found("grapes") != 0 {
			t.Error("a change that leaves the size as it was goes unnoticed")
		}
	})

	t.Run("a changed and grown one too", func(t *testing.T) {
		b.write("a", user("a", "", "melon and more than was there before"), answer("b", "a", strings.Repeat("long ", 200)), user("c", "b", "more"))
		b.update()
		if b.found("melon") != 1 || b.found("dates") != 0 || b.found("more") != 2 {
			t.Error("a change before what was appended goes unnoticed")
		}
	})

	t.Run("a deleted one is forgotten", func(t *testing.T) {
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
		b.update()
		if b.found("plums") != 0 || strings.Contains(b.all(), "other") {
			t.Error("it is still there")
		}
	})

	t.Run("what is no session is looked at once", func(t *testing.T) {
		if err := os.WriteFile(other, []byte("{\"a\":1}\n{\"b\":2}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if b.whatIsRead() == 0 || b.whatIsRead() != 0 {
			t.Error("it is not looked at, or again and again")
		}
		b.write("other", user("a", "", "plums"))
		b.update()
		if b.found("plums") != 1 {
			t.Error("it became a session, and is not found")
		}
	})

	t.Run("one of another library stays", func(t *testing.T) {
		b.lib = &Library{[]Root{{Dir: t.TempDir()}}}
		b.update()
		if b.found("plums") != 1 {
			t.Error("it is gone")
		}
	})
}

// TestLabelsThatStand are found; those that were taken off or replaced are not.
func TestLabelsThatStand(t *testing.T) {
	b := newBookcase(t)
	path := b.write("a", user("a", "", "one"), label("b", "a", "a", "First Try"))
	for _, c := range []struct{ line, found, gone string }{
		{"", "first try", "second"},
		{label("c", "b", "a", "second"), "second", "first try"},
		{label("d", "c", "a", ""), "", "second"},
		{label("e", "d", "a", "FIRST TRY"), "first try", ""},
	} {
		if c.line != "" {
			b.append(path, c.line)
		}
		b.update()
		for text, want := range map[string]int{c.found: 1, c.gone: 0} {
			if text == "" {
				continue
			}
			if n := b.found(`title : "` + text + `"`); n != want {
				t.Errorf("after %s: %q is found %d times", c.line, text, n)
			}
			paths, err := b.x.labelled(context.Background(), strings.ToUpper(text))
			if err != nil || paths[path] != (want == 1) {
				t.Errorf("after %s: labelled %q: %v %v", c.line, text, paths, err)
			}
		}
	}
}

func TestOutputOfToolsIsIndexedOnRequest(t *testing.T) {
	b := newBookcase(t)
	b.write("a", user("a", "", "one"), entry("message", "b", "a", `"message":{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"plums"}]}`))
	ctx := context.Background()
	for _, on := range []bool{false, true, true, false} {
		if err := b.x.SetToolOutput(ctx, on); err != nil {
			t.Fatal(err)
		}
		b.update()
		want := map[bool]int{true: 1}[on]
		if got := b.found("plums"); got != want || b.found("one") != 1 {
			t.Errorf("asked for: %v, found %d times", on, got)
		}
	}
}

// TestNoSecretGetsIntoTheIndex: not as a text, a label, a name, a path, and in none of its files.
func TestNoSecretGetsIntoTheIndex(t *testing.T) {
	b := newBookcase(t)
	key := "sk-" + "ant-" + strings.Repeat("Zq7w", 8)
	b.write("a", user("a", "", "my key is "+key), label("b", "a", "a", key), entry("session_info", "c", "b", `"name":"about `+key+`"`),
		entry("message", "d", "c", `"message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"command":"login `+key+`","path":"/`+key+`"}}]}`))
	b.update()
	if b.found("login") != 1 {
		t.Error("what stands beside it is not found")
	}
	if err := b.x.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(b.x.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(content)), "zq7wzq7w") {
			t.Errorf("%s holds it", f)
		}
	}
}

// TestNothingIsWrittenIntoTheToolsFolders compares names, sizes, bytes and times before and after
// listing, indexing and searching.
func TestNothingIsWrittenIntoTheToolsFolders(t *testing.T) {
	b := newBookcase(t)
	files := toolTrees(t, b.dir)
	var roots []string
	for _, r := range b.lib.Roots() {
		roots = append(roots, r.Dir)
	}
	before := snapshot(t, roots...)
	b.update()
	for range b.lib.List(ListOptions{Index: b.x}).Sessions(context.Background()) {
	}
	if _, err := b.x.Search(context.Background(), "parser", SearchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.x.Stats(context.Background(), StatsOptions{}); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, roots...)
	if len(before) < len(files) {
		t.Fatalf("only %d of %d files compared", len(before), len(files))
	}
	for path := range maps.Keys(after) {
		if before[path] != after[path] {
			t.Errorf("%s: %s before, %s after", path, before[path], after[path])
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files and folders before, %d after", len(before), len(after))
	}
}

func TestACancelledUpdateKeepsWhatIsDone(t *testing.T) {
	b := newBookcase(t)
	for i := range 20 {
		b.write(fmt.Sprint(i), user("a", "", "one"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := b.x.Update(ctx, b.lib, func(done, total int64) {
		if done > 0 {
			cancel()
		}
	})
	if err == nil {
		t.Fatal("it went on")
	}
	b.update()
	if n := b.found("one"); n != 20 {
		t.Errorf("%d sessions found, want 20", n)
	}
}

// TestWhatCannotBeReadIsLeftForLater: the others are indexed, and what was known of it stays.
func TestWhatCannotBeReadIsLeftForLater(t *testing.T) {
	b := newBookcase(t)
	ctx := context.Background()
	path := b.write("a", user("a", "", "apples"))
	b.update()
	b.append(path, user("b", "a", "pears"))
	b.write("new", user("a", "", "plums"))
	files, err := b.lib.walk(ctx, Skipped{})
	if err != nil {
		t.Fatal(err)
	}
	// Between looking at the folder and reading the files, one goes away.
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	w, err := b.x.work(ctx, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.x.do(ctx, w, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	if b.found("apples") != 1 || b.found("pears") != 0 || b.found("plums") != 1 {
		t.Error("what can be read is not found, or what was known is forgotten")
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	b.update()
	if b.found("pears") != 1 {
		t.Error("it is not read when it can be")
	}
}

// TestSessionsOfManyBatches: more text than one transaction and one batch hold, and lines longer than
// any buffer.
func TestSessionsOfManyBatches(t *testing.T) {
	b := newBookcase(t)
	long := strings.Repeat("filler ", 1<<17)
	var lines []string
	for i := range 10 {
		lines = append(lines, user(fmt.Sprint("u", i), "", fmt.Sprintf("apple%d %s", i, long)))
	}
	var paths []string
	for i := range 3 {
		paths = append(paths, b.write(fmt.Sprint("s", i), lines...))
	}
	b.update()
	b.append(paths[1], user("late", "", "pears "+long), user("later", "late", "plums"))
	b.update()
	for word, want := range map[string]int{"apple0": 3, "apple9": 3, "pears": 1, "plums": 1} {
		if n := b.found(word); n != want {
			t.Errorf("%s: %d times, want %d", word, n, want)
		}
	}
}
