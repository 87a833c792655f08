//go:build unix

package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

func TestNoColours(t *testing.T) {
	for _, env := range []string{"", "NO_COLOR=1"} {
		m := open(t, tour, setup{environ: []string{env}})
		m.see("$0.14")
		colours := false
		m.screen.mu.Lock()
		for y := range m.screen.Height() {
			for x := range m.screen.Width() {
				if c := m.screen.CellAt(x, y); c != nil && (c.Style.Fg != nil || c.Style.Bg != nil) {
					colours = true
				}
			}
		}
		m.screen.mu.Unlock()
		if colours != (env == "") {
			t.Errorf("with %q colours are %v", env, colours)
		}
	}
}

// mouse sends what a terminal tells of the mouse: button 0 is a click, 64 and 65 the wheel. Columns and
// rows are from 1.
func (m *terminal) mouse(button, x, y string) {
	m.t.Helper()
	m.write("\x1b[<" + button + ";" + x + ";" + y + "M")
}

func TestTheMouse(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.golden("conversation")
	m.mouse("64", "5", "5")
	m.golden("wheel-up")
	m.mouse("65", "5", "5")
	m.golden("conversation")
	m.press("ctrl+t")
	m.see("type to search")
	m.press("home")
	m.golden("tree-home")
	m.mouse("0", "10", "4") // the third row
	m.golden("tree-clicked")
	m.mouse("64", "10", "4")
	m.golden("tree-home")
	m.mouse("0", "10", "2") // on the chosen one: goes there
	m.see("No summary", "Extract")
	m.mouse("0", "10", "28") // the first of the choices
	m.see("› Orders with two coupons")
}

