package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"charm.land/fantasy"
)

// What a request can fail with, for errors.Is.
var (
	// ErrContextOverflow: the messages are more than the model takes. Compact, and ask again.
	ErrContextOverflow = errors.New("the conversation is longer than the model's context window")
	// ErrAuth: there is no key, or the provider refuses it.
	ErrAuth = errors.New("the provider refuses the key")
	// ErrRateLimit: too many requests, after all retries.
	ErrRateLimit = errors.New("the provider's rate limit is reached")
	// ErrStalled: the answer stopped coming.
	ErrStalled = errors.New("the provider stopped sending")
	// ErrUnknown: no such model.
	ErrUnknown = errors.New("no such model")
	// ErrRefused: the provider ended the answer for what it is about.
	ErrRefused = errors.New("the provider refuses to answer this")
	// ErrNotForChat: ramo/extract only summarises.
	ErrNotForChat = errors.New("ramo/extract only summarises and cannot chat")
)

// fault is an error of a provider as Ramo tells it. It does not wrap what fantasy reported, which
// holds whole requests with their keys.
type fault struct {
	kind error // one of the above, or nil
	text string
}

func (f *fault) Error() string { return f.text }

func (f *fault) Unwrap() error { return f.kind }

// explain turns what fantasy reports into an error of one line without secrets, which says what to
// do. wait is how long the provider wants to be left alone, negative if it does not say.
func (c *chat) explain(err error, wait time.Duration) error {
	p := c.provider
	if errors.Is(err, ErrStalled) {
		return err
	}
	words, status := oneLine(p.redact(said(err))), 0
	var pe *fantasy.ProviderError
	if errors.As(err, &pe) {
		status = pe.StatusCode
	}
	tell := func(kind error, todo string) error {
		text := p.name + ": "
		if kind != nil {
			text += kind.Error()
		}
		if status > 0 {
			text += fmt.Sprintf(" (HTTP %d)", status)
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text, " "), ":") + ": " + words
		if todo != "" {
			text += ": " + todo
		}
		return &fault{kind, text}
	}
	low := strings.ToLower(words)
	switch {
	case pe == nil:
		return tell(nil, "")
	case pe.IsContextTooLarge(), status == http.StatusRequestEntityTooLarge, saysOverflow(low):
		return tell(ErrContextOverflow, "")
	case pe.AuthError, status == http.StatusUnauthorized, status == http.StatusForbidden, strings.Contains(low, "api key not valid"):
		return tell(ErrAuth, "set "+p.keyEnv()+", or api_key for the provider in the settings")
	case status == http.StatusTooManyRequests && wait > longestDelay:
		return tell(ErrRateLimit, fmt.Sprintf("try again in %v", wait.Round(time.Second)))
	case status == http.StatusTooManyRequests:
		return tell(ErrRateLimit, "")
	case status == http.StatusNotFound && !c.listed:
		todo := "'ramo models' lists those that are known"
		if c.near != "" {
			todo = "did you mean " + c.near + "?"
		}
		return tell(ErrUnknown, todo)
	}
	return tell(nil, "")
}

// saysOverflow knows the words, in lower case, in which providers that give no code for it say that
// a prompt is too long.
func saysOverflow(words string) bool {
	for _, s := range []string{
		"prompt is too long", "input is too long", "context_length_exceeded", "maximum context length", "exceeds the context window", "exceed context limit",
		"exceeds the maximum number of tokens", "input token count", "too many tokens", "exceed_context_size", "exceeds the available context size",
		"greater than the context length", "maximum prompt length", "longer than the model's context", "reduce the length of the messages", "range of input length should be",
		"context size has been exceeded", "request_too_large", "exceeded max context length", "exceeds model context window",
	} {
		if strings.Contains(words, s) {
			return true
		}
	}
	return false
}

// said is the provider's own words, taken out of the JSON and the request line around them.
func said(err error) string {
	text := err.Error()
	var pe *fantasy.ProviderError
	if errors.As(err, &pe) {
		text = pe.Message
	}
	i := strings.IndexByte(text, '{')
	if i < 0 {
		return text
	}
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.NewDecoder(strings.NewReader(text[i:])).Decode(&body) != nil {
		return text
	}
	var inner struct {
		Message string `json:"message"`
	}
	var plain string
	if json.Unmarshal(body.Error, &inner) != nil {
		_ = json.Unmarshal(body.Error, &plain)
	}
	for _, words := range []string{inner.Message, plain, body.Message, body.Detail} {
		if words != "" {
			return words
		}
	}
	return text
}

const longestError = 600 // characters; some servers answer with a page

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > longestError {
		text = string(r[:longestError]) + "…"
	}
	return text
}

// masked is a key of which the provider itself shows only parts.
var masked = regexp.MustCompile(`[^\s"'=:]*\*{3,}[^\s"',.]*`)

// redact takes the provider's keys out of a text, also as they stand in an URL, JSON or a header.
func (p *provider) redact(text string) string {
	for _, secret := range p.secrets() {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return masked.ReplaceAllString(text, "[key]")
}
