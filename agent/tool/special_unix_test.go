//go:build !windows

package tool_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO that no one writes to would hold up whoever opens it.
func TestNoToolWaitsForAFIFO(t *testing.T) {
	b := newBench(t, allTools())
	if err := syscall.Mkfifo(filepath.Join(b.dir, "fifo"), 0o666); err != nil {
		t.Skip("no FIFO here:", err)
	}
	b.link("fifo", "link")
	for _, path := range []string{"fifo", "link"} {
		b.fails("read", args{"path": path}, "is a FIFO, not a file")
		b.fails("grep", args{"pattern": "x", "path": path}, "is a FIFO, not a file")
		b.fails("ls", args{"path": path}, "is not a directory")
		b.fails("write", args{"path": path, "content": "x"}, "is a FIFO, not a file")
		b.fails("edit", args{"path": path, "oldText": "x", "newText": "y"}, "is a FIFO, not a file")
	}
	if got := b.ok("grep", args{"pattern": "x"}); got != "[No matches.]" {
		t.Errorf("grep: %q", got)
	}
}
