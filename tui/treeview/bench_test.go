package treeview_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/internal/generate"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// The benchmarks report what a reader waits for, at the middle and at the 99th percentile, in a
// session of 100 000 entries, 150 MB and 2 000 branches. Each measures a step with the window that
// is drawn after it.

func large(b *testing.B) *session.Session {
	b.Helper()
	path := filepath.Join(b.TempDir(), "session.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := generate.Session(f, generate.Shape{Entries: 100_000, Bytes: 150_000_000, BranchEvery: 50}); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	s, err := session.Open(context.Background(), path, session.WithoutSync(), session.WithoutPosition())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func prepared(b *testing.B, s *session.Session) *treeview.Tree {
	b.Helper()
	view := treeview.New(s)
	if err := view.Prepare(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	view.Update()
	return view
}

// percentiles runs a step until the benchmark is done.
func percentiles(b *testing.B, step func(i int)) {
	b.Helper()
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		step(i)
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	ms := func(p int) float64 { return float64(took[(len(took)-1)*p/100]) / float64(time.Millisecond) }
	b.ReportMetric(ms(50), "p50-ms")
	b.ReportMetric(ms(99), "p99-ms")
}

const width, height = 120, 50

// BenchmarkOpen makes the tree and draws it.
func BenchmarkOpen(b *testing.B) {
	s := large(b)
	percentiles(b, func(int) { treeview.New(s).Window(width, height) })
}

// BenchmarkFilter goes through the filters.
func BenchmarkFilter(b *testing.B) {
	view := prepared(b, large(b))
	percentiles(b, func(int) {
		view.SetFilter(view.Filter().Next())
		view.Window(width, height)
	})
}

// BenchmarkKeystroke types searches a character at a time and takes them back.
func BenchmarkKeystroke(b *testing.B) {
	view := prepared(b, large(b))
	var queries []string
	for _, q := range []string{"parser", "make cache work", "assistant scanner next", "read src/token.go", "zebra", "99996"} {
		for n := 1; n <= len(q); n++ {
			queries = append(queries, q[:n])
		}
		for n := len(q) - 1; n >= 0; n-- {
			queries = append(queries, q[:n])
		}
	}
	percentiles(b, func(i int) {
		view.SetQuery(queries[i%len(queries)])
		view.Window(width, height)
	})
}

// BenchmarkKeystrokeLongTexts searches 80 MB of text for words that are found nearly everywhere, and
// for words whose start is.
func BenchmarkKeystrokeLongTexts(b *testing.B) {
	words := strings.Fields("the parser index cache log branch scanner handler retry lock buffer stream test config token render tree is are when then please make it work and see there error file path return function")
	rnd := rand.New(rand.NewPCG(1, 2))
	s := grown(b, 100_000, func(i int) int { return i - 1 }, func(int) string {
		var text strings.Builder
		for text.Len() < 800 {
			text.WriteString(words[rnd.IntN(len(words))] + " ")
		}
		return text.String()
	})
	view := prepared(b, s)
	queries := []string{"e", "er", "error", "errorx", "texx", "zebra", "the parser cachx", "tree error parser"}
	percentiles(b, func(i int) {
		view.SetQuery(queries[i%len(queries)])
		view.Window(width, height)
	})
}

// BenchmarkKeystrokeWhilePreparing types while the texts are being read.
func BenchmarkKeystrokeWhilePreparing(b *testing.B) {
	s := large(b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	view := treeview.New(s)
	done := make(chan error, 1)
	go func() { done <- view.Prepare(ctx, nil) }()
	query := "parser next"
	percentiles(b, func(i int) {
		view.Update()
		view.SetQuery(query[:i%len(query)+1])
		view.Window(width, height)
	})
	cancel()
	<-done
}

// BenchmarkNewEntry takes up an answer at the leaf.
func BenchmarkNewEntry(b *testing.B) {
	s := large(b)
	view := prepared(b, s)
	var took []time.Duration
	for b.Loop() {
		if _, err := s.Append(context.Background(), session.CustomMessage{CustomType: "note", Content: []byte(`"x"`)}); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		view.Update()
		view.Window(width, height)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(took[(len(took)-1)*99/100])/1e6, "p99-ms")
}

// BenchmarkScroll goes down a line at a time.
func BenchmarkScroll(b *testing.B) {
	view := prepared(b, large(b))
	percentiles(b, func(int) {
		view.Down()
		view.Window(width, height)
	})
}

// BenchmarkScrollDeep goes down where 3 000 branches enclose each other.
func BenchmarkScrollDeep(b *testing.B) {
	view := treeview.New(grown(b, 6001, oneOfTwo, number))
	percentiles(b, func(int) {
		view.Down()
		view.Window(width, height)
	})
}

// BenchmarkPrepare reads all texts.
func BenchmarkPrepare(b *testing.B) {
	s := large(b)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		view := prepared(b, s)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(view)
	}
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "retained-MB")
}
