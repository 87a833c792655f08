package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever way out a path takes, no tool reads or writes there.
func TestNoToolLeavesTheWorkingDirectory(t *testing.T) {
	b := newBench(t, allTools())
	secret := filepath.Join(b.outside, "secret")
	if err := os.WriteFile(secret, []byte("SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.put("in/file", "x\n")
	b.link("../outside", "up")
	b.link(b.outside, "absolute")
	b.link("../../outside", "in/up")
	b.link("../outside/secret", "file")
	b.link("../outside/new", "dangling")
	b.link("file", "twice")
	for name, path := range map[string]string{
		"up":                                "../outside/secret",
		"down and up":                       "in/../../outside/secret",
		"absolute":                          secret,
		"a sibling with the same beginning": b.dir + "side/secret",
		"from an absolute path up":          b.dir + "/../outside/secret",
		"a link to a directory":             "up/secret",
		"an absolute link":                  "absolute/secret",
		"a link further down":               "in/up/secret",
		"a link to a file":                  "file",
		"a link to a link":                  "twice",
	} {
		t.Run(name, func(t *testing.T) {
			for tool, a := range map[string]args{
				"read": {"path": path}, "grep": {"pattern": "S", "path": path}, "ls": {"path": filepath.Dir(path)},
				"write": {"path": path, "content": "mine"}, "edit": {"path": path, "oldText": "SECRET", "newText": "mine"},
			} {
				if tool == "ls" && filepath.Dir(path) == "." {
					continue
				}
				b.fails(tool, a, "is outside the working directory")
			}
		})
	}
	b.fails("write", args{"path": "dangling", "content": "mine"}, "outside the working directory")
	b.fails("write", args{"path": "../new/dir/file", "content": "mine"}, "outside the working directory")
	b.fails("write", args{"path": "up/new/file", "content": "mine"}, "outside the working directory")
	if got := b.ok("grep", args{"pattern": "SECRET"}); got != "[No matches.]" {
		t.Errorf("grep walked out: %q", got)
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "SECRET\n" {
		t.Errorf("the secret is now %q, %v", got, err)
	}
	if left, err := os.ReadDir(b.outside); err != nil || len(left) != 1 {
		t.Errorf("outside there is now %v, %v", left, err)
	}
	if left, err := os.ReadDir(filepath.Dir(b.dir)); err != nil || len(left) != 2 {
		t.Errorf("above there is now %v, %v", left, err)
	}
}

// A directory turns into a link that leads out, and back, while the tools are at work.
func TestALinkPutInPlaceMeanwhileDoesNotLeadOut(t *testing.T) {
	b := newBench(t, allTools())
	if err := os.WriteFile(filepath.Join(b.outside, "file"), []byte("SECRET\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.put("real/file", "PUBLIC\n")
	swap, real := filepath.Join(b.dir, "swap"), filepath.Join(b.dir, "real")
	b.link("real", "swap")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		out := false
		for {
			select {
			case <-stop:
				return
			default:
			}
			out = !out
			to := real
			if out {
				to = b.outside
			}
			rel, err := filepath.Rel(b.dir, to)
			if err != nil {
				t.Error(err)
				return
			}
			next := filepath.Join(b.dir, "next")
			if os.Symlink(rel, next) != nil || os.Rename(next, swap) != nil {
				t.Error("cannot swap the link")
				return
			}
		}
	}()
	for range 300 {
		for tool, a := range map[string]args{
			"read": {"path": "swap/file"}, "grep": {"pattern": "E|P", "path": "swap/file"},
			"write": {"path": "swap/new", "content": "mine"},
			"edit":  {"path": "swap/file", "oldText": "SECRET", "newText": "mine"},
		} {
			if got := text(b.call(tool, a)); strings.Contains(got, "SECRET") {
				t.Errorf("%s got out: %q", tool, got)
			}
		}
	}
	close(stop)
	<-stopped
	if left, err := os.ReadDir(b.outside); err != nil || len(left) != 1 {
		t.Errorf("outside there is now %v, %v", left, err)
	}
	if got, err := os.ReadFile(filepath.Join(b.outside, "file")); err != nil || string(got) != "SECRET\n" {
		t.Errorf("the file outside is now %q, %v", got, err)
	}
}

func TestLinksWithinTheWorkingDirectoryWork(t *testing.T) {
	b := newBench(t, allTools())
	b.put("deep/er/file", "one\n")
	b.put("deep/er/x/y", "")
	b.put("file", "top\n")
	b.link("deep/er/x", "link")
	b.link("er/file", "deep/alias")
	// The directory above where the link leads to, not above the link.
	if got := b.ok("read", args{"path": "link/../file"}); got != "one\n" {
		t.Errorf("read: %q", got)
	}
	if got := b.ok("grep", args{"pattern": "o", "path": "link/.."}); got != "link/../file:1: one\n" {
		t.Errorf("grep: %q", got)
	}
	b.ok("edit", args{"path": "link/../file", "oldText": "one", "newText": "two"})
	b.ok("write", args{"path": "link/../new/file", "content": "new\n"})
	b.ok("edit", args{"path": "deep/alias", "oldText": "two", "newText": "three"})
	if got := b.get("deep/er/file"); got != "three\n" {
		t.Errorf("edit: %q", got)
	}
	if got := b.get("deep/er/new/file"); got != "new\n" {
		t.Errorf("write: %q", got)
	}
	if got := b.get("file"); got != "top\n" {
		t.Errorf("the other file: %q", got)
	}
	if info, err := os.Lstat(filepath.Join(b.dir, "deep/alias")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
}

func TestWhatRunsProgramsIsNotWritten(t *testing.T) {
	b := newBench(t, allTools())
	b.put(".git/config", "old\n")
	b.put("sub/.ramo/config.toml", "old\n")
	b.link(".git/config", "link")
	for _, path := range []string{".git/config", ".git/hooks/pre-commit", "./sub/../.git/config", ".GIT/config", b.dir + "/.git/config", "link", "sub/.ramo/config.toml", ".ramo/config.toml"} {
		b.fails("write", args{"path": path, "content": "x"}, "can make programs run by itself")
	}
	b.fails("edit", args{"path": ".git/config", "oldText": "old", "newText": "new"}, "can make programs run by itself")
	b.fails("edit", args{"path": "link", "oldText": "old", "newText": "new"}, "can make programs run by itself")
	for _, path := range []string{".gitignore", ".ramo/notes.md", "config.toml", ".github/x"} {
		b.ok("write", args{"path": path, "content": "x"})
	}
	if got := b.get(".git/config"); got != "old\n" {
		t.Errorf("got %q", got)
	}
}
