package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"

	"github.com/ramo-dev/ramo/message"
)

const (
	defaultStall = 2 * time.Minute // without a byte, before an answer counts as stalled
	maxRetries   = 4
	firstDelay   = time.Second
	longestDelay = time.Minute
)

// chat is a model of a provider.
type chat struct {
	provider *provider
	info     Info
}

func (c *chat) Info() Info { return c.info }

// Stream implements Model. What fails before the answer begins, and may pass, is tried again.
func (c *chat) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lm, err := c.provider.language(ctx, c.info.ID)
		if err != nil {
			yield(Event{}, err)
			return
		}
		call := c.call(r)
		for attempt := 1; ; attempt++ {
			a := c.newAnswer()
			more, err := c.once(ctx, lm, call, a, yield)
			if !more {
				return
			}
			if err == nil {
				yield(Event{Type: Done, Message: a.message("", "")}, nil)
				return
			}
			if ctx.Err() != nil {
				if a.begun && !yield(Event{Type: Done, Message: a.message(message.StopAborted, "")}, nil) {
					return
				}
				yield(Event{}, ctx.Err())
				return
			}
			told := c.provider.explain(err)
			again, pe := passing(err)
			if a.begun || !again || attempt > maxRetries {
				if a.begun && !yield(Event{Type: Done, Message: a.message(message.StopError, told.Error())}, nil) {
					return
				}
				yield(Event{}, told)
				return
			}
			wait := delay(attempt, pe)
			if !yield(Event{Type: Retry, Attempt: attempt, Delay: wait, Reason: told.Error()}, nil) {
				return
			}
			select {
			case <-ctx.Done():
				yield(Event{}, ctx.Err())
				return
			case <-time.After(wait):
			}
		}
	}
}

func (c *chat) call(r Request) fantasy.Call {
	call := fantasy.Call{Prompt: c.provider.prompt(r), Tools: tools(r.Tools), ProviderOptions: c.provider.thinking(c.info, r.Thinking), UserAgent: userAgent}
	switch {
	case r.MaxOutput > 0:
		call.MaxOutputTokens = &r.MaxOutput
	case c.info.MaxOutput > 0:
		call.MaxOutputTokens = &c.info.MaxOutput
	}
	if b := budgets[r.Thinking]; call.MaxOutputTokens != nil && c.info.Reasoning && *call.MaxOutputTokens <= b {
		most := b + *call.MaxOutputTokens // what is thought counts as output
		call.MaxOutputTokens = &most
	}
	return call
}

// delay is how long to wait before a retry: as long as the provider says, else twice as long each
// time, give or take a little so that many clients do not come back at once.
func delay(attempt int, pe *fantasy.ProviderError) time.Duration {
	if pe != nil {
		for name, value := range pe.ResponseHeaders {
			if s, err := strconv.ParseFloat(value, 64); err == nil && strings.EqualFold(name, "retry-after") && s >= 0 {
				return min(time.Duration(s*float64(time.Second)), longestDelay)
			}
			if ms, err := strconv.ParseFloat(value, 64); err == nil && strings.EqualFold(name, "retry-after-ms") && ms >= 0 {
				return min(time.Duration(ms*float64(time.Millisecond)), longestDelay)
			}
		}
	}
	d := firstDelay << (attempt - 1)
	return min(d+time.Duration(rand.Int64N(int64(d)/4+1)), longestDelay)
}

// once asks one time. more is false when the caller of the stream wants no more.
func (c *chat) once(ctx context.Context, lm fantasy.LanguageModel, call fantasy.Call, a *answer, yield func(Event, error) bool) (more bool, err error) {
	stall := c.provider.settings.StallTime
	if stall <= 0 {
		stall = defaultStall
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stall, func() {
		cancel(fmt.Errorf("%s: %w for %v", c.provider.name, ErrStalled, stall))
	})
	defer watch.Stop()
	stalled := func(err error) error {
		if cause := context.Cause(ctx); errors.Is(cause, ErrStalled) {
			return cause
		}
		return err
	}
	parts, err := lm.Stream(ctx, call)
	if err != nil {
		return true, stalled(err)
	}
	for part := range parts {
		watch.Reset(stall)
		if part.Type == fantasy.StreamPartTypeError {
			return true, stalled(part.Error)
		}
		for _, e := range a.take(part) {
			if !yield(e, nil) {
				return false, nil
			}
		}
	}
	if err := ctx.Err(); err != nil && !a.finished {
		return true, stalled(err)
	}
	if !a.finished {
		return true, fantasy.NewIncompleteStreamError()
	}
	return true, nil
}

