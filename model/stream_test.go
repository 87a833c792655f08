package model_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

const key = "sk-very-secret-012345wxyz"

// place is a provider of a kind, and what its server speaks.
type place struct {
	kind     string
	protocol modeltest.Protocol
	id       string // of a model there
}

var places = map[string]place{
	"anthropic":         {"anthropic", modeltest.Anthropic, "m"},
	"openai":            {"openai", modeltest.OpenAI, "m"},
	"openai responses":  {"openai", modeltest.Responses, "gpt-5-m"},
	"google":            {"google", modeltest.Google, "m"},
	"openrouter":        {"openrouter", modeltest.OpenAI, "maker/m"},
	"openai-compatible": {"openai-compatible", modeltest.OpenAI, "m"},
}

// start starts a server at a place, and returns it with a model there, changed by the changes.
func start(t *testing.T, at place, script []modeltest.Turn, changes ...func(*model.Settings)) (*modeltest.Server, model.Model) {
	t.Helper()
	s := modeltest.NewServer(t, at.protocol, script...)
	settings := model.Settings{
		Type: at.kind, BaseURL: s.BaseURL(at.protocol), APIKey: key,
		Models: []model.Info{{ID: at.id, Reasoning: true, Images: true, ContextWindow: 100_000, MaxOutput: 5000, Price: model.Price{Input: 1, Output: 2, CacheRead: 0.1}}},
	}
	for _, change := range changes {
		change(&settings)
	}
	m, err := model.NewRegistry(map[string]model.Settings{"here": settings}).Model("here/" + at.id)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// each runs a test at every place, and makes sure that it leaves no goroutine behind.
func each(t *testing.T, script []modeltest.Turn, f func(t *testing.T, s *modeltest.Server, m model.Model), changes ...func(*model.Settings)) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Run("at", func(t *testing.T) {
		for name, at := range places {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, m := start(t, at, script, changes...)
				f(t, s, m)
			})
		}
	})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// stallAfter sets when an answer counts as stalled.
func stallAfter(d time.Duration) func(*model.Settings) {
	return func(s *model.Settings) { s.StallTime = d }
}

type heard struct {
	text, thinking string
	started        []string
	calls          []message.Block
	retries        []model.Event
	done           *message.Message
	err            error
}

func ask(ctx context.Context, m model.Model, r model.Request) heard {
	if r.Messages == nil {
		r.Messages = []message.Message{message.User("hello")}
	}
	return listen(m.Stream(ctx, r), func(model.Event) {})
}

func listen(events iter.Seq2[model.Event, error], on func(model.Event)) (h heard) {
	for e, err := range events {
		if err != nil {
			h.err = err
			continue
		}
		switch e.Type {
		case model.Text:
			h.text += e.Delta
		case model.Thinking:
			h.thinking += e.Delta
		case model.ToolCallStart:
			h.started = append(h.started, e.Call.Name)
		case model.ToolCall:
			h.calls = append(h.calls, e.Call)
		case model.Retry:
			h.retries = append(h.retries, e)
		case model.Done:
			h.done = &e.Message
		}
		on(e)
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
		if d.Text() != "Good morning" || d.StopReason != message.StopEnd || d.Provider != "here" || d.Model != m.Info().ID || d.Role != message.RoleAssistant || d.API == "" || d.Timestamp == 0 {
			t.Errorf("%+v", d)
		}
		if d.Usage.Input != 1000 || d.Usage.Output != 50 || d.Usage.TotalTokens != 1050 || math.Abs(d.Usage.Cost.Total-0.0011) > 1e-12 {
			t.Errorf("usage %+v", d.Usage)
		}
		if !strings.Contains(s.Requests()[0].Raw, "be kind") || !strings.Contains(s.Requests()[0].Raw, "hello") {
			t.Errorf("sent: %s", s.Requests()[0].Raw)
		}
	})
}

func TestCachedTokensAreCountedOnceAndPricedAsCached(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"a", "b", "c"}, Input: 1000, CacheRead: 600, Output: 50}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		u := ask(t.Context(), m, model.Request{}).done.Usage
		if u.Input != 400 || u.CacheRead != 600 || u.Output != 50 || u.TotalTokens != 1050 {
			t.Errorf("%+v", u)
		}
		// 400 at $1, 600 at $0.1, 50 at $2 for a million
		if math.Abs(u.Cost.Total-0.00056) > 1e-12 {
			t.Errorf("cost %+v", u.Cost)
		}
	})
}

func TestAnAnswerThatIsCutOffByTheLimitSaysSo(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"long"}, Length: true}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		if h := ask(t.Context(), m, model.Request{}); h.err != nil || h.done.StopReason != message.StopLength {
			t.Errorf("%+v", h)
		}
	})
}

func TestARefusedAnswerIsAnError(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"I "}, Refuse: true}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrRefused) || h.done.StopReason != message.StopError || h.done.Text() != "I " {
			t.Errorf("%+v", h)
		}
	})
}

