package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ramo-dev/ramo/message"
)

// Tool is something a model may call.
type Tool struct {
	Name        string
	Description string          // for the model
	Parameters  json.RawMessage // JSON Schema of the arguments, an object

	// NeedsApproval says that the user is asked before each call, but for those that PreApproved,
	// if there is one, says are fine. It gets arguments as the model sent them, unchecked.
	NeedsApproval bool
	PreApproved   func(args json.RawMessage) bool

	// Run does the work. When called by Call its arguments are an object that agrees with Parameters,
	// as far as CheckArguments looks. It must end soon after ctx is done, and be safe for concurrent use.
	Run func(ctx context.Context, args json.RawMessage) (Result, error)
}

// Result is what a call gives back: Content to the model, Details only to user interfaces.
type Result struct {
	Content []message.Block
	Details json.RawMessage // nil, or any JSON value; kept in the log beside the result
	IsError bool
}

// Text is a result that is one text block.
func Text(text string) Result { return Result{Content: []message.Block{message.Text(text)}} }

// Errorf is a result that tells the model what went wrong.
func Errorf(format string, args ...any) Result {
	r := Text(fmt.Sprintf(format, args...))
	r.IsError = true
	return r
}

// MustAsk tells whether the user has to agree to this call before it is made.
func (t Tool) MustAsk(args json.RawMessage) bool {
	return t.NeedsApproval && (t.PreApproved == nil || !t.PreApproved(args))
}

// Call checks the arguments, runs the tool and returns its result. A failure of any kind, a panic and the end of ctx
// too, is an error result.
func (t Tool) Call(ctx context.Context, args json.RawMessage) (result Result) {
	defer func() {
		if p := recover(); p != nil {
			result = Errorf("%s failed: internal error: %v", t.Name, p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return t.failed(ctx, err)
	}
	args = orEmptyObject(args)
	if err := CheckArguments(t.Parameters, args); err != nil {
		return Errorf("%s was not run: %v", t.Name, err)
	}
	if t.Run == nil {
		return Errorf("%s cannot be run: it has no function", t.Name)
	}
	result, err := t.Run(ctx, args)
	if err != nil {
		return t.failed(ctx, err)
	}
	return result
}

func (t Tool) failed(ctx context.Context, err error) Result {
	switch {
	case ctx.Err() == nil:
		return Errorf("%s failed: %v", t.Name, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Errorf("%s was stopped: it took too long", t.Name)
	}
	return Errorf("%s was cancelled", t.Name)
}

type outputKey struct{}

// WithOutput returns a context under which a tool that makes its output bit by bit, such as bash, gives
// each piece to show as soon as there is one. The calls come one at a time, from another goroutine, and none after
// the tool has returned. The tool waits for show, so it must be quick.
func WithOutput(ctx context.Context, show func(piece string)) context.Context {
	return context.WithValue(ctx, outputKey{}, show)
}

// ShowOutput gives a piece of output to the function of WithOutput, if there is one: for tools of one's own.
func ShowOutput(ctx context.Context, piece string) {
	if show, ok := ctx.Value(outputKey{}).(func(string)); ok && show != nil {
		show(piece)
	}
}