// Until a session is open its progress shows, and Esc gives it up.
func TestOpeningCanBeCancelled(t *testing.T) {
	m := open(t, tour, setup{options: func(o *Options) {
		o.Open = func(ctx context.Context, front Front) (*agent.Agent, error) {
			front.Progress(1<<30, 4<<30)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}})
	m.see("Opening the session", "1.1 GB of 4.3 GB", "Esc cancels")
	m.press("esc")
	m.done()
}

func TestASessionThatCannotBeOpenedSaysWhy(t *testing.T) {
	m := open(t, tour, setup{options: func(o *Options) {
		o.Open = func(context.Context, Front) (*agent.Agent, error) { return nil, errors.New("it is a recipe for soup") }
	}})
	m.see("it is a recipe for soup", "Esc quits")
	m.press("esc")
	m.done()
}

func TestKeysTypedWhileOpeningAreNotLost(t *testing.T) {
	opened := make(chan struct{})
	m := open(t, tour, setup{options: func(o *Options) {
		before := o.Open
		o.Open = func(ctx context.Context, front Front) (*agent.Agent, error) {
			<-opened
			return before(ctx, front)
		}
	}})
	m.see("Opening the session")
	m.typed("/tree\rdiagnosis")
	close(opened)
	m.see("search diagnosis", "1/1")
}

// Enter on a list whose items are still being read waits for them.
func TestEnterWaitsForTheItems(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	chosen := make(chan string, 1)
	l := newList(m.app, "Slow", func(id string) tea.Cmd { chosen <- id; return nil })
	m.program.Send(thenMsg{func() tea.Cmd { return m.app.push(l) }})
	m.see("Slow")
	m.typed("two\r")
	m.see("search two")
	l.set([]item{{id: "1", text: "one"}}, "reading")
	l.set([]item{{id: "1", text: "one"}, {id: "2", text: "two"}}, "")
	if id := <-chosen; id != "2" {
		t.Errorf("%q was chosen", id)
	}
}

func TestOpeningAtAnEntry(t *testing.T) {
	m := open(t, tour, setup{options: func(o *Options) { o.Tree, o.At = true, "first try" }})
	m.see("› └─ [first try] user: Fix it in Coupon.Apply")
}

// /resume lists this directory's sessions, with Tab those of all; it renames, and throws away after asking.
func TestResume(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, v := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(v, filepath.Join(home, v))
	}
	here, there := filepath.Join(home, "here"), filepath.Join(home, "there")
	put := func(dir, cwd, name, text string) string {
		path := filepath.Join(home, dir, name+".jsonl")
		s, err := session.Create(path, session.NewHeader(cwd))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), session.Message{Message: message.User(text)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := put(".pi/agent/sessions/--here--", here, "one", "about onions")
	second := put(".omp/agent/sessions/-here", here, "two", "about leeks")
	put("XDG_DATA_HOME/ramo/sessions/there", there, "three", "about chives")
	m := openPath(t, here, first, setup{options: func(o *Options) { o.Library = library.New() }})
	m.see("about onions")
	m.command("/resume")
	m.see("about leeks", "Sessions of here")
	m.gone("about chives")
	m.press("tab")
	m.see("about chives", "All sessions")
	m.typed("leeks")
	m.see("1/1")
	m.press("ctrl+r")
	m.see("What is this session called?")
	m.typed("Green soup")
	m.see("Green soup")
	m.press("enter")
	m.gone("What is this session called?")
	m.press("ctrl+u")
	m.see("type to search", "Green soup")
	m.typed("green")
	m.see("1/1")
	m.press("enter")
	m.see("▌ about leeks")
	m.command("/resume")
	m.see("Sessions of here")
	m.typed("onions")
	m.see("1/1")
	m.press("ctrl+d")
	m.see("Put this session into the trash?")
	m.press("enter") // No
	m.gone("Put this session into the trash?")
	if _, err := os.Stat(first); err != nil {
		t.Error(err)
	}
	m.press("ctrl+d")
	m.see("Put this session into the trash?")
	m.typed("y")
	m.gone("about onions")
	if _, err := os.Stat(first); err == nil {
		t.Error("it is still there")
	}
	if raw, err := os.ReadFile(second); err != nil || !strings.Contains(string(raw), "Green soup") {
		t.Errorf("the renamed session is %q, %v", raw, err)
	}
}

// /search finds words in all sessions and opens the tree there.
func TestSearch(t *testing.T) {
	m := open(t, tour, setup{options: func(o *Options) {
		dir := filepath.Dir(o.Dir)
		o.Library = library.New(o.Dir)
		o.Index = func() (*library.Index, error) { return library.OpenIndex(filepath.Join(dir, "index")) }
	}})
	m.see("$0.14")
	m.command("/search accounting")
	m.see("Search in all sessions", "1/2")
	m.press("enter")
	m.see("type to search", "› ")
}

func TestFilesAreCompleted(t *testing.T) {
	m := open(t, tour, setup{options: func(o *Options) {
		for _, name := range []string{"pricing/total.go", "pricing/money.go", ".git/secret.go"} {
			path := filepath.Join(o.Dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}})
	m.see("$0.14")
	m.typed("look at @tot")
	m.see("@pricing/total.go")
	m.press("tab")
	m.see("› look at @pricing/total.go")
}

func TestAKeyThatIsNoActionIsAnError(t *testing.T) {
	s := config.Default()
	s.Keys = map[string][]string{"treee": {"ctrl+y"}}
	if _, err := newKeymap(s); err == nil || !strings.Contains(err.Error(), "tree") {
		t.Errorf("got %v", err)
	}
}

// No two actions of one part of the app share a key.
func TestNoKeyMeansTwoThings(t *testing.T) {
	taken := map[string]action{}
	for _, b := range defaultBindings {
		c := b.context
		if c == inEditor {
			c = inChat // they are looked up one after the other
		}
		for _, k := range b.keys {
			if other, ok := taken[string(c)+" "+k]; ok {
				t.Errorf("%s in the %s is both %s and %s", k, c, other, b.action)
			}
			taken[string(c)+" "+k] = b.action
		}
	}
}
