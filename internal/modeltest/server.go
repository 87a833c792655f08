// Package modeltest has servers that speak the streaming protocols of model providers, for tests.
// They are real HTTP servers; what they answer is a script, one [Turn] for each request:
//
//	s := modeltest.NewServer(t, modeltest.Anthropic,
//		modeltest.Turn{Status: 429, Message: "slow down", Header: map[string]string{"Retry-After": "0"}},
//		modeltest.Turn{Text: []string{"Good ", "morning"}},
//	)
//
// [Server.Requests] are what clients have sent. Turns that wait are released through channels, so
// that no test depends on how long anything takes.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"testing"
	"time"
)

// Protocol is what a server speaks.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai" // chat completions; also what compatible servers speak
	Anthropic Protocol = "anthropic"
	Google    Protocol = "google"
	Responses Protocol = "openai-responses" // OpenAI's newer protocol
)

// Turn is how a server answers one request.
type Turn struct {
	Thinking []string // pieces
	Text     []string // pieces
	Calls    []Call

	// Signature is what the provider wants back with its thinking; Anthropic's is "sig-1" by default,
	// and Google's is on the first piece after the thinking, in base64.
	Signature string
	Redacted  string // thinking that Anthropic shows no one, before the other

	Status  int               // of a refusal, instead of an answer
	Body    string            // of a refusal; by default the provider's form with the words Message
	Message string            // of a refusal
	Header  map[string]string // of a refusal
	Echo    bool              // the refusal's words are Message and the whole request, with its headers

	Pings  int             // signs of life before the first piece, which carry nothing, 100 ms apart
	Wait   <-chan struct{} // before the first piece
	Hold   <-chan struct{} // after the pieces, before the end; a client that hangs up ends it too
	Cut    bool            // the connection ends after the pieces
	Fail   string          // an error in mid-stream, after the pieces
	Length bool            // the answer ends for want of tokens
	Refuse bool            // the answer ends because of what it is about

	Input, Output         int64 // tokens; 0: 100 and 20. Input has those of the cache in it, as each protocol has it
	CacheRead, CacheWrite int64 // tokens
}

// Call is a tool call.
type Call struct{ ID, Name, Arguments string }

// Server answers requests by a script, one turn each; when it is at its end the last turn again.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	turns    []Turn
	requests []Request
}

// Request is what a client sent.
type Request struct {
	Header http.Header
	Path   string
	Query  string
	Body   map[string]any
	Raw    string
}

// NewServer starts a server that ends with the test.
func NewServer(t testing.TB, p Protocol, script ...Turn) *Server {
	t.Helper()
	s := &Server{turns: script}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(p, w, r) }))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// Requests are those that have come so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// BaseURL is what a client of the protocol is given.
func (s *Server) BaseURL(p Protocol) string {
	if p == OpenAI || p == Responses {
		return s.URL + "/v1"
	}
	return s.URL
}

func (s *Server) serve(p Protocol, w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Header.Clone(), r.URL.Path, r.URL.RawQuery, body, string(raw)})
	n := min(len(s.requests), len(s.turns)) - 1
	turn := s.turns[n]
	s.mu.Unlock()
	if turn.Status != 0 {
		for k, v := range turn.Header {
			w.Header().Set(k, v)
		}
		if turn.Body == "" {
			if turn.Echo {
				dump, _ := httputil.DumpRequest(r, false)
				turn.Message += ": " + r.URL.String() + " " + string(dump) + string(raw)
			}
			turn.Body = refusal(p, turn.Status, turn.Message)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		fmt.Fprint(w, turn.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	flush()
	for range turn.Pings {
		if p == Google {
			fmt.Fprint(w, "\n\n") // its clients know no comments
		} else {
			fmt.Fprint(w, ": ping\n\n")
		}
		flush()
		select {
		case <-time.After(100 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	if turn.Wait != nil {
		select {
		case <-turn.Wait:
		case <-r.Context().Done():
			return
		}
	}
	if turn.Input == 0 {
		turn.Input, turn.Output = 100, 20
	}
	e := &events{w: w, flush: flush, protocol: p}
	e.pieces(turn)
	if turn.Hold != nil {
		select {
		case <-turn.Hold:
		case <-r.Context().Done():
			return
		case <-time.After(time.Minute):
		}
	}
	switch {
	case turn.Fail != "":
		e.fail(turn.Fail)
	case turn.Cut:
		panic(http.ErrAbortHandler)
	default:
		e.end(turn)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
