package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ramo-dev/ramo/internal/generate"
	"github.com/ramo-dev/ramo/session"
)

// The benchmarks of docs/performance.md. The large ones write their session first, so give them a
// disk with room: RAMO_BENCH_LARGE=1 adds the 1.5 GB one.

func generated(b *testing.B, s generate.Shape) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := generate.Session(f, s); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func size(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func open(b *testing.B, path string) *session.Session {
	b.Helper()
	s, err := session.Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkOpen opens sessions of several sizes, from the page cache. retained-MB is what an open
// session holds on the heap.
func BenchmarkOpen(b *testing.B) {
	shapes := []generate.Shape{
		{Entries: 1_000, Bytes: 1_500_000, BranchEvery: 50},
		{Entries: 10_000, Bytes: 15_000_000, BranchEvery: 50},
		{Entries: 100_000, Bytes: 150_000_000, BranchEvery: 50},
	}
	if os.Getenv("RAMO_BENCH_LARGE") != "" {
		shapes = append(shapes, generate.Shape{Entries: 1_000_000, Bytes: 1_500_000_000, BranchEvery: 50})
	}
	for _, shape := range shapes {
		b.Run(fmt.Sprintf("entries=%d", shape.Entries), func(b *testing.B) {
			path := generated(b, shape)
			b.SetBytes(size(b, path))
			for b.Loop() {
				if err := open(b, path).Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			s := open(b, path)
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "retained-MB")
			runtime.KeepAlive(s)
		})
	}
}

// BenchmarkAppend appends to open sessions of several sizes: the cost must not depend on it.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		for _, sync := range []bool{true, false} {
			b.Run(fmt.Sprintf("entries=%d/sync=%t", n, sync), func(b *testing.B) {
				var opts []session.Option
				if !sync {
					opts = append(opts, session.WithoutSync())
				}
				s, err := session.Open(context.Background(), generated(b, generate.Shape{Entries: n}), opts...)
				if err != nil {
					b.Fatal(err)
				}
				body := session.RawBody(`{"type":"message","message":{"role":"user","content":"one more request"}}`)
				for b.Loop() {
					if _, err := s.Append(context.Background(), body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkContext builds the context at a leaf of a session of 100 000 entries: only the bodies on
// the path are read.
func BenchmarkContext(b *testing.B) {
	s := open(b, generated(b, generate.Shape{Entries: 100_000, Bytes: 150_000_000, BranchEvery: 50}))
	for b.Loop() {
		if _, err := s.Context(""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTree walks all of a tree, without its entries' bodies.
func BenchmarkTree(b *testing.B) {
	for name, shape := range map[string]generate.Shape{
		"branching": {Entries: 100_000, BranchEvery: 50},
		"chain":     {Entries: 1_000_000},
		"wide":      {Entries: 100_000, Wide: true},
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, generated(b, shape))
			for b.Loop() {
				n := 0
				for range s.Tree() {
					n++
				}
				if n != shape.Entries {
					b.Fatal(n)
				}
			}
		})
	}
}
