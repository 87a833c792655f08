package tui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/internal/generate"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// The benchmarks are of a session of 100 000 entries, 150 MB and 2 000 branches, at 120×50. They report the
// middle and the 99th percentile.

// bench is the app without a terminal: its messages are handled here, one after the other.
type bench struct {
	b       *testing.B
	app     *app
	updates []time.Duration // what Update took, each time
	sent    chan tea.Msg
}

func openBench(b *testing.B) *bench {
	b.Helper()
	home := b.TempDir()
	for _, v := range []string{"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		b.Setenv(v, filepath.Join(home, v))
	}
	path := filepath.Join(home, "session.jsonl")
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
	settings := config.Default()
	keys, err := newKeymap(settings)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	x := &bench{b: b, sent: make(chan tea.Msg, 1000)}
	x.app = newApp(ctx, Options{
		Settings: settings, Models: model.NewRegistry(nil), Library: library.New(), Dir: home,
		Open: func(ctx context.Context, _ Front) (*agent.Agent, error) {
			s, err := session.Open(ctx, path)
			if err != nil {
				return nil, err
			}
			return agent.New(s, agent.Options{})
		},
	}, keys)
	x.app.send = func(m tea.Msg) { x.sent <- m }
	b.Cleanup(func() {
		cancel()
		if err := x.app.close(); err != nil {
			b.Error(err)
		}
	})
	x.do(tea.WindowSizeMsg{Width: 120, Height: 50})
	x.run(x.app.open())
	return x
}

// do handles a message, and all that comes of it.
func (x *bench) do(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil, spinMsg:
		return
	case tea.BatchMsg:
		for _, c := range msg {
			x.run(c)
		}
		return
	}
	start := time.Now()
	_, cmd := x.app.Update(msg)
	x.updates = append(x.updates, time.Since(start))
	x.run(cmd)
	for {
		select {
		case m := <-x.sent:
			x.do(m)
		default:
			return
		}
	}
}

func (x *bench) run(cmd tea.Cmd) {
	if cmd != nil {
		x.do(cmd())
	}
}

// press is a key, with all that it causes and the frame that shows it.
func (x *bench) press(k tea.KeyPressMsg) tea.View {
	x.do(k)
	return x.app.View()
}

func percentiles(b *testing.B, took []time.Duration, unit string) {
	b.Helper()
	slices.Sort(took)
	ms := func(p int) float64 { return float64(took[(len(took)-1)*p/100]) / float64(time.Millisecond) }
	b.ReportMetric(ms(50), "p50-"+unit)
	b.ReportMetric(ms(99), "p99-"+unit)
}

func benchmarkFrames(b *testing.B, start, even, odd tea.KeyPressMsg) {
	x := openBench(b)
	x.press(start)
	x.updates = nil
	var frames []time.Duration
	for i := 0; b.Loop(); i++ {
		k := even
		if i%20 >= 10 {
			k = odd
		}
		began := time.Now()
		if v := x.press(k); len(v.Content) == 0 {
			b.Fatal("nothing is drawn")
		}
		frames = append(frames, time.Since(began))
	}
	percentiles(b, frames, "frame-ms")
	percentiles(b, x.updates, "update-ms")
}

// BenchmarkScroll is from a key to the drawn frame, ten pages up and ten down.
func BenchmarkScroll(b *testing.B) {
	benchmarkFrames(b, tea.KeyPressMsg{Code: tea.KeyPgUp}, tea.KeyPressMsg{Code: tea.KeyPgUp}, tea.KeyPressMsg{Code: tea.KeyPgDown})
}

// BenchmarkTree is from a key to the drawn frame in the tree, with its preview.
func BenchmarkTree(b *testing.B) {
	benchmarkFrames(b, tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: tea.KeyUp}, tea.KeyPressMsg{Code: tea.KeyPgDown})
}

// BenchmarkTyping is a key in the editor.
func BenchmarkTyping(b *testing.B) {
	benchmarkFrames(b, tea.KeyPressMsg{Code: 'a', Text: "a"}, tea.KeyPressMsg{Code: 'a', Text: "a"}, tea.KeyPressMsg{Code: tea.KeyBackspace})
}
