package tool

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplaceOnce(t *testing.T) {
	for _, c := range []struct {
		name, text, old, new string
		want                 string
		line                 int
		err                  string
	}{
		{name: "the only place", text: "a\nb\nc\n", old: "b", new: "B", want: "a\nB\nc\n", line: 2},
		{name: "several lines", text: "a\nb\nc\n", old: "b\nc\n", new: "", want: "a\n", line: 2},
		{name: "all of it", text: "x", old: "x", new: "y\n", want: "y\n", line: 1},
		{name: "nothing is a pattern", text: "a.c abc $1", old: "a.c", new: "$1", want: "$1 abc $1", line: 1},
		{name: "bytes around stay", text: "\xff\x00a\xfe", old: "a", new: "b", want: "\xff\x00b\xfe", line: 1},
		{name: "a byte order mark stays", text: "\ufeffa\n", old: "a", new: "b", want: "\ufeffb\n", line: 1},
		{name: "line ends of the file", text: "a\r\nb\r\nc\r\n", old: "a\nb", new: "x\ny\nz", want: "x\r\ny\r\nz\r\nc\r\n", line: 1},
		{name: "CRLF given for CRLF", text: "a\r\nb\r\n", old: "a\r\nb", new: "c", want: "c\r\n", line: 1},
		{name: "mixed line ends are exact", text: "a\r\nb\nc\n", old: "b\nc", new: "x\ny", want: "a\r\nx\ny\n", line: 2},
		{name: "mixed line ends are exact, and so it is not there", text: "a\r\nb\nc\n", old: "a\nb", new: "x", err: "the lines from 1 on are the same but for white space"},
		{name: "not there", text: "a\n", old: "b", new: "c", err: "was not found; read the file again"},
		{name: "other white space", text: "x\n\tif a {\n\t\tb\n\t}\n", old: "  if a {\n    b\n  }", new: "c", err: "the lines from 2 on are the same but for white space"},
		{name: "twice", text: "a\nb\na\n", old: "a", new: "c", err: "more than once, at lines 1, 3;"},
		{name: "twice, overlapping", text: "aXaXa\n", old: "aXa", new: "c", err: "more than once, at lines 1, 1;"},
		{name: "very often", text: strings.Repeat("a", 100), old: "a", new: "c", err: "1, 1, …;"},
		{name: "empty", text: "a", old: "", new: "c", err: "oldText is empty"},
		{name: "empty in an empty file", text: "", old: "", new: "c", err: "oldText is empty"},
		{name: "the same", text: "a", old: "a", new: "a", err: "are the same"},
		{name: "the same but for line ends that mean nothing", text: "a\r\n", old: "a\n", new: "a\r\n", err: "are the same"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, line, err := replaceOnce([]byte(c.text), c.old, c.new)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %q, %v; want an error with %q", got, err, c.err)
				}
				return
			}
			if err != nil || string(got) != c.want || line != c.line {
				t.Errorf("got %q at line %d, %v; want %q at line %d", got, line, err, c.want, c.line)
			}
		})
	}
}

// What is put between a beginning and an end is found and replaced, if it is there only once.
func FuzzReplaceOnce(f *testing.F) {
	f.Add("a\n", "b\n", "c\n", "d\n")
	f.Add("a", "a", "a", "b")
	f.Add("x\r\n", "y\r\n", "z\r\n", "w\n")
	f.Fuzz(func(t *testing.T, before, old, after, new string) {
		text := before + old + after
		got, _, err := replaceOnce([]byte(text), old, new)
		if old == "" || strings.Contains(text, "\r\n") {
			return // these have a test of their own
		}
		only := true
		for i := range len(text) - len(old) + 1 {
			if i != len(before) && text[i:i+len(old)] == old {
				only = false
			}
		}
		if want := only && old != new; (err == nil) != want {
			t.Fatalf("error %v, want one: %v", err, !want)
		}
		if err == nil && string(got) != before+new+after {
			t.Fatalf("got %q", got)
		}
	})
}

