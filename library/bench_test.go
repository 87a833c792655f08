package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ramo-dev/ramo/internal/generate"
)

// benchShelf fills a home directory with generated sessions.
func benchShelf(b *testing.B, sessions, entries int, bytes int64) (*Library, int64) {
	b.Helper()
	dir := b.TempDir()
	for name, to := range map[string]string{"HOME": dir, "XDG_DATA_HOME": dir + "/data", "XDG_CACHE_HOME": dir + "/cache", "XDG_STATE_HOME": dir + "/state"} {
		b.Setenv(name, to)
	}
	folder := filepath.Join(dir, ".pi/agent/sessions/--srv-demo--")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	total := int64(0)
	for i := range sessions {
		path := filepath.Join(folder, fmt.Sprintf("%03d.jsonl", i))
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := generate.Session(f, generate.Shape{Entries: entries, Bytes: bytes, Seed: uint64(i + 1), BranchEvery: 50}); err != nil {
			b.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		total += info.Size()
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return New(), total
}

func BenchmarkIndexing(b *testing.B) {
	lib, total := benchShelf(b, 5, 10_000, 20<<20)
	b.SetBytes(total)
	for b.Loop() {
		x, err := OpenIndex(filepath.Join(b.TempDir(), "x.db"))
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Update(context.Background(), lib, nil); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
