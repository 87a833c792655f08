//go:build unix

package tui

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// terminal is the app on a pseudo-terminal with an emulator at its other end: what is written is what a
// terminal would get, and keys are the bytes that a terminal sends.
type terminal struct {
	t       *testing.T
	app     *app
	program *tea.Program
	screen  *emulator
	keys    *os.File // the terminal's end
	tty     *os.File // the app's end
	ended   chan error
	stopped chan struct{}
	home    string
	path    string // of the session
}

// setup is what a test wants to be different.
type setup struct {
	width, height int
	settings      func(*config.Settings)
	options       func(*Options)
	agent         func(*agent.Options)
	models        *model.Registry
	environ       []string
}

// open opens the app on a copy of a session file.
func open(t *testing.T, file string, set setup) *terminal {
	t.Helper()
	home := t.TempDir()
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(v, filepath.Join(home, strings.ToLower(v)))
	}
	path := filepath.Join(home, "session.jsonl")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return openPath(t, home, path, set)
}

func openPath(t *testing.T, home, path string, set setup) *terminal {
	t.Helper()
	if set.width == 0 {
		set.width, set.height = 100, 30
	}
	if set.models == nil {
		set.models = model.NewRegistry(nil)
	}
	settings := config.Default()
	settings.Theme = "dark"
	if set.settings != nil {
		set.settings(settings)
	}
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Cols: uint16(set.width), Rows: uint16(set.height)}); err != nil {
		t.Fatal(err)
	}
	m := &terminal{t: t, screen: &emulator{Emulator: vt.NewEmulator(set.width, set.height)}, keys: keys, tty: tty, ended: make(chan error, 1), stopped: make(chan struct{}), home: home, path: path}
	go func() { _, _ = io.Copy(m.screen, keys) }()
	// What the terminal answers to questions goes back as keys do.
	go func() { _, _ = io.Copy(keys, m.screen) }()
	o := Options{
		Settings: settings, Models: set.models, Library: library.New(), Dir: home,
		Input: nameless{tty}, Output: tty, Environ: append([]string{"TERM=xterm-256color"}, set.environ...),
		Program: []tea.ProgramOption{tea.WithoutSignalHandler()},
		Open: func(ctx context.Context, front Front) (*agent.Agent, error) {
			s, err := session.Open(ctx, path)
			if err != nil {
				return nil, err
			}
			a := agent.Options{
				Models: set.models, DefaultModel: settings.Model, Approve: front.Approve, UI: front.UI,
				NewPath: func(h session.Header) string { return session.NewPath(filepath.Join(home, "new"), h) },
			}
			if set.agent != nil {
				set.agent(&a)
			}
			return agent.New(s, a)
		},
	}
	if set.options != nil {
		set.options(&o)
	}
	km, err := newKeymap(settings)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m.app, m.program = newProgram(ctx, o, km)
	go func() {
		_, err := m.program.Run()
		cancel()
		if cerr := m.app.close(); err == nil {
			err = cerr
		}
		m.ended <- err
		close(m.stopped)
	}()
	t.Cleanup(func() {
		m.program.Quit()
		<-m.stopped
		cancel()
		_ = keys.Close()
		_ = tty.Close()
	})
	return m
}

// keyBytes are what terminals send.
var keyBytes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "delete": "\x1b[3~", "f1": "\x1bOP", "shift+tab": "\x1b[Z",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F", "alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B",
	"ctrl+shift+o": "\x1b[111;6u", "shift+enter": "\x1b[13;2u",
}

// press sends keys.
func (m *terminal) press(keys ...string) {
	m.t.Helper()
	for _, k := range keys {
		b, ok := keyBytes[k]
		switch {
		case ok:
		case strings.HasPrefix(k, "ctrl+") && len(k) == 6:
			b = string(rune(k[5] & 0x1f))
		case strings.HasPrefix(k, "alt+") && len(k) == 5:
			b = "\x1b" + k[4:]
		default:
			m.t.Fatalf("no such key: %s", k)
		}
		m.write(b)
		if k == "esc" { // what follows at once would be taken for Alt with a key
			time.Sleep(2 * uv.DefaultEscTimeout)
		}
	}
}

// typed sends text.
func (m *terminal) typed(text string) { m.t.Helper(); m.write(text) }

func (m *terminal) write(b string) {
	m.t.Helper()
	if _, err := m.keys.Write([]byte(b)); err != nil {
		m.t.Fatal(err)
	}
}

// command types a line and sends it.
func (m *terminal) command(text string) {
	m.t.Helper()
	m.typed(text)
	m.see(text)
	m.press("enter")
}

// text is the screen, without what is blank at the ends of its lines.
func (m *terminal) text() string {
	lines := strings.Split(m.screen.plain(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// nameless is a terminal that is read in the plain way: the library's own reader is closed while it reads,
// which the race detector reports.
type nameless struct{ f *os.File }

func (n nameless) Read(p []byte) (int, error)  { return n.f.Read(p) }
func (n nameless) Write(p []byte) (int, error) { return n.f.Write(p) }
func (n nameless) Close() error                { return nil }
func (n nameless) Fd() uintptr                 { return n.f.Fd() }

// emulator is a terminal emulator that is written to and looked at from two goroutines.
type emulator struct {
	mu sync.Mutex
	*vt.Emulator
}

func (e *emulator) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.Emulator.Write(p)
}

func (e *emulator) Resize(width, height int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Emulator.Resize(width, height)
}

// plain reads the screen cell by cell.
func (e *emulator) plain() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for y := range e.Height() {
		for x := 0; x < e.Width(); {
			c := e.CellAt(x, y)
			if c == nil || c.Width == 0 {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(c.Content)
			x += c.Width
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const patience = time.Minute // for what comes within a moment on an idle machine

func (m *terminal) until(what string, done func() bool) {
	m.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("%s did not come; the screen is\n%s", what, m.text())
		}
	}
}

// see waits until all texts are on the screen.
func (m *terminal) see(texts ...string) {
	m.t.Helper()
	m.until(strings.Join(texts, ", "), func() bool {
		screen := m.text()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// gone waits until a text is not on the screen.
func (m *terminal) gone(text string) {
	m.t.Helper()
	m.until("the end of "+text, func() bool { return !strings.Contains(m.text(), text) })
}

// golden compares the screen, when it looks like the one that is kept: it is given time to get there.
func (m *terminal) golden(name string) {
	m.t.Helper()
	file := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		last := ""
		m.until("a screen at rest", func() bool {
			now := m.text()
			same := now == last
			last = now
			time.Sleep(300 * time.Millisecond)
			return same
		})
		if err := os.WriteFile(file, []byte(last), 0o600); err != nil {
			m.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	for end := time.Now().Add(patience / 4); m.text() != string(want); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("the screen is not %s:\n%s", file, m.text())
		}
	}
}

// resize changes the terminal's size.
func (m *terminal) resize(width, height int) {
	m.screen.Resize(width, height)
	if err := pty.Setsize(m.tty, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		m.t.Fatal(err)
	}
	m.program.Send(tea.WindowSizeMsg{Width: width, Height: height})
}

// done waits until the program has ended by itself.
func (m *terminal) done() {
	m.t.Helper()
	select {
	case err := <-m.ended:
		if err != nil {
			m.t.Error(err)
		}
	case <-time.After(patience):
		m.t.Fatalf("it does not end; the screen is\n%s", m.text())
	}
}

func (m *terminal) read() string {
	m.t.Helper()
	raw, err := os.ReadFile(m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(raw)
}
