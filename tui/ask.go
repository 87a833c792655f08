package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
)

// askMsg puts a question of the agent's or an extension's on the screen.
type askMsg struct {
	make func(a *app) screen
	at   chan<- screen // gets the screen
}

// askedMsg takes a question away that was answered, or that nobody waits for any more.
type askedMsg struct{ screen screen }

func (a *app) ask(msg askMsg) tea.Cmd {
	s := msg.make(a)
	msg.at <- s
	a.asks++
	return a.push(s)
}

func (a *app) askEnded(s screen) tea.Cmd {
	a.asks--
	if s != nil {
		a.remove(s)
	}
	return a.replay()
}

type answer struct {
	index int
	text  string
	ok    bool
}

// question shows a screen until it is answered or ctx is done.
func (a *app) question(ctx context.Context, make func(a *app, reply func(answer) tea.Cmd) screen) (answer, error) {
	replied := newReply()
	at := newScreenBox()
	a.send(askMsg{func(a *app) screen {
		return make(a, func(r answer) tea.Cmd {
			replied <- r
			return nil
		})
	}, at})
	var shown screen
	select {
	case shown = <-at:
	case <-a.ctx.Done():
		return answer{}, a.ctx.Err()
	}
	defer func() { a.send(askedMsg{shown}) }()
	select {
	case r := <-replied:
		return r, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-a.ctx.Done():
		return answer{}, a.ctx.Err()
	}
}

func newReply() chan answer     { return make(chan answer, 1) }
func newScreenBox() chan screen { return make(chan screen, 1) }

// approve asks whether a tool may run.
func (a *app) approve(ctx context.Context, call message.Block) (bool, error) {
	r, err := a.question(ctx, func(a *app, reply func(answer) tea.Cmd) screen {
		c := newChoice(a, "The model wants to run "+display.Line(call.Name, 100), []string{"Yes, run it  (y)", "No  (n, Esc)"}, func(i int) tea.Cmd {
			return reply(answer{ok: i == 0})
		})
		c.text = []string{display.Call(call)}
		c.keys = map[string]int{"y": 0, "n": 1}
		c.left = func() tea.Cmd { return reply(answer{}) }
		return c
	})
	return r.ok, err
}

// asker is the user interface that extensions see.
type asker struct{ app *app }

func (q asker) Notify(_ context.Context, level extension.Level, text string) {
	q.app.send(thenMsg{func() tea.Cmd {
		q.app.notice, q.app.noticeErr = oneLine(text), level == extension.Error
		return nil
	}})
}

func (q asker) Select(ctx context.Context, title string, options []string) (int, bool, error) {
	if len(options) == 0 {
		return 0, false, nil
	}
	r, err := q.app.question(ctx, func(a *app, reply func(answer) tea.Cmd) screen {
		c := newChoice(a, title, options, func(i int) tea.Cmd { return reply(answer{index: i, ok: true}) })
		c.left = func() tea.Cmd { return reply(answer{}) }
		return c
	})
	return r.index, r.ok, err
}

func (q asker) Confirm(ctx context.Context, title, text string) (bool, error) {
	r, err := q.app.question(ctx, func(a *app, reply func(answer) tea.Cmd) screen {
		c := newChoice(a, title, []string{"Yes  (y)", "No  (n, Esc)"}, func(i int) tea.Cmd { return reply(answer{ok: i == 0}) })
		if text != "" {
			c.text = []string{text}
		}
		c.keys = map[string]int{"y": 0, "n": 1}
		c.left = func() tea.Cmd { return reply(answer{}) }
		return c
	})
	return r.ok, err
}

func (q asker) Input(ctx context.Context, title, placeholder string) (string, bool, error) {
	r, err := q.app.question(ctx, func(a *app, reply func(answer) tea.Cmd) screen {
		i := newInput(a, title, "", func(text string) tea.Cmd { return reply(answer{text: text, ok: true}) })
		i.placeholder = placeholder
		i.left = func() tea.Cmd { return reply(answer{}) }
		return i
	})
	return r.text, r.ok, err
}
