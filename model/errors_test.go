package model_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

func TestAContextOverflowIsKnownInEveryProvidersWords(t *testing.T) {
	for _, c := range []struct {
		kind   string
		status int
		words  string
	}{
		{"anthropic", 400, "prompt is too long: 208310 tokens > 200000 maximum"},
		{"anthropic", 400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again"},
		{"anthropic", 413, "Request exceeds the maximum size"},
		{"openai", 400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."},
		{"openai responses", 400, "Your input exceeds the context window of this model. Please adjust your input and try again."},
		{"google", 400, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."},
		{"openrouter", 400, "This endpoint's maximum context length is 32768 tokens. However, you requested about 50000 tokens"},
		{"openai-compatible", 400, "the request exceeds the available context size. try increasing the context size or enable context shift"},
		{"openai-compatible", 500, "context size has been exceeded"},
		{"openai-compatible", 400, "The number of tokens to keep from the initial prompt is greater than the context length"},
	} {
		s, m := start(t, places[c.kind], []modeltest.Turn{{Status: c.status, Message: c.words}})
		h := ask(t.Context(), m, model.Request{})
		if !errors.Is(h.err, model.ErrContextOverflow) || !strings.Contains(h.err.Error(), c.words) || len(s.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", c.kind, h.err, len(s.Requests()))
		}
	}
}

func TestARefusedKeySaysWhichVariable(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		words  string
	}{
		"401":      {401, "invalid x-api-key"},
		"403":      {403, "forbidden"},
		"google's": {400, "API key not valid. Please pass a valid API key."},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, []modeltest.Turn{{Status: c.status, Message: c.words}}, func(t *testing.T, s *modeltest.Server, m model.Model) {
				h := ask(t.Context(), m, model.Request{})
				if !errors.Is(h.err, model.ErrAuth) || !strings.Contains(h.err.Error(), "API_KEY") || !strings.Contains(h.err.Error(), c.words) || len(s.Requests()) != 1 {
					t.Errorf("%v", h.err)
				}
			})
		})
	}
}

func TestAnErrorIsOneLineInTheProvidersWords(t *testing.T) {
	page := "<html>\n<body>" + strings.Repeat("\n\tBad gateway", 1000) + "</body></html>"
	each(t, []modeltest.Turn{{Status: 502, Body: page, Header: now}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		err := ask(t.Context(), m, model.Request{}).err
		if err == nil || strings.ContainsAny(err.Error(), "\n\t") || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "502") {
			t.Errorf("%v", err)
		}
	})
	each(t, []modeltest.Turn{{Status: 400, Message: "temperature must be less"}}, func(t *testing.T, _ *modeltest.Server, m model.Model) {
		if err := ask(t.Context(), m, model.Request{}).err; err == nil || !strings.HasSuffix(err.Error(), "temperature must be less") || strings.Contains(err.Error(), "{") {
			t.Errorf("%v", err)
		}
	})
}

func TestAModelThatTheProviderDoesNotKnowIsSuggested(t *testing.T) {
	for name, at := range places {
		s := modeltest.NewServer(t, at.protocol, modeltest.Turn{Status: 404, Message: "model not found"})
		r := model.NewRegistry(map[string]model.Settings{"here": {Type: at.kind, BaseURL: s.BaseURL(at.protocol), APIKey: key, Models: []model.Info{{ID: "gpt-5-fine-sonnet"}}}})
		m, err := r.Model("here/gpt-5-fine-sonet")
		if err != nil {
			t.Fatal(err)
		}
		if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrUnknown) || !strings.Contains(h.err.Error(), "did you mean here/gpt-5-fine-sonnet?") {
			t.Errorf("%s: %v", name, h.err)
		}
	}
}

// leaks are all texts that a listener gets to see.
func leaks(t *testing.T, h heard, secrets ...string) {
	t.Helper()
	texts := []string{fmt.Sprintf("%v", h.err), fmt.Sprintf("%+v", h.err), fmt.Sprintf("%#v", h.err)}
	for err := h.err; err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error())
	}
	for _, e := range h.retries {
		texts = append(texts, e.Reason)
	}
	if h.done != nil {
		texts = append(texts, h.done.ErrorMessage)
	}
	for _, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
	}
}