// answer gathers the parts of an answer.
type answer struct {
	chat     *chat
	begun    bool
	finished bool
	started  time.Time
	order    []string // the blocks' keys, in the order in which they began
	blocks   map[string]*block
	finish   fantasy.FinishReason
	usage    fantasy.Usage
}

type block struct {
	message.Block
	text strings.Builder
}

func (c *chat) newAnswer() *answer {
	return &answer{chat: c, started: time.Now(), blocks: map[string]*block{}}
}

func (a *answer) block(key, typ string) *block {
	b := a.blocks[key]
	if b == nil {
		b = &block{Block: message.Block{Type: typ}}
		a.blocks[key] = b
		a.order = append(a.order, key)
	}
	return b
}

func (a *answer) take(p fantasy.StreamPart) []Event {
	switch p.Type {
	case fantasy.StreamPartTypeTextStart, fantasy.StreamPartTypeTextDelta:
		if p.Delta == "" {
			return nil
		}
		a.begun = true
		a.block("text "+p.ID, message.BlockText).text.WriteString(p.Delta)
		return []Event{{Type: Text, Delta: p.Delta}}
	case fantasy.StreamPartTypeReasoningStart, fantasy.StreamPartTypeReasoningDelta, fantasy.StreamPartTypeReasoningEnd:
		b := a.block("thinking "+p.ID, message.BlockThinking)
		if s := signature(p.ProviderMetadata); s != "" {
			b.ThinkingSignature = s
		}
		if p.Delta == "" || p.Type == fantasy.StreamPartTypeReasoningEnd {
			return nil
		}
		a.begun = true
		b.text.WriteString(p.Delta)
		return []Event{{Type: Thinking, Delta: p.Delta}}
	case fantasy.StreamPartTypeToolCall:
		a.begun = true
		b := a.block("call "+p.ID, message.BlockToolCall)
		b.ID, b.Name, b.Arguments = p.ID, p.ToolCallName, arguments(p.ToolCallInput)
		return []Event{{Type: ToolCall, Call: b.Block}}
	case fantasy.StreamPartTypeFinish:
		a.finished = true
		a.finish, a.usage = p.FinishReason, p.Usage
	}
	return nil
}

func signature(m fantasy.ProviderMetadata) string {
	for _, data := range m {
		switch d := data.(type) {
		case *anthropic.ReasoningOptionMetadata:
			return d.Signature
		case *google.ReasoningMetadata:
			return d.Signature
		}
	}
	return ""
}

// arguments keeps what is no JSON as a string, so that the tool can say what is wrong with it.
func arguments(input string) json.RawMessage {
	switch {
	case strings.TrimSpace(input) == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(input)):
		return json.RawMessage(input)
	}
	quoted, _ := json.Marshal(map[string]string{"invalid": input})
	return quoted
}

// message is the answer as it goes into the log. stop is why it was cut off, "" when it was not.
func (a *answer) message(stop, errorMessage string) message.Message {
	u := message.Usage{
		Input: a.usage.InputTokens, Output: a.usage.OutputTokens, CacheRead: a.usage.CacheReadTokens, CacheWrite: a.usage.CacheCreationTokens,
	}
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	u.Cost = a.chat.info.Price.Cost(u)
	m := message.Message{
		Role: message.RoleAssistant, API: a.chat.provider.api(), Provider: a.chat.info.Provider, Model: a.chat.info.ID,
		Usage: &u, StopReason: stop, ErrorMessage: errorMessage, Timestamp: time.Now().UnixMilli(),
	}
	calls := false
	for _, key := range a.order {
		b := a.blocks[key]
		switch b.Type {
		case message.BlockText:
			b.Text = b.text.String()
		case message.BlockThinking:
			if b.Thinking = b.text.String(); b.Thinking == "" && b.ThinkingSignature == "" {
				continue
			}
		case message.BlockToolCall:
			calls = true
		}
		m.Content = append(m.Content, b.Block)
	}
	if m.StopReason == "" {
		switch {
		case calls:
			m.StopReason = message.StopToolUse
		case a.finish == fantasy.FinishReasonLength:
			m.StopReason = message.StopLength
		default:
			m.StopReason = message.StopEnd
		}
	}
	return m
}

// api is the protocol's name, as pi and omp write it.
func (p *provider) api() string {
	switch p.kind {
	case "anthropic":
		return "anthropic-messages"
	case "google":
		return "google-generative-ai"
	}
	return "openai-completions"
}
