package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

const key = "sk-very-secret-0123456789"

// each runs a test against a server of each protocol.
func each(t *testing.T, script []modeltest.Turn, f func(t *testing.T, s *modeltest.Server, m model.Model)) {
	for name, c := range map[string]struct {
		protocol modeltest.Protocol
		kind     string
	}{
		"anthropic":         {modeltest.Anthropic, "anthropic"},
		"openai":            {modeltest.OpenAI, "openai"},
		"google":            {modeltest.Google, "google"},
		"openrouter":        {modeltest.OpenAI, "openrouter"},
		"openai-compatible": {modeltest.OpenAI, "openai-compatible"},
	} {
		t.Run(name, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			s := modeltest.NewServer(t, c.protocol, script...)
			r := model.NewRegistry(map[string]model.Settings{"here": {
				Type: c.kind, BaseURL: s.BaseURL(c.protocol), APIKey: key, StallTime: 500 * time.Millisecond,
				Models: []model.Info{{ID: "m", Reasoning: true, ContextWindow: 1000, MaxOutput: 500, Price: model.Price{Input: 1, Output: 2}}},
			}})
			m, err := r.Model("here/m")
			if err != nil {
				t.Fatal(err)
			}
			f(t, s, m)
			s.CloseClientConnections()
			s.Close()
			goleak.VerifyNone(t, ignore, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
		})
	}
}

type heard struct {
	text, thinking string
	calls          []message.Block
	retries        []model.Event
	done           *message.Message
	err            error
}

func ask(ctx context.Context, m model.Model, r model.Request) heard {
	var h heard
	if r.Messages == nil {
		r.Messages = []message.Message{message.User("hello")}
	}
	for e, err := range m.Stream(ctx, r) {
		if err != nil {
			h.err = err
			continue
		}
		switch e.Type {
		case model.Text:
			h.text += e.Delta
		case model.Thinking:
			h.thinking += e.Delta
		case model.ToolCall:
			h.calls = append(h.calls, e.Call)
		case model.Retry:
			h.retries = append(h.retries, e)
		case model.Done:
			h.done = &e.Message
		}
	}
	return h
}

func TestAnAnswerStreamsAndIsWhole(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"Good ", "morning"}, Input: 1000, Output: 50}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		h := ask(t.Context(), m, model.Request{System: "be kind"})
		if h.err != nil || h.text != "Good morning" || h.done == nil {
			t.Fatalf("%+v", h)
		}
		d := h.done
		if d.Text() != "Good morning" || d.StopReason != message.StopEnd || d.Provider != "here" || d.Model != "m" || d.Role != message.RoleAssistant {
			t.Errorf("%+v", d)
		}
		if d.Usage.Input != 1000 || d.Usage.Output != 50 || d.Usage.Cost.Total != 0.0011 {
			t.Errorf("usage %+v", d.Usage)
		}
		if !strings.Contains(s.Requests()[0].Raw, "be kind") || !strings.Contains(s.Requests()[0].Raw, "hello") {
			t.Errorf("sent: %s", s.Requests()[0].Raw)
		}
	})
}

func TestToolCallsAndThinking(t *testing.T) {
	each(t, []modeltest.Turn{{Thinking: []string{"let me ", "see"}, Calls: []modeltest.Call{{ID: "call_1", Name: "read", Arguments: `{"path":"a.go"}`}}}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		h := ask(t.Context(), m, model.Request{Thinking: "low", Tools: []model.Tool{{Name: "read", Description: "reads", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}})
		if h.err != nil || len(h.calls) != 1 || h.calls[0].Name != "read" || string(h.calls[0].Arguments) != `{"path":"a.go"}` {
			t.Fatalf("%+v", h)
		}
		if h.done.StopReason != message.StopToolUse || len(h.done.ToolCalls()) != 1 {
			t.Errorf("%+v", h.done)
		}
		if p := m.Info().Provider; p == "here" && h.thinking != "" && h.thinking != "let me see" {
			t.Errorf("thinking %q", h.thinking)
		}
		if !strings.Contains(s.Requests()[0].Raw, `"reads"`) {
			t.Errorf("the tool was not sent: %s", s.Requests()[0].Raw)
		}
	})
}

func TestSignedThinkingGoesBackToItsProvider(t *testing.T) {
	s := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Turn{Thinking: []string{"hm"}, Text: []string{"yes"}})
	r := model.NewRegistry(map[string]model.Settings{"here": {Type: "anthropic", BaseURL: s.URL, APIKey: key, Models: []model.Info{{ID: "m", Reasoning: true}}}})
	m, _ := r.Model("here/m")
	first := ask(t.Context(), m, model.Request{Thinking: "low"})
	if first.err != nil || first.done.Content[0].ThinkingSignature != "sig-1" {
		t.Fatalf("%+v", first)
	}
	ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("hello"), *first.done, message.User("and?")}})
	if raw := s.Requests()[1].Raw; !strings.Contains(raw, `"sig-1"`) || !strings.Contains(raw, `"hm"`) {
		t.Errorf("the thinking did not go back: %s", raw)
	}
	other := *first.done
	other.Provider = "elsewhere"
	ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("hello"), other, message.User("and?")}})
	if raw := s.Requests()[2].Raw; strings.Contains(raw, `"sig-1"`) {
		t.Errorf("another provider's thinking was sent: %s", raw)
	}
}

