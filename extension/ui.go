package extension

import (
	"context"
	"errors"
	"fmt"
)

// Level tells how serious a notice is.
type Level string

// The levels of a notice.
const (
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
)

// ErrNobody is what a question gets when no user is there to answer it.
var ErrNobody = errors.New("there is nobody to ask")

// UI is what an extension may ask of whoever is in front of it. An implementation is safe for
// concurrent use, ends a question when its ctx is done, and shows texts as what they are: lines from a
// stranger. Of a question that the user leaves unanswered ok, or the answer to Confirm, is false.
type UI interface {
	Notify(ctx context.Context, level Level, text string)
	Select(ctx context.Context, title string, options []string) (index int, ok bool, err error)
	Confirm(ctx context.Context, title, text string) (bool, error)
	Input(ctx context.Context, title, placeholder string) (text string, ok bool, err error)
}

// CommandInfo is a command of an extension's: "/name" in the app.
type CommandInfo struct{ Name, Description string }

// patient is the user's interface during one call of an extension: it says who speaks, and the call's
// clock stands while the user thinks.
type patient struct{ s *Session }

func (p patient) Notify(ctx context.Context, level Level, text string) {
	if ctx, done, err := p.s.during(ctx); err == nil {
		defer done()
		p.s.m.ui().Notify(ctx, level, text)
	}
}

func (p patient) Select(ctx context.Context, title string, options []string) (index int, ok bool, err error) {
	err = p.wait(ctx, func(ctx context.Context, ui UI) (err error) {
		index, ok, err = ui.Select(ctx, title, options)
		return err
	})
	return index, ok, err
}

func (p patient) Confirm(ctx context.Context, title, text string) (yes bool, err error) {
	err = p.wait(ctx, func(ctx context.Context, ui UI) (err error) {
		yes, err = ui.Confirm(ctx, title, text)
		return err
	})
	return yes, err
}

func (p patient) Input(ctx context.Context, title, placeholder string) (text string, ok bool, err error) {
	err = p.wait(ctx, func(ctx context.Context, ui UI) (err error) {
		text, ok, err = ui.Input(ctx, title, placeholder)
		return err
	})
	return text, ok, err
}

func (p patient) wait(ctx context.Context, ask func(context.Context, UI) error) error {
	ctx, done, err := p.s.during(ctx)
	if err != nil {
		return err
	}
	defer done()
	p.s.clock.pause()
	defer p.s.clock.resume()
	return ask(ctx, p.s.m.ui())
}

// named is a user interface to which each extension comes with its name.
type named struct {
	UI
	name string
}

func (n named) Notify(ctx context.Context, level Level, text string) {
	n.UI.Notify(ctx, level, n.name+": "+text)
}

func (n named) Select(ctx context.Context, title string, options []string) (int, bool, error) {
	if len(options) == 0 {
		return 0, false, errors.New("there is nothing to select from")
	}
	i, ok, err := n.UI.Select(ctx, n.name+": "+title, options)
	if err == nil && ok && (i < 0 || i >= len(options)) {
		return 0, false, fmt.Errorf("the user interface selected %d of %d", i, len(options))
	}
	return i, ok, err
}

func (n named) Confirm(ctx context.Context, title, text string) (bool, error) {
	return n.UI.Confirm(ctx, n.name+": "+title, text)
}

func (n named) Input(ctx context.Context, title, placeholder string) (string, bool, error) {
	return n.UI.Input(ctx, n.name+": "+title, placeholder)
}
