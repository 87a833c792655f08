package model_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

var now = map[string]string{"Retry-After": "0"}

func TestARateLimitIsRetriedAndSeen(t *testing.T) {
	for _, status := range []int{429, 500, 503, 529} {
		script := []modeltest.Turn{{Status: status, Message: "slow down", Header: now}, {Text: []string{"ok"}}}
		each(t, script, func(t *testing.T, _ *modeltest.Server, m model.Model) {
			h := ask(t.Context(), m, model.Request{})
			if h.err != nil || h.text != "ok" || len(h.retries) != 1 || h.retries[0].Attempt != 1 || h.retries[0].Delay != 0 || !strings.Contains(h.retries[0].Reason, "slow down") {
				t.Fatalf("%+v", h)
			}
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	each(t, []modeltest.Turn{{Status: 429, Message: "slow down", Header: now}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		h := ask(t.Context(), m, model.Request{})
		if !errors.Is(h.err, model.ErrRateLimit) || h.done != nil || len(h.retries) != 4 || len(s.Requests()) != 5 {
			t.Fatalf("%d requests, %+v", len(s.Requests()), h)
		}
	})
}

func TestWhatCannotPassIsNotRetried(t *testing.T) {
	for name, turn := range map[string]modeltest.Turn{
		"a wrong request": {Status: 400, Message: "no such thing"},
		"no money left":   {Status: 429, Message: "You exceeded your current quota, please check your plan and billing details."},
		"a wait too long": {Status: 429, Message: "slow down", Header: map[string]string{"Retry-After": "3600"}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, []modeltest.Turn{turn}, func(t *testing.T, s *modeltest.Server, m model.Model) {
				h := ask(t.Context(), m, model.Request{})
				if h.err == nil || len(h.retries) > 0 || len(s.Requests()) != 1 || !strings.Contains(h.err.Error(), turn.Message) {
					t.Fatalf("%+v", h)
				}
				if turn.Header != nil && !strings.Contains(h.err.Error(), "1h0m0s") {
					t.Errorf("the error does not say when to come back: %v", h.err)
				}
			})
		})
	}
}

func TestABrokenConnectionIsRetriedBeforeTheAnswerBegins(t *testing.T) {
	each(t, []modeltest.Turn{{Cut: true}, {Text: []string{"ok"}}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		if h := ask(t.Context(), m, model.Request{}); h.err != nil || h.text != "ok" || len(h.retries) != 1 {
			t.Fatalf("%+v", h)
		}
	})
}

func TestAServerThatIsNotThereIsRetried(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	each(t, nil, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		h := listen(m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}), func(model.Event) { cancel() })
		if len(h.retries) != 1 || h.retries[0].Delay < time.Second || !errors.Is(h.err, context.Canceled) {
			t.Fatalf("%+v", h)
		}
	}, func(s *model.Settings) { s.BaseURL = gone.URL + "/v1" })
}

func TestTheWaitForARetryCanBeCancelled(t *testing.T) {
	each(t, []modeltest.Turn{{Status: 503, Message: "busy", Header: map[string]string{"Retry-After": "50"}}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		h := listen(m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}), func(model.Event) { cancel() })
		if !errors.Is(h.err, context.Canceled) || len(h.retries) != 1 || h.retries[0].Delay != 50*time.Second || len(s.Requests()) != 1 {
			t.Errorf("%+v", h)
		}
	})
}

func TestGooglesOwnFormOfRetryAfterIsHonoured(t *testing.T) {
	body := `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}`
	_, m := start(t, places["google"], []modeltest.Turn{{Status: 429, Body: body}})
	ctx, cancel := context.WithCancel(t.Context())
	h := listen(m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}), func(model.Event) { cancel() })
	if len(h.retries) != 1 || h.retries[0].Delay != 37*time.Second {
		t.Fatalf("%+v", h)
	}
}
