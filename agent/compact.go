package agent

import (
	"context"
	"errors"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// Compact shortens the context: a compaction takes the place of what it summarises (section 11).
// Cancelling ctx leaves everything as it was.
func (a *Agent) Compact(ctx context.Context, instructions string) (_ session.Entry, err error) {
	by, err := a.summarizer("")
	if err != nil {
		return session.Entry{}, err
	}
	ctx, end, err := a.begin(ctx, opCompact)
	if err != nil {
		return session.Entry{}, err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opCompact, Err: err})
	}()
	return a.compactWith(ctx, by, instructions)
}

// compact is a compaction in the middle of a prompt.
func (a *Agent) compact(ctx context.Context, m model.Model, instructions string) error {
	by, err := a.summarizer("")
	if err != nil {
		return err
	}
	if by.window == 0 {
		by.window = m.Info().ContextWindow
	}
	_, err = a.compactWith(ctx, by, instructions)
	return err
}

// compactIfFull compacts before a prompt when the context has passed the threshold.
func (a *Agent) compactIfFull(ctx context.Context, m model.Model) error {
	window := m.Info().ContextWindow
	set := a.settings(window)
	if !set.Enabled || window <= 0 {
		return nil
	}
	c, err := a.Session().Context("")
	if err != nil {
		return err
	}
	if !summary.ShouldCompact(summary.ContextTokens(c), window, set) {
		return nil
	}
	err = a.compact(ctx, m, "")
	if errors.Is(err, summary.ErrNothingToCompact) || errors.Is(err, summary.ErrAlreadyCompacted) || errors.As(err, new(errRefused)) {
		return nil // what is left is what must be sent; the provider may yet take it
	}
	return err
}

// window is that of the model which the conversation is with; without one, the summariser's.
func (a *Agent) window(by summarizer) int64 {
	if info, ok := a.Model(); ok && info.ContextWindow > 0 {
		return info.ContextWindow
	}
	return by.window
}

func (a *Agent) compactWith(ctx context.Context, by summarizer, instructions string) (session.Entry, error) {
	s := a.Session()
	set := a.settings(a.window(by))
	set.InputTokens = summary.Budget(by.window, set.ReserveTokens) // of the summariser, which may be another model
	prepared, err := summary.PrepareCompaction(s, "", set)
	if err != nil {
		return session.Entry{}, err
	}
	answer, heed, err := a.askCompaction(ctx, prepared, instructions)
	if err != nil {
		return session.Entry{}, err
	}
	if answer.Cancel {
		return session.Entry{}, errRefused{"the compaction", answer.Reason}
	}
	var body session.Compaction
	if r := answer.Result; r != nil {
		body = session.Compaction{
			Summary: r.Summary, ShortSummary: r.ShortSummary, FirstKeptEntryID: r.FirstKeptEntryID, TokensBefore: prepared.TokensBefore,
			Details: r.Details, PreserveData: r.PreserveData, FromExtension: true,
		}
	} else {
		a.emit(Event{Type: SummaryStart, Text: by.name})
		if by.extract {
			body, err = summary.ExtractCompaction(prepared)
			body.PreserveData = heed.PreserveData // the rest is for a model
		} else {
			body, err = summary.Compact(ctx, a.complete(by.model), prepared, summary.CompactOptions{
				Instructions: instructions, ExtraContext: heed.Context, Prompt: heed.Prompt, PreserveData: heed.PreserveData,
			})
		}
		if err != nil {
			return session.Entry{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return session.Entry{}, err
	}
	e, err := s.Append(context.WithoutCancel(ctx), body)
	if err != nil {
		return session.Entry{}, err
	}
	a.emit(Event{Type: Compacted, Entry: e})
	a.host.Happened(ctx, extension.SessionCompact{Entry: e, FromExtension: body.FromExtension})
	return e, nil
}