func TestToolCallsAndThinking(t *testing.T) {
	script := []modeltest.Turn{{Thinking: []string{"let me ", "see"}, Text: []string{"so"}, Calls: []modeltest.Call{
		{ID: "call_1", Name: "read", Arguments: `{"path":"a.go"}`}, {ID: "call_2", Name: "ls", Arguments: `{}`},
	}}}
	each(t, script, func(t *testing.T, s *modeltest.Server, m model.Model) {
		h := ask(t.Context(), m, model.Request{Thinking: "low", Tools: []model.Tool{{Name: "read", Description: "reads", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}, {Name: "ls"}}})
		if h.err != nil || len(h.calls) != 2 || h.calls[0].Name != "read" || string(h.calls[0].Arguments) != `{"path":"a.go"}` || h.calls[1].ID != "call_2" {
			t.Fatalf("%+v", h)
		}
		if !slices.Equal(h.started, []string{"read", "ls"}) {
			t.Errorf("started: %v", h.started)
		}
		if h.done.StopReason != message.StopToolUse || len(h.done.ToolCalls()) != 2 {
			t.Errorf("%+v", h.done)
		}
		var types []string
		for _, b := range h.done.Content {
			types = append(types, b.Type)
		}
		want, thinking := []string{"thinking", "text", "toolCall", "toolCall"}, "let me see"
		if h.done.API == "openai-completions" && m.Info().Provider == "here" && h.thinking == "" {
			want, thinking = want[1:], "" // OpenAI's older protocol does not show it
		}
		if !slices.Equal(types, want) || h.thinking != thinking {
			t.Errorf("%v, thinking %q", types, h.thinking)
		}
		if raw := s.Requests()[0].Raw; !strings.Contains(raw, `"reads"`) || !strings.Contains(raw, `"required":["path"]`) {
			t.Errorf("the tool was not sent whole: %s", raw)
		}
	})
}

func TestArgumentsThatAreNoObjectReachTheToolInOne(t *testing.T) {
	for sent, want := range map[string]string{`{"path": "a`: `{"invalid":"{\"path\": \"a"}`, `[1]`: `{"invalid":"[1]"}`, `null`: `{}`, ``: `{}`} {
		_, m := start(t, places["openai-compatible"], []modeltest.Turn{{Calls: []modeltest.Call{{ID: "c", Name: "read", Arguments: sent}}}})
		if h := ask(t.Context(), m, model.Request{}); h.err != nil || len(h.calls) != 1 || string(h.calls[0].Arguments) != want {
			t.Errorf("%s: %+v", sent, h)
		}
	}
}

func TestOneWhoStopsListeningEndsTheRequest(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"a", "b"}, Hold: make(chan struct{})}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		for e := range m.Stream(t.Context(), model.Request{Messages: []message.Message{message.User("x")}}) {
			if e.Type == model.Text {
				break
			}
		}
	})
}

func TestWhatHadArrivedIsKeptWhenTheStreamBreaks(t *testing.T) {
	for name, turn := range map[string]modeltest.Turn{
		"cut":   {Text: []string{"half an "}, Cut: true},
		"error": {Text: []string{"half an "}, Fail: "internal trouble"},
		"stall": {Text: []string{"half an "}, Hold: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, []modeltest.Turn{turn}, func(t *testing.T, s *modeltest.Server, m model.Model) {
				h := ask(t.Context(), m, model.Request{})
				if h.err == nil || h.done == nil || h.done.Text() != "half an " || h.done.StopReason != message.StopError || h.done.ErrorMessage != h.err.Error() {
					t.Fatalf("%+v", h)
				}
				if errors.Is(h.err, model.ErrStalled) != (name == "stall") {
					t.Errorf("%v", h.err)
				}
				if name == "error" && !strings.Contains(h.err.Error(), "internal trouble") {
					t.Errorf("the provider's words are lost: %v", h.err)
				}
				if n := len(s.Requests()); n != 1 {
					t.Errorf("asked %d times, though the answer had begun", n)
				}
			}, stallAfter(500*time.Millisecond))
		})
	}
}

func TestCancellingKeepsWhatHadArrivedAsAborted(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"half"}, Hold: make(chan struct{})}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := listen(m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}), func(e model.Event) {
			if e.Type == model.Text {
				cancel()
			}
		})
		if !errors.Is(h.err, context.Canceled) || h.done == nil || h.done.StopReason != message.StopAborted || h.done.Text() != "half" || h.done.ErrorMessage == "" {
			t.Fatalf("%+v", h)
		}
		if h.done.API == "anthropic-messages" && h.done.Usage.Input != 100 {
			t.Errorf("the prompt was read and costs: %+v", h.done.Usage)
		}
	})
}

func TestCancellingBeforeAnythingCameIsOnlyAnError(t *testing.T) {
	each(t, []modeltest.Turn{{Wait: make(chan struct{})}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for len(s.Requests()) == 0 {
				runtime.Gosched()
			}
			cancel()
		}()
		if h := ask(ctx, m, model.Request{}); !errors.Is(h.err, context.Canceled) || h.done != nil || len(h.retries) > 0 {
			t.Fatalf("%+v", h)
		}
	})
}

func TestASilentProviderIsNotWaitedForForEver(t *testing.T) {
	each(t, []modeltest.Turn{{Wait: make(chan struct{})}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrStalled) || h.done != nil || len(h.retries) > 0 {
			t.Fatalf("%+v", h)
		}
	}, stallAfter(300*time.Millisecond))
}

func TestSignsOfLifeAreNoStall(t *testing.T) {
	_, m := start(t, places["anthropic"], []modeltest.Turn{{Text: []string{"at last"}, Pings: 15}}, stallAfter(time.Second))
	if h := ask(t.Context(), m, model.Request{}); h.err != nil || h.text != "at last" {
		t.Fatalf("%+v", h)
	}
}

func TestASlowListenerIsNoStall(t *testing.T) {
	each(t, []modeltest.Turn{{Text: []string{"a", "b"}}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		h := listen(m.Stream(t.Context(), model.Request{Messages: []message.Message{message.User("x")}}), func(e model.Event) {
			if e.Delta == "a" {
				time.Sleep(500 * time.Millisecond)
			}
		})
		if h.err != nil || h.text != "ab" {
			t.Fatalf("%+v", h)
		}
	}, stallAfter(300*time.Millisecond))
}
