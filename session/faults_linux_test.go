package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFullDiskAsASmallFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("no small file system to be had: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	path := filepath.Join(dir, "s.jsonl")
	s, err := Create(path, Header{Cwd: "/srv/demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), say(strings.Repeat("too much ", 40_000))); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the first message on a full disk: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Fatalf("a failed new session leaves %v behind", left)
	}
	if _, err := s.Append(t.Context(), say("begin")); err != nil {
		t.Fatalf("the new session does not work again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	checkUnharmed(t, path, func() {
		_ = os.WriteFile(filler, make([]byte, 64<<10), 0o600)
	}, func() {
		_ = os.Remove(filler)
	}, syscall.ENOSPC)
}
