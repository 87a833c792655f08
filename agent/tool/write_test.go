package tool_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ramo-dev/ramo/agent/tool"
)

func TestWrite(t *testing.T) {
	b := newBench(t, allTools())
	r := b.call("write", args{"path": "new/dir/file.txt", "content": "one\n"})
	if d := details[tool.FileDetails](t, r); r.IsError || !d.Created || d.Path != "new/dir/file.txt" || !strings.HasSuffix(d.Diff, "@@ -0,0 +1,1 @@\n+one\n") {
		t.Errorf("created: %q, %+v", text(r), d)
	}
	r = b.call("write", args{"path": "new/dir/file.txt", "content": "two\n"})
	if d := details[tool.FileDetails](t, r); r.IsError || d.Created || !strings.HasSuffix(d.Diff, "-one\n+two\n") {
		t.Errorf("replaced: %q, %+v", text(r), d)
	}
	if got := b.get("new/dir/file.txt"); got != "two\n" {
		t.Errorf("the file holds %q", got)
	}
	b.ok("write", args{"path": filepath.Join(b.dir, "abs"), "content": ""})
	if got := b.ok("ls", args{"path": "new/dir"}); got != "file.txt\n" {
		t.Errorf("something is left behind: %q", got)
	}
	b.fails("write", args{"path": "new/dir", "content": "x"}, "new/dir is a directory")
	b.fails("write", args{"path": "new/dir/", "content": "x"}, "is a directory")
	b.fails("write", args{"path": ".", "content": "x"}, "is a directory")
	b.fails("write", args{"path": "abs/file", "content": "x"}, "a part of abs/file is a file")
	b.fails("write", args{"path": "x"}, `argument "content" is missing`)
}

func TestWriteKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	b := newBench(t, allTools())
	b.put("run.sh", "one\n")
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o777); err != nil { // more than a umask lets through
		t.Fatal(err)
	}
	b.ok("write", args{"path": "run.sh", "content": "two\n"})
	b.ok("edit", args{"path": "run.sh", "oldText": "two", "newText": "three"})
	info, err := os.Stat(filepath.Join(b.dir, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestAProtectedFileIsNotReplaced(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root writes everything")
	}
	b := newBench(t, allTools())
	b.put("file", "one\n")
	if err := os.Chmod(filepath.Join(b.dir, "file"), 0o444); err != nil {
		t.Fatal(err)
	}
	b.fails("write", args{"path": "file", "content": "two"}, "permission denied")
	b.fails("edit", args{"path": "file", "oldText": "one", "newText": "two"}, "permission denied")
}

func TestEdit(t *testing.T) {
	b := newBench(t, allTools())
	b.put("file.go", lines(1, 9))
	r := b.call("edit", args{"path": "file.go", "oldText": "line 5\nline 6\n", "newText": "five\n"})
	want := `--- a/file.go
+++ b/file.go
@@ -2,8 +2,7 @@
 line 2
 line 3
 line 4
-line 5
-line 6
+five
 line 7
 line 8
 line 9
`
	if d := details[tool.FileDetails](t, r); r.IsError || text(r) != "Edited file.go at line 5." || d.Diff != want {
		t.Errorf("got %q, %s", text(r), d.Diff)
	}
	if got := b.get("file.go"); got != lines(1, 4)+"five\n"+lines(7, 9) {
		t.Errorf("the file holds %q", got)
	}
	before := b.get("file.go")
	b.fails("edit", args{"path": "file.go", "oldText": "line", "newText": "x"}, "file.go is unchanged: oldText occurs more than once, at lines 1, 2, 3, 4, 6, 7, 8;")
	b.fails("edit", args{"path": "file.go", "oldText": "nine", "newText": "x"}, "file.go is unchanged: oldText was not found")
	b.fails("edit", args{"path": "no", "oldText": "a", "newText": "x"}, "no does not exist")
	b.fails("edit", args{"path": ".", "oldText": "a", "newText": "x"}, "is a directory")
	if got := b.get("file.go"); got != before {
		t.Errorf("a refused edit changed the file: %q", got)
	}
}

func TestEditsAtOnceAreAllKept(t *testing.T) {
	b := newBench(t, allTools())
	b.put("file", "a\nb\nc\nd\ne\nf\ng\nh\n")
	var all sync.WaitGroup
	for _, c := range "abcdefgh" {
		all.Go(func() {
			if r := b.call("edit", args{"path": "file", "oldText": string(c) + "\n", "newText": strings.ToUpper(string(c)) + "\n"}); r.IsError {
				t.Errorf("%c: %s", c, text(r))
			}
		})
	}
	all.Wait()
	if got := b.get("file"); got != "A\nB\nC\nD\nE\nF\nG\nH\n" {
		t.Errorf("got %q", got)
	}
}