func TestARateLimitIsRetriedAndSeen(t *testing.T) {
	script := []modeltest.Turn{{Status: 429, Message: "slow down", Header: map[string]string{"Retry-After": "0"}}, {Text: []string{"ok"}}}
	each(t, script, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		h := ask(t.Context(), m, model.Request{})
		if h.err != nil || h.text != "ok" || len(h.retries) != 1 || h.retries[0].Attempt != 1 || !strings.Contains(h.retries[0].Reason, "slow down") {
			t.Fatalf("%+v", h)
		}
	})
}

func TestTheWaitForARetryCanBeCancelled(t *testing.T) {
	script := []modeltest.Turn{{Status: 503, Message: "busy", Header: map[string]string{"Retry-After": "50"}}}
	each(t, script, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		for e, err := range m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}) {
			if err == nil && e.Type == model.Retry {
				cancel()
				continue
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v %v", e, err)
			}
		}
		cancel()
	})
}

func TestWhatHadArrivedIsKeptWhenTheStreamBreaks(t *testing.T) {
	for name, turn := range map[string]modeltest.Turn{
		"cut":   {Text: []string{"half an "}, Cut: true},
		"error": {Text: []string{"half an "}, Fail: "internal trouble"},
		"stall": {Text: []string{"half an "}, Hold: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, []modeltest.Turn{turn}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
				h := ask(t.Context(), m, model.Request{})
				if h.err == nil || h.done == nil || h.done.Text() != "half an " || h.done.StopReason != message.StopError || h.done.ErrorMessage == "" {
					t.Fatalf("%+v", h)
				}
				if name == "stall" && !errors.Is(h.err, model.ErrStalled) {
					t.Errorf("%v", h.err)
				}
			})
		})
	}
}

func TestCancellingKeepsWhatHadArrivedAsAborted(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"half"}, Hold: make(chan struct{})}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var done *message.Message
		var last error
		for e, err := range m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}) {
			switch {
			case err != nil:
				last = err
			case e.Type == model.Text:
				cancel()
			case e.Type == model.Done:
				done = &e.Message
			}
		}
		if !errors.Is(last, context.Canceled) || done == nil || done.StopReason != message.StopAborted || done.Text() != "half" {
			t.Fatalf("%v %+v", last, done)
		}
	})
}

func TestAContextOverflowIsKnown(t *testing.T) {
	each(t, []modeltest.Turn{{Status: 400, Message: "prompt is too long: 250000 tokens > 200000 maximum context length"}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrContextOverflow) || len(s.Requests()) != 1 {
			t.Fatalf("%v after %d requests", h.err, len(s.Requests()))
		}
	})
}

func TestAKeyIsNeverInAnError(t *testing.T) {
	for _, status := range []int{400, 401, 500} {
		each(t, []modeltest.Turn{{Status: status, Message: "wrong key " + key + " in x-api-key: " + key, Header: map[string]string{"Retry-After": "0"}}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
			h := ask(t.Context(), m, model.Request{})
			if h.err == nil {
				t.Fatal("no error")
			}
			for err := h.err; err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), key) {
					t.Errorf("the key is in the error: %v", err)
				}
			}
			for _, e := range h.retries {
				if strings.Contains(e.Reason, key) {
					t.Errorf("the key is in an event: %v", e)
				}
			}
			if status == 401 && (!errors.Is(h.err, model.ErrAuth) || !strings.Contains(h.err.Error(), "API_KEY")) {
				t.Errorf("the error does not say what to do: %v", h.err)
			}
		})
	}
}
