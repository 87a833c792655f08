package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/wire"
	"github.com/ramo-dev/ramo/session"
)

// Server serves one client. It has at most one session open.
type Server struct {
	// Options are for the agents that it makes. Approve and UI are the client's to answer and are set
	// here.
	Options agent.Options

	out     io.Writer
	writing sync.Mutex

	mu       sync.Mutex // guards what follows
	agent    *agent.Agent
	stop     context.CancelFunc // of following
	asked    map[string]chan incoming
	askedNow int
	attended bool // the client answers questions

	jobs sync.WaitGroup
}

// Serve reads requests from in and answers on out until in ends, a shutdown request comes, or ctx
// is done. Requests that take long run beside the others; the rest are answered in order.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s.out, s.asked = out, map[string]chan incoming{}
	s.Options.Approve, s.Options.UI = s.approve, client{s}
	defer func() {
		cancel()
		s.jobs.Wait()
		s.close()
	}()
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() { // ends with in, which the caller owns
		defer close(lines)
		r := bufio.NewReaderSize(in, 1<<16)
		for {
			line, err := r.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					failed <- err
				}
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			if done := s.handle(ctx, line); done {
				return nil
			}
		}
	}
}

func (s *Server) close() {
	s.mu.Lock()
	a, stop := s.agent, s.stop
	s.agent, s.stop = nil, nil
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	if a != nil {
		_ = a.Close() // everything acknowledged is on the disk
	}
}

// handle takes one message; it returns true for the last one.
func (s *Server) handle(ctx context.Context, line []byte) bool {
	var m incoming
	if err := json.Unmarshal(line, &m); err != nil {
		s.reply(nil, nil, &Error{CodeParse, "not a JSON-RPC message: " + err.Error()})
		return false
	}
	if m.Method == "" {
		s.answered(m)
		return false
	}
	if m.Version != "2.0" {
		s.reply(m.ID, nil, &Error{CodeRequest, `"jsonrpc" must be "2.0"`})
		return false
	}
	if m.Method == "shutdown" {
		s.reply(m.ID, struct{}{}, nil)
		return true
	}
	h, ok := methods[m.Method]
	if !ok {
		s.reply(m.ID, nil, &Error{CodeMethod, "no method " + strconv.Quote(m.Method)})
		return false
	}
	run := func() {
		result, err := h.call(ctx, s, m.Params)
		if err != nil {
			s.reply(m.ID, nil, asError(err))
			return
		}
		s.reply(m.ID, result, nil)
	}
	if h.long {
		s.jobs.Go(run)
	} else {
		run()
	}
	return false
}

// reply answers a request; a notification gets no answer.
func (s *Server) reply(id json.RawMessage, result any, e *Error) {
	if id == nil {
		if e == nil || e.Code != CodeParse {
			return
		}
		id = json.RawMessage("null")
	}
	s.send(response{"2.0", id, result, e})
}

// send writes one message. A client that does not read any more is noticed when its input ends.
func (s *Server) send(v any) {
	b, err := marshal(v)
	if err != nil {
		b, _ = marshal(outgoing{"2.0", "", "log", map[string]string{"message": "cannot write a message: " + err.Error()}})
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.out.Write(b)
}

func (s *Server) notify(method string, params any) { s.send(outgoing{"2.0", "", method, params}) }

// answered takes the answer to a request of the server's. One that nobody waits for is dropped.
func (s *Server) answered(m incoming) {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	answer := s.asked[id]
	delete(s.asked, id)
	s.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// live is the agent of the open session.
func (s *Server) live() (*agent.Agent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return nil, &Error{CodeNoSession, "no session is open: call open or new first"}
	}
	return s.agent, nil
}

// take opens a session for the client in the place of the one before.
func (s *Server) take(open *session.Session) error {
	a, err := agent.New(open, s.Options)
	if err != nil {
		_ = open.Close()
		return err
	}
	s.close()
	a.Listen(func(e agent.Event) { s.notify("event", EventOf(e)) })
	s.mu.Lock()
	s.agent = a
	s.mu.Unlock()
	return nil
}

// follow sends the entries that others append.
func (s *Server) follow(ctx context.Context, a *agent.Agent) {
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.stop = stop
	s.mu.Unlock()
	s.jobs.Go(func() {
		for e, err := range a.Session().Follow(ctx) {
			switch {
			case errors.Is(err, session.ErrClosed):
				return
			case err != nil:
				s.notify("log", map[string]string{"message": err.Error()})
			default:
				s.notify("entry", wire.Whole(e))
			}
		}
	})
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
