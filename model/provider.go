package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
	"charm.land/fantasy/providers/openrouter"
)

// Settings are what the user says about a provider. The zero value is right for a known provider
// whose key is in the environment.
type Settings struct {
	Type      string // anthropic, openai, google, openrouter, or openai-compatible; by default the provider's name
	BaseURL   string // by default the provider's own
	APIKey    string
	APIKeyEnv string // the environment variable that has the key; by default the provider's usual ones
	Headers   map[string]string
	Models    []Info // in addition to the known ones, or instead of what is known of them
	StallTime time.Duration
}

// usualKeys are the environment variables that have a provider's key.
var usualKeys = map[string][]string{
	"anthropic":  {"ANTHROPIC_API_KEY"},
	"openai":     {"OPENAI_API_KEY"},
	"google":     {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
	"openrouter": {"OPENROUTER_API_KEY"},
}

// provider is one place that models are asked at.
type provider struct {
	name     string
	kind     string
	settings Settings

	once   sync.Once
	client fantasy.Provider
	err    error
}

func newProvider(name string, s Settings) *provider {
	kind := s.Type
	if kind == "" {
		kind = name
	}
	if _, known := usualKeys[kind]; !known {
		kind = "openai-compatible"
	}
	return &provider{name: name, kind: kind, settings: s}
}

func (p *provider) keyEnvs() []string {
	if p.settings.APIKeyEnv != "" {
		return []string{p.settings.APIKeyEnv}
	}
	if p.kind == "openai-compatible" {
		return []string{strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(p.name)) + "_API_KEY"}
	}
	return usualKeys[p.kind]
}

func (p *provider) keyEnv() string { return strings.Join(p.keyEnvs(), " or ") }

func (p *provider) key() string {
	if p.settings.APIKey != "" {
		return p.settings.APIKey
	}
	for _, name := range p.keyEnvs() {
		if key := os.Getenv(name); key != "" {
			return key
		}
	}
	return ""
}

// usable tells whether requests can be sent: a server of one's own needs no key.
func (p *provider) usable() bool {
	if p.kind == "openai-compatible" {
		return p.settings.BaseURL != ""
	}
	return p.key() != ""
}

// secrets are what must not be seen anywhere, in the forms in which they may be.
func (p *provider) secrets() []string {
	var all []string
	add := func(s string) {
		if len(s) >= 4 {
			all = append(all, s, url.QueryEscape(s))
		}
	}
	add(p.key())
	for name, value := range p.settings.Headers {
		if secretHeader(name) {
			add(value)
			_, token, _ := strings.Cut(value, " ")
			add(token)
		}
	}
	// The longest first: one may be part of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

func secretHeader(name string) bool {
	n := strings.ToLower(name)
	return strings.Contains(n, "auth") || strings.Contains(n, "key") || strings.Contains(n, "token") || strings.Contains(n, "cookie") || strings.Contains(n, "secret")
}

// connect makes the client, once.
func (p *provider) connect() (fantasy.Provider, error) {
	p.once.Do(func() {
		if !p.usable() {
			if p.kind == "openai-compatible" {
				p.err = fmt.Errorf("%s: no base_url for the provider in the settings", p.name)
			} else {
				p.err = &fault{ErrAuth, fmt.Sprintf("%s: there is no key: set %s, or api_key for the provider in the settings", p.name, p.keyEnv()), ErrAuth}
			}
			return
		}
		p.client, p.err = p.dial()
	})
	return p.client, p.err
}

const userAgent = "ramo"

func (p *provider) dial() (fantasy.Provider, error) {
	s, key := p.settings, p.key()
	client := &http.Client{}
	switch p.kind {
	case "anthropic":
		o := []anthropic.Option{anthropic.WithName(p.name), anthropic.WithAPIKey(key), anthropic.WithHeaders(s.Headers), anthropic.WithHTTPClient(client), anthropic.WithUserAgent(userAgent)}
		if s.BaseURL != "" {
			o = append(o, anthropic.WithBaseURL(s.BaseURL))
		}
		return anthropic.New(o...)
	case "openai":
		o := []openai.Option{openai.WithName(p.name), openai.WithAPIKey(key), openai.WithHeaders(s.Headers), openai.WithHTTPClient(client), openai.WithUserAgent(userAgent)}
		if s.BaseURL != "" {
			o = append(o, openai.WithBaseURL(s.BaseURL))
		}
		return openai.New(o...)
	case "google":
		o := []google.Option{google.WithName(p.name), google.WithGeminiAPIKey(key), google.WithHeaders(s.Headers), google.WithHTTPClient(client), google.WithUserAgent(userAgent)}
		if s.BaseURL != "" {
			o = append(o, google.WithBaseURL(s.BaseURL))
		}
		return google.New(o...)
	case "openrouter":
		if s.BaseURL != "" {
			to, err := url.Parse(s.BaseURL)
			if err != nil {
				return nil, fmt.Errorf("%s: base_url: %w", p.name, err)
			}
			client.Transport = redirect{to}
		}
		return openrouter.New(openrouter.WithName(p.name), openrouter.WithAPIKey(key), openrouter.WithHeaders(s.Headers), openrouter.WithHTTPClient(client), openrouter.WithUserAgent(userAgent))
	}
	if key == "" {
		key = "none" // a server of one's own wants none, but the client wants something
	}
	return openaicompat.New(openaicompat.WithName(p.name), openaicompat.WithAPIKey(key), openaicompat.WithBaseURL(s.BaseURL),
		openaicompat.WithHeaders(s.Headers), openaicompat.WithHTTPClient(client), openaicompat.WithUserAgent(userAgent))
}

// redirect sends the requests of a client that has no setting for it to another place.
type redirect struct{ to *url.URL }

func (r redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host = r.to.Scheme, r.to.Host, r.to.Host
	_, rest, _ := strings.Cut(req.URL.Path, "/v1")
	req.URL.Path = strings.TrimSuffix(r.to.Path, "/") + rest
	return http.DefaultTransport.RoundTrip(req)
}

// language is the model itself, as fantasy has it.
func (p *provider) language(ctx context.Context, id string) (fantasy.LanguageModel, error) {
	client, err := p.connect()
	if err != nil {
		return nil, err
	}
	lm, err := client.LanguageModel(ctx, id)
	if err != nil {
		return nil, p.explain(err)
	}
	return lm, nil
}

var errNoModel = errors.New("no model is set")