func TestAKeyIsNeverInAnErrorAnEventOrAMessage(t *testing.T) {
	for name, turn := range map[string]modeltest.Turn{
		"a wrong request":            {Status: 400, Echo: true},
		"a refused key":              {Status: 401, Echo: true},
		"a failure":                  {Status: 500, Echo: true, Header: now},
		"a key in the text":          {Status: 400, Message: "key=" + key + "&x x-api-key: " + key + " Bearer " + key},
		"a body of another form":     {Status: 400, Body: "<p>" + key + "</p>"},
		"a key across the cut":       {Status: 400, Message: strings.Repeat("x", 590) + key},
		"a key that is masked":       {Status: 401, Message: "Incorrect API key provided: sk-very-****wxyz."},
		"an error in the mid-stream": {Text: []string{"a"}, Fail: "the key " + key + " is no more"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, []modeltest.Turn{turn}, func(t *testing.T, s *modeltest.Server, m model.Model) {
				h := ask(t.Context(), m, model.Request{})
				if h.err == nil {
					t.Fatal("no error")
				}
				leaks(t, h, key, "sk-very", "wxyz", "hunter2", "team-secret")
				if turn.Echo && !strings.Contains(fmt.Sprint(s.Requests()[0].Header), key) {
					t.Error("the server did not get the key: this test tests nothing")
				}
			}, func(s *model.Settings) { s.Headers = map[string]string{"X-Team-Token": "team-secret"} })
		})
	}
}

func TestAPasswordInTheAddressIsNeverInAnError(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	base := strings.Replace(gone.URL, "://", "://me:hunter2@", 1) + "/v1?token=team-secret"
	for name, at := range places {
		_, m := start(t, at, nil, func(s *model.Settings) { s.BaseURL = base })
		ctx, cancel := context.WithCancel(t.Context())
		h := listen(m.Stream(ctx, model.Request{Messages: []message.Message{message.User("x")}}), func(model.Event) { cancel() })
		if len(h.retries) == 0 {
			t.Errorf("%s: %+v", name, h)
		}
		leaks(t, h, "hunter2", "team-secret")
		for _, base := range []string{"http://me:hunter2@[::1/v1", "ftp://me:hunter2@host/", "hunter2"} {
			_, m := start(t, at, nil, func(s *model.Settings) { s.BaseURL = base })
			h := ask(t.Context(), m, model.Request{})
			if h.err == nil || len(h.retries) > 0 || !strings.Contains(h.err.Error(), "base_url") {
				t.Errorf("%s: %s: %+v", name, base, h)
			}
			leaks(t, h, "hunter2")
		}
	}
}

func TestAKeyDoesNotFollowARedirectToAnotherHost(t *testing.T) {
	for name, at := range places {
		reached := false
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached = true }))
		here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}))
		_, m := start(t, at, nil, func(s *model.Settings) { s.BaseURL = here.URL + "/v1" })
		h := ask(t.Context(), m, model.Request{})
		if h.err == nil || reached || len(h.retries) > 0 || !strings.Contains(h.err.Error(), "another host") {
			t.Errorf("%s: reached: %v, %+v", name, reached, h)
		}
		other.Close()
		here.Close()
	}
}

func TestAnotherProvidersSecretsInTheEnvironmentAreNotSent(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "foreign-1")
	t.Setenv("OPENAI_ORG_ID", "foreign-2")
	t.Setenv("OPENAI_PROJECT_ID", "foreign-3")
	t.Setenv("OPENAI_API_KEY", "foreign-4")
	for _, name := range []string{"anthropic", "openai-compatible"} {
		s, m := start(t, places[name], []modeltest.Turn{{Text: []string{"ok"}}}, func(s *model.Settings) {
			if name == "openai-compatible" {
				s.APIKey = ""
			}
		})
		if h := ask(t.Context(), m, model.Request{}); h.err != nil {
			t.Fatal(h.err)
		}
		header := s.Requests()[0].Header
		if strings.Contains(fmt.Sprint(header), "foreign") || header.Get("Authorization") != "" {
			t.Errorf("%s: %v", name, header)
		}
	}
}
