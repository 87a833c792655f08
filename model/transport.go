package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"charm.land/fantasy"
)

// attempt is one request for an answer as the wire sees it. It knows what fantasy does not pass on:
// whether bytes still come, how long the provider wants to be left alone, and the tokens that it
// has counted so far.
type attempt struct {
	stall *time.Timer
	limit time.Duration

	mu    sync.Mutex
	wait  time.Duration // what the answer's Retry-After asks for; negative: nothing
	meter meter
	cut   error // why the bytes of an answer of Google's ended too early
}

type attemptKey struct{}

// begin returns a context for one request. It is cancelled with ErrStalled as its cause when the
// request waits for bytes longer than limit. Call end when the request is over.
func begin(ctx context.Context, provider, kind string, limit time.Duration) (_ context.Context, a *attempt, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a = &attempt{limit: limit, wait: -1, meter: meter{kind: kind}}
	a.stall = time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("%s: %w for %v: try again, or set a longer stall time", provider, ErrStalled, limit))
	})
	a.stall.Stop() // it only runs while someone waits for bytes, not while the caller is busy
	return context.WithValue(ctx, attemptKey{}, a), a, func() {
		a.stall.Stop()
		cancel(nil)
	}
}

// retryAfter is how long the provider wants to be left alone, negative if it does not say.
func (a *attempt) retryAfter() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.wait
}

// usage is what the provider has counted so far, nil if nothing.
func (a *attempt) usage() *fantasy.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.meter.usage
}

// broken is why the answer is not whole, nil if nothing is known against it.
func (a *attempt) broken() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.meter.failed != nil {
		return a.meter.failed
	}
	return a.cut
}

// transport carries the requests of one provider.
type transport struct {
	provider *provider
	rewrite  func(*http.Request) // to where, and with which headers; nil: as it is
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.rewrite != nil {
		req = req.Clone(req.Context())
		t.rewrite(req)
	}
	a, ok := req.Context().Value(attemptKey{}).(*attempt)
	if !ok {
		return http.DefaultTransport.RoundTrip(req)
	}
	a.stall.Reset(a.limit)
	resp, err := http.DefaultTransport.RoundTrip(req)
	a.stall.Stop()
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.wait = retryAfter(resp.Header, time.Now())
	a.mu.Unlock()
	resp.Body = &body{resp.Body, a}
	return resp, nil
}

// body watches an answer's bytes go by.
type body struct {
	io.ReadCloser
	attempt *attempt
}

func (b *body) Read(p []byte) (int, error) {
	a := b.attempt
	a.stall.Reset(a.limit)
	n, err := b.ReadCloser.Read(p)
	a.stall.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.meter.write(p[:n])
	if err != nil && err != io.EOF && a.meter.kind == "google" {
		a.cut, err = fantasy.WrapTransportError(err), io.EOF // its client would print the error, in the middle of the terminal
	}
	return n, err
}

var errRedirected = errors.New("the provider's address leads to another host, which must not get the key: set base_url to where it leads")

// sameHost keeps keys from going to another host: only some of the headers that carry them are
// dropped on a redirect.
func sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return errRedirected
	}
	if len(via) >= 10 {
		return errors.New("the provider's address leads nowhere: more than 10 redirects")
	}
	return nil
}

// retryAfter reads seconds, milliseconds or a date; it is negative if there is none of them.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return -1
}

// meter reads the tokens that a stream of events reports on its way. Anthropic counts the prompt
// at the start, so that an answer that is cut off still has a cost; Google counts everything so far
// in each event, which fantasy adds up. Of the others the last event is enough.
type meter struct {
	kind  string
	line  []byte
	usage *fantasy.Usage

	failed error // the error in an event of Google's, which its client takes for an empty answer
}

const longestLine = 1 << 20 // no event that counts tokens is longer

func (m *meter) write(p []byte) {
	if m.kind != "anthropic" && m.kind != "google" {
		return
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			if len(m.line)+len(p) <= longestLine {
				m.line = append(m.line, p...)
			}
			return
		}
		m.read(append(m.line, p[:i]...))
		m.line, p = m.line[:0], p[i+1:]
	}
}

func (m *meter) read(line []byte) {
	data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	if !ok || !bytes.Contains(data, []byte(`sage`)) && !bytes.Contains(data, []byte(`"error"`)) { // usage, usageMetadata, message
		return
	}
	type anthropicUsage struct {
		Input      *int64 `json:"input_tokens"`
		Output     *int64 `json:"output_tokens"`
		CacheRead  *int64 `json:"cache_read_input_tokens"`
		CacheWrite *int64 `json:"cache_creation_input_tokens"`
	}
	var event struct {
		Message struct {
			Usage *anthropicUsage `json:"usage"`
		} `json:"message"`
		Usage  *anthropicUsage `json:"usage"`
		Google *struct {
			Prompt   int64 `json:"promptTokenCount"`
			Answer   int64 `json:"candidatesTokenCount"`
			Thoughts int64 `json:"thoughtsTokenCount"`
			Cached   int64 `json:"cachedContentTokenCount"`
			Tools    int64 `json:"toolUsePromptTokenCount"`
		} `json:"usageMetadata"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &event) != nil {
		return
	}
	if m.kind == "google" && event.Error != nil {
		m.failed = &fantasy.ProviderError{Message: event.Error.Message, StatusCode: event.Error.Code}
		return
	}
	if m.usage == nil {
		m.usage = &fantasy.Usage{}
	}
	if g := event.Google; g != nil {
		*m.usage = fantasy.Usage{
			InputTokens: max(g.Prompt+g.Tools-g.Cached, 0), OutputTokens: g.Answer + g.Thoughts, CacheReadTokens: g.Cached, ReasoningTokens: g.Thoughts,
		}
	}
	for _, u := range []*anthropicUsage{event.Message.Usage, event.Usage} {
		if u == nil {
			continue
		}
		for to, from := range map[*int64]*int64{
			&m.usage.InputTokens: u.Input, &m.usage.OutputTokens: u.Output,
			&m.usage.CacheReadTokens: u.CacheRead, &m.usage.CacheCreationTokens: u.CacheWrite,
		} {
			if from != nil {
				*to = *from
			}
		}
	}
}

// elsewhere sends the requests of a client that has no setting for it to another place.
func elsewhere(base string) (func(*http.Request), error) {
	to, err := parseBase(base)
	if err != nil {
		return nil, err
	}
	return func(req *http.Request) {
		_, rest, _ := strings.Cut(req.URL.Path, "/v1")
		req.URL.Scheme, req.URL.Host, req.URL.User, req.Host = to.Scheme, to.Host, to.User, to.Host
		req.URL.Path = strings.TrimSuffix(to.Path, "/") + rest
		req.URL.RawPath = ""
	}, nil
}
