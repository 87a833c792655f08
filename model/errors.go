package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

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
	// ErrNotForChat: ramo/extract only summarises.
	ErrNotForChat = errors.New("ramo/extract only summarises and cannot chat")
)

// fault is an error of a provider as Ramo tells it: what it is about, and the provider's words.
type fault struct {
	kind error // one of the above, or nil
	text string
	err  error
}

func (f *fault) Error() string { return f.text }

func (f *fault) Unwrap() []error {
	if f.kind == nil {
		return []error{f.err}
	}
	return []error{f.kind, f.err}
}

// explain turns what fantasy reports into an error without secrets that says what to do.
func (p *provider) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrStalled) {
		return err
	}
	words := p.redact(err.Error())
	var pe *fantasy.ProviderError
	if !errors.As(err, &pe) {
		return &fault{nil, p.name + ": " + words, errors.New(words)}
	}
	f := &fault{err: errors.New(words)}
	status := ""
	if pe.StatusCode > 0 {
		status = fmt.Sprintf(" (HTTP %d)", pe.StatusCode)
	}
	switch {
	case pe.IsContextTooLarge() || saysOverflow(words):
		f.kind = ErrContextOverflow
	case pe.AuthError || pe.StatusCode == http.StatusUnauthorized || pe.StatusCode == http.StatusForbidden:
		f.kind = ErrAuth
		f.text = fmt.Sprintf("%s: %v%s: %s: set %s, or api_key for the provider in the settings", p.name, ErrAuth, status, words, p.keyEnv())
		return f
	case pe.StatusCode == http.StatusTooManyRequests:
		f.kind = ErrRateLimit
	}
	if f.kind != nil {
		f.text = fmt.Sprintf("%s: %v%s: %s", p.name, f.kind, status, words)
	} else {
		f.text = fmt.Sprintf("%s%s: %s", p.name, status, words)
	}
	return f
}

// saysOverflow knows the words in which providers that give no code for it say that a prompt is
// too long.
func saysOverflow(words string) bool {
	w := strings.ToLower(words)
	for _, s := range []string{
		"prompt is too long", "context_length_exceeded", "maximum context length", "context window", "exceeds the maximum number of tokens",
		"input token count", "too many tokens", "exceed_context_size", "available context size",
	} {
		if strings.Contains(w, s) {
			return true
		}
	}
	return false
}

// passing tells whether asking again may help, and how long the provider wants to be left alone.
func passing(err error) (bool, *fantasy.ProviderError) {
	var pe *fantasy.ProviderError
	if errors.As(err, &pe) {
		return pe.IsRetryable() && !pe.IsContextTooLarge(), pe
	}
	var ne net.Error
	return errors.As(err, &ne), nil
}

// redact takes the provider's keys out of a text, also as they stand in an URL or a header.
func (p *provider) redact(text string) string {
	for _, secret := range p.secrets() {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return text
}
