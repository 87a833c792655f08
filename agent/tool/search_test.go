package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLs(t *testing.T) {
	b := newBench(t, allTools())
	if got := b.ok("ls", nil); got != "[The directory is empty.]" {
		t.Errorf("empty: %q", got)
	}
	b.put("b.txt", "")
	b.put(".hidden", "")
	b.put("a/x", "")
	b.put("a/y", "")
	b.link("a/x", "link")
	b.link(filepath.Join(b.outside, "secret"), "out")
	want := ".hidden\na/\nb.txt\nlink -> a/x\nout -> " + b.outside + "/secret\n"
	for _, a := range []args{nil, {"path": "."}, {"path": b.dir}, {"path": "a/.."}} {
		if got := b.ok("ls", a); got != want {
			t.Errorf("%v: got %q, want %q", a, got, want)
		}
	}
	if got, want := b.ok("ls", args{"path": "a/", "limit": 1}), "x\n\n[1 of 2 names; 1 are not shown.]"; got != want {
		t.Errorf("limit: got %q, want %q", got, want)
	}
	b.fails("ls", args{"path": "b.txt"}, "b.txt is not a directory; use read")
	b.fails("ls", args{"path": "no"}, "no does not exist")
}

func TestLsKeepsANameOnOneLine(t *testing.T) {
	b := newBench(t, allTools())
	if err := os.WriteFile(filepath.Join(b.dir, "two\nlines\x1b[31m"), nil, 0o644); err != nil {
		t.Skip("no such names here:", err)
	}
	if got, want := b.ok("ls", nil), `"two\nlines\x1b[31m"`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLsIsBounded(t *testing.T) {
	b := newBench(t, allTools())
	for i := range 700 {
		b.put(fmt.Sprintf("%04d", i), "")
	}
	got := b.ok("ls", nil)
	if n := strings.Count(got, "\n"); n != 501 || !strings.HasSuffix(got, "\n[500 of 700 names; 200 are not shown.]") {
		t.Errorf("got %d lines that end in %q", n, got[len(got)-60:])
	}
}

func TestGrep(t *testing.T) {
	b := newBench(t, allTools())
	b.put("main.go", "package main\n\nfunc main() {\n\tprintln(\"Hello\")\n}\n")
	b.put("src/a.go", "package src // hello\n")
	b.put("src/a.ts", "hello()\r\n")
	b.put("src/in/b.tsx", "hello(1)")
	b.put(".git/config", "hello\n")
	b.put("image.bin", "hello\x00")
	b.put("ten", lines(1, 10))
	b.link("src", "linked")
	for _, c := range []struct {
		name string
		args args
		want string
	}{
		{"everywhere but in .git and binary files", args{"pattern": "hello"}, "src/a.go:1: package src // hello\nsrc/a.ts:1: hello()\nsrc/in/b.tsx:1: hello(1)\n"},
		{"without case", args{"pattern": "HELLO", "ignoreCase": true, "glob": "*.go"}, "main.go:4: \tprintln(\"Hello\")\nsrc/a.go:1: package src // hello\n"},
		{"a regular expression", args{"pattern": `^func \w+\(`}, "main.go:3: func main() {\n"},
		{"literal", args{"pattern": "hello(", "literal": true}, "src/a.ts:1: hello()\nsrc/in/b.tsx:1: hello(1)\n"},
		{"the end of a line is before CRLF", args{"pattern": `\)$`, "path": "src"}, "src/a.ts:1: hello()\nsrc/in/b.tsx:1: hello(1)\n"},
		{"one file", args{"pattern": "main", "path": "main.go"}, "main.go:1: package main\nmain.go:3: func main() {\n"},
		{"a file through a link", args{"pattern": "hello", "path": "linked/a.ts"}, "linked/a.ts:1: hello()\n"},
		{"a glob for paths", args{"pattern": "hello", "glob": "src/**/*.{ts,tsx}"}, "src/a.ts:1: hello()\nsrc/in/b.tsx:1: hello(1)\n"},
		{"a glob for paths below", args{"pattern": "hello", "path": "src", "glob": "in/*"}, "src/in/b.tsx:1: hello(1)\n"},
		{"a glob turned round", args{"pattern": "hello", "glob": "!*.ts*"}, "src/a.go:1: package src // hello\n"},
		{"nothing", args{"pattern": "goodbye"}, "[No matches.]"},
		{"context", args{"pattern": "line [38]", "path": "ten", "context": 1}, "ten-2- line 2\nten:3: line 3\nten-4- line 4\n--\nten-7- line 7\nten:8: line 8\nten-9- line 9\n"},
		{"context that meets", args{"pattern": "line [35]", "path": "ten", "context": 1}, "ten-2- line 2\nten:3: line 3\nten-4- line 4\nten:5: line 5\nten-6- line 6\n"},
		{"more than the limit", args{"pattern": "line", "path": "ten", "limit": 2}, "ten:1: line 1\nten:2: line 2\n\n[There are more than these 2 matches; narrow the search.]"},
		{"just the limit", args{"pattern": "line [12]$", "path": "ten", "limit": 2}, "ten:1: line 1\nten:2: line 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := b.ok("grep", c.args); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	b.fails("grep", args{"pattern": "a("}, "the pattern is not valid")
	b.fails("grep", args{"pattern": "a", "glob": "{a"}, "a { is not closed")
	b.fails("grep", args{"pattern": "a", "glob": "[a"}, "a [ is not closed")
	b.fails("grep", args{"pattern": "a", "glob": "[z-a]"}, "not valid")
	b.fails("grep", args{"pattern": "a", "path": "no"}, "no does not exist")
}

func TestGrepIsBounded(t *testing.T) {
	b := newBench(t, allTools())
	b.put("wide", strings.Repeat("é", 1000)+"NEEDLE"+strings.Repeat("x", 2000)+"\n")
	if got := b.ok("grep", args{"pattern": "NEEDLE"}); len(got) > 600 || !strings.Contains(got, "NEEDLE") {
		t.Errorf("a long line: %d bytes: %q", len(got), got)
	}
	b.put("wide", strings.Repeat(strings.Repeat("x", 400)+"\n", 1000))
	if got := b.ok("grep", args{"pattern": "x", "limit": 1000}); len(got) > 51<<10 || !strings.Contains(got, "more than these") {
		t.Errorf("many lines: %d bytes", len(got))
	}
	b.put("wide", strings.Repeat("x", 2<<20)+"NEEDLE\nNEEDLE\n")
	if got := b.ok("grep", args{"pattern": "NEEDLE"}); !strings.HasPrefix(got, "wide:2: NEEDLE\n") || !strings.Contains(got, "Lines longer than 1.0 MB were searched only up to there.") {
		t.Errorf("a line of 2 MB: %q", got)
	}
}

func TestGrepSaysWhatItCouldNotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	b := newBench(t, allTools())
	b.put("closed", "hello\n")
	b.put("open", "hello\n")
	if err := os.Chmod(filepath.Join(b.dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	if got := b.ok("grep", args{"pattern": "hello"}); !strings.HasPrefix(got, "open:1: hello\n") || !strings.Contains(got, "1 could not be read") {
		t.Errorf("got %q", got)
	}
}
