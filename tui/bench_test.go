package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/internal/generate"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// The benchmarks are of a session of 100 000 entries, 150 MB and 2 000 branches, at 120×50. They report the
// middle and the 99th percentile of whole frames, and of Update alone.

// bench is the app without a terminal: its messages are handled here, one after the other.
type bench struct {
	b       *testing.B
	app     *app
	updates []time.Duration // what Update took, each time
	sent    chan tea.Msg
	cells   uv.ScreenBuffer
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
	x := &bench{b: b, sent: make(chan tea.Msg, 1000), cells: uv.NewScreenBuffer(120, 50)}
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

func percentiles(b *testing.B, took []time.Duration, unit string) {
	b.Helper()
	slices.Sort(took)
	ms := func(p int) float64 { return float64(took[(len(took)-1)*p/100]) / float64(time.Millisecond) }
	b.ReportMetric(ms(50), "p50-"+unit)
	b.ReportMetric(ms(99), "p99-"+unit)
}

// draw is a frame as far as the terminal's cells.
func (x *bench) draw() {
	v := x.app.View()
	if len(v.Content) == 0 {
		x.b.Fatal("nothing is drawn")
	}
	x.cells.Clear()
	uv.NewStyledString(v.Content).Draw(x.cells, x.cells.Bounds())
}

// measure reports what a key, all that it causes, and the frame that shows it take together.
func (x *bench) measure(key func(i int) tea.KeyPressMsg) {
	x.measureAll(func(i int) { x.do(key(i)) })
}

func (x *bench) measureAll(step func(i int)) {
	x.updates = nil
	var frames []time.Duration
	for i := 0; x.b.Loop(); i++ {
		began := time.Now()
		step(i)
		x.draw()
		frames = append(frames, time.Since(began))
	}
	percentiles(x.b, frames, "frame-ms")
	percentiles(x.b, x.updates, "update-ms")
}

// BenchmarkScroll goes up the conversation page by page, through what has not been drawn yet; from the top it
// starts again at the end, with everything drawn anew.
func BenchmarkScroll(b *testing.B) {
	x := openBench(b)
	pages := 0
	x.measure(func(int) tea.KeyPressMsg {
		if pages++; pages == 1 || x.app.frame.lines[0].id == x.app.session.At(0).ID() {
			pages = 1
			x.app.transcript.restyle(x.app.theme)
			return tea.KeyPressMsg{Code: tea.KeyEnd, Mod: tea.ModCtrl}
		}
		return tea.KeyPressMsg{Code: tea.KeyPgUp}
	})
}

// BenchmarkTree moves in the tree, with its preview: nine lines up, then a page down.
func BenchmarkTree(b *testing.B) {
	x := openBench(b)
	x.do(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	x.measure(func(i int) tea.KeyPressMsg {
		if i%10 == 9 {
			return tea.KeyPressMsg{Code: tea.KeyRight}
		}
		return tea.KeyPressMsg{Code: tea.KeyUp}
	})
}

// BenchmarkTreeSearch types a word in the tree and takes it back.
func BenchmarkTreeSearch(b *testing.B) {
	x := openBench(b)
	x.do(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	const word = "scanner"
	x.measure(func(i int) tea.KeyPressMsg {
		if at := i % (2 * len(word)); at < len(word) {
			return tea.KeyPressMsg{Code: rune(word[at]), Text: word[at : at+1]}
		}
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	})
}

// BenchmarkTyping is a key in the editor.
func BenchmarkTyping(b *testing.B) {
	x := openBench(b)
	x.measure(func(i int) tea.KeyPressMsg {
		if i%20 < 10 {
			return tea.KeyPressMsg{Code: 'a', Text: "a"}
		}
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	})
}

// BenchmarkStreaming is an answer of 100 kB of Markdown that comes in pieces of 200 bytes, a frame each; then
// the next such answer.
func BenchmarkStreaming(b *testing.B) {
	x := openBench(b)
	var all strings.Builder
	for i := 0; all.Len() < 100_000; i++ { // no part comes twice
		all.WriteString(strings.NewReplacer("The", fmt.Sprintf("%d. The", i), "1.", fmt.Sprintf("1. %d", i), "func", fmt.Sprintf("// %d\nfunc", i),
			"order |", fmt.Sprintf("order %d |", i), "Whoever", fmt.Sprintf("%d: whoever", i), "- The", fmt.Sprintf("- %d: the", i)).Replace(longAnswer))
	}
	text := all.String()
	const piece = 200
	at := len(text)
	x.measureAll(func(int) {
		if at+piece > len(text) {
			at = 0
			x.do(eventsMsg{{Type: agent.Idle}, {Type: agent.AnswerStart}})
		}
		x.do(eventsMsg{{Type: agent.TextDelta, Text: text[at : at+piece]}})
		at += piece
	})
}

const longAnswer = `## The cause

The **coupon** is applied to each line, and the total is made of the lines' *rounded* sums, so that an order of
three lines loses a cent. Two ways out:

1. Apply it to the total, as the invoice does. ` + "`refund.go`" + ` needs a way to share it out again.
2. Keep it on the lines and give the last one what is left over.

- The first is what the tests of the invoice expect.
- The second changes no interface.

` + "```go" + `
func (c Coupon) Apply(total Money) (Money, error) {
	if c.Expired(time.Now()) {
		return 0, fmt.Errorf("coupon %s has expired", c.Code)
	}
	return total - total*Money(c.Percent)/100, nil // in cents
}
` + "```" + `

| order | before | after |
| --- | --- | --- |
| 3 lines at 3.33 | 8.98 | 8.99 |
| 1 line at 9.99 | 8.99 | 8.99 |

> Whoever rounds twice pays once.

`
