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
		x, err := OpenIndex(filepath.Join(b.TempDir(), "x"))
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

// BenchmarkSearch searches about 100,000 messages.
func BenchmarkSearch(b *testing.B) {
	lib, _ := benchShelf(b, 10, 13_500, 8<<20)
	x, err := OpenIndex("")
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if err := x.Update(context.Background(), lib, nil); err != nil {
		b.Fatal(err)
	}
	for name, query := range map[string]string{
		"everywhere": "is", "phrase": `"the parser is in place"`, "rare": "4004", "prefix": "par*", "file": "file:src/cache.go", "two words": "request parser",
		"label": "label:place", "role": "role:user", "nothing": "zebra", "here": "parser cwd:/srv since:2026-01-01",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search(context.Background(), query, SearchOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAfterAnAppend is an update of 150 sessions of which one grew by an entry.
func BenchmarkAfterAnAppend(b *testing.B) {
	lib, _ := benchShelf(b, 150, 100, 200<<10)
	dir := filepath.Join(os.Getenv("HOME"), ".pi/agent/sessions/--srv-demo--")
	big := filepath.Join(dir, "big.jsonl")
	f, err := os.Create(big)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := generate.Session(f, generate.Shape{Entries: 10_000, Bytes: 20 << 20, BranchEvery: 50}); err != nil {
		b.Fatal(err)
	}
	x, err := OpenIndex("")
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if err := x.Update(context.Background(), lib, nil); err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		if _, err := f.WriteString(user(fmt.Sprintf("new%05d", n), "", "one more request") + "\n"); err != nil {
			b.Fatal(err)
		}
		if err := x.Update(context.Background(), lib, nil); err != nil {
			b.Fatal(err)
		}
	}
}