// The real patch turns one text into the other, and back.
func TestUnifiedDiffIsWhatPatchReads(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("there is no patch here")
	}
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ name, before, after string }{
		{"in the middle", ten, strings.Replace(ten, "5\n", "five\n", 1)},
		{"two places", ten, strings.NewReplacer("2\n", "two\n", "9\n", "nine\nnine\n").Replace(ten)},
		{"at the beginning", ten, "0\n" + ten},
		{"at the end", ten, ten + "11\n"},
		{"removed", ten, "1\n2\n10\n"},
		{"a new file", "", ten},
		{"emptied", ten, ""},
		{"the last line end goes", ten, strings.TrimSuffix(ten, "\n")},
		{"the last line end comes", "1", "1\n"},
		{"neither has a last line end", "1\n2\n3", "1\nx\n3"},
		{"lines repeat", "a\na\na\n", "a\na\na\na\n"},
		{"only a line end", "", "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := unifiedDiff("f", []byte(c.before), []byte(c.after))
			for _, way := range []struct {
				flag, from, to string
			}{{"-N", c.before, c.after}, {"-R", c.after, c.before}} {
				file := filepath.Join(t.TempDir(), "f")
				if err := os.WriteFile(file, []byte(way.from), 0o644); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(patch, way.flag, "--no-backup-if-mismatch", "-s", file)
				cmd.Stdin = strings.NewReader(d)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("patch %s: %v: %s\n%s", way.flag, err, out, d)
				}
				got, err := os.ReadFile(file)
				if err != nil && !(os.IsNotExist(err) && way.to == "") {
					t.Fatal(err)
				}
				if !bytes.Equal(got, []byte(way.to)) {
					t.Errorf("patch %s made %q, want %q; the diff:\n%s", way.flag, got, way.to, d)
				}
			}
		})
	}
	if d := unifiedDiff("f", []byte(ten), []byte(ten)); d != "" {
		t.Errorf("no change: %q", d)
	}
}

func TestOutputKeepsHeadAndTail(t *testing.T) {
	for _, piece := range []int{1, 7, 4096, 1 << 20} {
		var shown strings.Builder
		o := &output{show: func(s string) { shown.WriteString(s) }}
		var all bytes.Buffer
		for i := range 20000 {
			all.WriteString(strings.Repeat("é", i%5) + "line\n")
		}
		for b := all.Bytes(); len(b) > 0; {
			n := min(piece, len(b))
			if _, err := o.Write(b[:n]); err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
		if shown.String() != all.String() {
			t.Errorf("in pieces of %d: what was shown differs", piece)
		}
		text, omitted := o.text()
		head, tail, ok := strings.Cut(text, "\n[… ")
		_, tail, _ = strings.Cut(tail, " left out …]\n\n")
		if !ok || !strings.HasPrefix(all.String(), head) || !strings.HasSuffix(all.String(), tail) || !strings.HasSuffix(head, "line\n") {
			t.Errorf("in pieces of %d: it is no beginning and end", piece)
		}
		if int64(len(head)+len(tail))+omitted != int64(all.Len()) || len(head)+len(tail) > maxText || len(tail) < maxOutputTail-20 {
			t.Errorf("in pieces of %d: %d + %d + %d left out of %d", piece, len(head), len(tail), omitted, all.Len())
		}
	}
}

func TestOutputThatFitsIsWhole(t *testing.T) {
	for _, n := range []int{0, 1, maxOutputHead, maxOutputHead + 1, maxText} {
		o := &output{show: func(string) {}}
		want := strings.Repeat("x", n)
		if _, err := o.Write([]byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, omitted := o.text(); got != want || omitted != 0 {
			t.Errorf("%d bytes: got %d, %d left out", n, len(got), omitted)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob string
		yes  string
		no   string
	}{
		{"*.go", "a.go src/a.go .go", "a.gox a.go/b"},
		{"a?c", "abc x/aéc", "ac abbc"},
		{"src/*.go", "src/a.go", "a.go src/in/a.go x/src/a.go"},
		{"/src/*.go", "src/a.go", "x/src/a.go"},
		{"./src/*.go", "src/a.go", "x/src/a.go"},
		{"src/**/*.go", "src/a.go src/in/a.go src/in/er/a.go", "a.go srcs/a.go"},
		{"**/x", "x a/x a/b/x", "ax a/bx"},
		{"src/**", "src/a src/b/c", "src a/src/b"},
		{"*.{ts,tsx}", "a.ts b/a.tsx", "a.t a.tsxx"},
		{"[a-c]x", "ax cx", "dx x"},
		{"[!a-c]x", "dx", "ax"},
		{"a+(b)", "a+(b)", "aab"},
		{"é*", "été", "ete"},
		{"a,b", "a,b", "a b"},
		{"!*.go", "a.ts", "a.go src/a.go"},
		{"a}b", "a}b", "ab"},
	} {
		g, err := parseGlob(c.glob)
		if err != nil {
			t.Errorf("%s: %v", c.glob, err)
			continue
		}
		for _, name := range strings.Fields(c.yes) {
			if !g.match(name) {
				t.Errorf("%s does not match %s", c.glob, name)
			}
		}
		for _, name := range strings.Fields(c.no) {
			if g.match(name) {
				t.Errorf("%s matches %s", c.glob, name)
			}
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/*.{ts,tsx}", "src/a.ts")
	f.Add("[!a-z", "x")
	f.Add("[]]{,}", "]")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := parseGlob(pattern)
		if err != nil {
			return
		}
		if !strings.ContainsAny(pattern, `*?[]{},!\/`) && g.match(name) != (name[strings.LastIndexByte(name, '/')+1:] == pattern) && !strings.HasSuffix(name, "/") && name != "" {
			t.Errorf("%q as plain text: match of %q is %v", pattern, name, g.match(name))
		}
	})
}
