package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"charm.land/fantasy"

	"github.com/ramo-dev/ramo/message"
)

const defaultStall = 2 * time.Minute

// chat is a model of a provider.
type chat struct {
	provider *provider
	info     Info
	listed   bool   // the model is one that is known
	near     string // if it is not: the known model with the nearest name
}

func (c *chat) Info() Info { return c.info }

// Stream implements Model. What fails before the answer begins, and may pass, is tried again.
func (c *chat) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lm, err := c.language(ctx)
		if err != nil {
			yield(Event{}, err)
			return
		}
		call := fantasy.Call{
			Prompt: c.prompt(r), Tools: tools(r.Tools), ProviderOptions: c.thinking(r.Thinking), UserAgent: userAgent, MaxOutputTokens: c.maxOutput(r),
		}
		for n := 1; ; n++ {
			a, at, wanted, err := c.once(ctx, lm, call, yield)
			if !wanted {
				return
			}
			if err == nil {
				if err = a.refused(c.provider.name); err == nil {
					yield(Event{Type: Done, Message: a.message("", "")}, nil)
					return
				}
				if yield(Event{Type: Done, Message: a.message(message.StopError, err.Error())}, nil) {
					yield(Event{}, err)
				}
				return
			}
			if ctx.Err() != nil {
				if !a.begun || yield(Event{Type: Done, Message: a.message(message.StopAborted, "the request was cancelled")}, nil) {
					yield(Event{}, ctx.Err())
				}
				return
			}
			wait, bearable := delay(n, at, err)
			told := c.explain(err, wait)
			if a.begun || n > maxRetries || !bearable || !passing(err) {
				if !a.begun || yield(Event{Type: Done, Message: a.message(message.StopError, told.Error())}, nil) {
					yield(Event{}, told)
				}
				return
			}
			if !yield(Event{Type: Retry, Attempt: n, Delay: wait, Reason: told.Error()}, nil) {
				return
			}
			if err := sleep(ctx, wait); err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// language is the model as fantasy has it.
func (c *chat) language(ctx context.Context) (fantasy.LanguageModel, error) {
	client, err := c.provider.connect()
	if err != nil {
		return nil, err
	}
	lm, err := client.LanguageModel(ctx, c.info.ID)
	if err != nil {
		return nil, c.explain(err, -1)
	}
	return lm, nil
}

// once asks one time. wanted is false when the caller of the stream wants no more.
func (c *chat) once(ctx context.Context, lm fantasy.LanguageModel, call fantasy.Call, yield func(Event, error) bool) (a *answer, at *attempt, wanted bool, err error) {
	limit := c.provider.settings.StallTime
	if limit <= 0 {
		limit = defaultStall
	}
	ctx, at, end := begin(ctx, c.provider.name, c.provider.kind, limit)
	defer end()
	a = c.newAnswer()
	// cause is what is behind an error that fantasy reports: a stall cancels the context, and a
	// client of Google's says only that something is missing.
	cause := func(err error) error {
		if stalled := context.Cause(ctx); errors.Is(stalled, ErrStalled) {
			return stalled
		}
		return cmp.Or(at.broken(), err)
	}
	defer func() { a.count(at.usage()) }()
	parts, err := lm.Stream(ctx, call)
	if err != nil {
		return a, at, true, cause(err)
	}
	for part := range parts {
		if part.Type == fantasy.StreamPartTypeError {
			return a, at, true, cause(part.Error)
		}
		for _, e := range a.take(part) {
			if !yield(e, nil) {
				return a, at, false, nil
			}
		}
	}
	if a.finished && at.broken() == nil {
		return a, at, true, nil
	}
	return a, at, true, cause(cmp.Or(ctx.Err(), error(fantasy.NewIncompleteStreamError())))
}

// refused is the error of an answer that the provider itself ended.
func (a *answer) refused(provider string) error {
	switch a.finish {
	case fantasy.FinishReasonContentFilter:
		return &fault{ErrRefused, fmt.Sprintf("%s: %v: rephrase it, or go on with another model", provider, ErrRefused)}
	case fantasy.FinishReasonError:
		return &fault{nil, provider + ": the provider ended the answer with an error: try again"}
	}
	return nil
}
