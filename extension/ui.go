package extension

import (
	"context"
	"errors"
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
