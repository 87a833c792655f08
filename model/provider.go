package model

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	// NoImages and NoReasoning are the ids of models that cannot, whatever else is known of them.
	NoImages, NoReasoning []string
	StallTime             time.Duration // without a byte, before an answer counts as stalled; by default 2 minutes
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

	mu     sync.Mutex
	client fantasy.Provider
}

// compatible is any server that speaks OpenAI's protocol.
const compatible = "openai-compatible"

func newProvider(name string, s Settings) *provider {
	kind := s.Type
	if kind == "" {
		kind = name
	}
	if _, known := usualKeys[kind]; !known {
		kind = compatible
	}
	return &provider{name: name, kind: kind, settings: s}
}

func (p *provider) keyEnvs() []string {
	if p.settings.APIKeyEnv != "" {
		return []string{p.settings.APIKeyEnv}
	}
	if p.kind == compatible {
		return []string{strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(p.name)) + "_API_KEY"}
	}
	return usualKeys[p.kind]
}

func (p *provider) keyEnv() string { return strings.Join(p.keyEnvs(), " or ") }

func (p *provider) key() string {
	if key := strings.TrimSpace(p.settings.APIKey); key != "" {
		return key
	}
	for _, name := range p.keyEnvs() {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return key
		}
	}
	return ""
}

// usable tells whether requests can be sent: a server of one's own needs no key.
func (p *provider) usable() bool {
	if p.kind == compatible {
		return p.settings.BaseURL != ""
	}
	return p.key() != ""
}

// secrets are what must not be seen anywhere, in the forms in which they may be.
func (p *provider) secrets() []string {
	var all []string
	add := func(s string) {
		if len(s) < 4 {
			return // taking out so little would only spoil the text
		}
		quoted, _ := json.Marshal(s)
		all = append(all, s, url.QueryEscape(s), url.PathEscape(s), strings.Trim(string(quoted), `"`), base64.StdEncoding.EncodeToString([]byte(s)))
	}
	add(p.key())
	for name, value := range p.settings.Headers {
		if secretHeader(name) || len(value) >= 16 {
			add(value)
			_, token, _ := strings.Cut(value, " ")
			add(token)
		}
	}
	if u, err := url.Parse(p.settings.BaseURL); err == nil {
		if word, ok := u.User.Password(); ok {
			add(word)
			add(u.User.String())
		}
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	// The longest first: one may be part of another.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

func secretHeader(name string) bool {
	n := strings.ToLower(name)
	for _, word := range []string{"auth", "key", "token", "cookie", "secret"} {
		if strings.Contains(n, word) {
			return true
		}
	}
	return false
}

// connect makes the client, once.
func (p *provider) connect() (fantasy.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client != nil {
		return p.client, nil
	}
	if !p.usable() {
		if p.kind == compatible {
			return nil, fmt.Errorf("%s: there is no base_url for the provider in the settings", p.name)
		}
		return nil, &fault{ErrAuth, fmt.Sprintf("%s: there is no key: set %s, or api_key for the provider in the settings", p.name, p.keyEnv())}
	}
	if p.settings.BaseURL != "" {
		if _, err := parseBase(p.settings.BaseURL); err != nil {
			return nil, &fault{nil, fmt.Sprintf("%s: base_url: %s", p.name, p.redact(err.Error()))}
		}
	}
	client, err := p.dial()
	if err != nil {
		return nil, &fault{nil, fmt.Sprintf("%s: %s", p.name, p.redact(err.Error()))}
	}
	p.client = client
	return client, nil
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("this is no address of a server") // the error shows it, and it may have a password
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("must begin with http:// or https:// and name a server")
	}
	return u, nil
}

const userAgent = "ramo"

func (p *provider) dial() (fantasy.Provider, error) {
	s, key := p.settings, p.key()
	carrier := &transport{provider: p}
	client := &http.Client{Transport: carrier, CheckRedirect: sameHost}
	switch p.kind {
	case "anthropic":
		carrier.rewrite = p.without("Authorization") // the client adds ANTHROPIC_AUTH_TOKEN, whoever the server is
		o := []anthropic.Option{anthropic.WithName(p.name), anthropic.WithAPIKey(key), anthropic.WithHeaders(s.Headers), anthropic.WithHTTPClient(client), anthropic.WithUserAgent(userAgent)}
		if s.BaseURL != "" {
			o = append(o, anthropic.WithBaseURL(s.BaseURL))
		}
		return anthropic.New(o...)
	case "openai":
		o := []openai.Option{openai.WithName(p.name), openai.WithAPIKey(key), openai.WithHeaders(s.Headers), openai.WithHTTPClient(client), openai.WithUserAgent(userAgent), openai.WithUseResponsesAPI()}
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
			rewrite, err := elsewhere(s.BaseURL)
			if err != nil {
				return nil, err
			}
			carrier.rewrite = rewrite
		}
		return openrouter.New(openrouter.WithName(p.name), openrouter.WithAPIKey(key), openrouter.WithHeaders(s.Headers), openrouter.WithHTTPClient(client), openrouter.WithUserAgent(userAgent))
	}
	// The client adds what is in the environment for OpenAI, which is not for others to see.
	foreign := []string{"OpenAI-Organization", "OpenAI-Project"}
	if key == "" {
		key = "none" // the client wants something, the server gets nothing
		foreign = append(foreign, "Authorization")
	}
	carrier.rewrite = p.without(foreign...)
	return openaicompat.New(openaicompat.WithName(p.name), openaicompat.WithAPIKey(key), openaicompat.WithBaseURL(s.BaseURL),
		openaicompat.WithHeaders(s.Headers), openaicompat.WithHTTPClient(client), openaicompat.WithUserAgent(userAgent))
}

// without takes headers out of requests, unless the settings name them.
func (p *provider) without(names ...string) func(*http.Request) {
	return func(req *http.Request) {
		for _, name := range names {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(p.settings.Headers)), func(h string) bool { return strings.EqualFold(h, name) }) {
				req.Header.Del(name)
			}
		}
	}
}

// api is the protocol's name, as pi and omp write it.
func (p *provider) api(id string) string {
	switch {
	case p.kind == "anthropic":
		return "anthropic-messages"
	case p.kind == "google":
		return "google-generative-ai"
	case p.responses(id):
		return "openai-responses"
	}
	return "openai-completions"
}

// responses tells whether a model of OpenAI is asked by its newer protocol.
func (p *provider) responses(id string) bool {
	return p.kind == "openai" && openai.IsResponsesModel(id)
}
