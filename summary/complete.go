package summary

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ramo-dev/ramo/message"
)

// Complete asks a language model once and returns its whole answer. It owes an end soon after ctx
// is cancelled. What it returns with an error is not looked at.
type Complete func(ctx context.Context, p Prompt) (Answer, error)

// Prompt is what a model is asked.
type Prompt struct {
	System    string
	Text      string // of the one user message
	MaxOutput int64  // tokens
}

// Answer is what a model said.
type Answer struct {
	Text  string
	Cut   bool           // the output limit ended it
	Usage *message.Usage // nil: not known
}

// What can come of a request for a summary, for errors.Is.
var (
	// ErrNothingToSummarize: the abandoned path has nothing that a model would see.
	ErrNothingToSummarize = errors.New("nothing to summarize: there are no messages on what is left")
	// ErrEmptySummary: the model answered with nothing.
	ErrEmptySummary = errors.New("the model's summary is empty: try again, or choose another model")
	// ErrNothingToCompact: no cut would take anything out of the context.
	ErrNothingToCompact = errors.New("nothing to compact")
	// ErrAlreadyCompacted: no message came after the last compaction.
	ErrAlreadyCompacted = errors.New("already compacted: there is no message after the last compaction")
)

// writer asks a model for the texts of one summary and adds up what they cost.
type writer struct {
	complete Complete
	usage    *message.Usage
}

// write returns an answer that is not blank. An answer that came although ctx was cancelled does not
// count: who cancelled wants nothing to happen.
func (w *writer) write(ctx context.Context, what string, p Prompt) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("cannot write the %s: %w", what, err)
	}
	a, err := w.complete(ctx, p)
	if ctxErr := ctx.Err(); ctxErr != nil {
		err = ctxErr
	}
	if err != nil {
		return "", fmt.Errorf("cannot write the %s: %w", what, err)
	}
	w.add(a.Usage)
	text := strings.TrimSpace(a.Text)
	if text == "" {
		return "", fmt.Errorf("cannot write the %s: %w", what, ErrEmptySummary)
	}
	if a.Cut {
		text += "\n\n(The summary ends here: the model's output limit was reached.)"
	}
	return text, nil
}

func (w *writer) add(u *message.Usage) {
	if u == nil {
		return
	}
	if w.usage == nil {
		w.usage = new(message.Usage)
	}
	w.usage.Add(*u)
}
