package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ramo-dev/ramo/internal/wire"
	"github.com/ramo-dev/ramo/session"
)

// The codes of errors that programs get: JSON-RPC's own, and those of docs/rpc.md.
const (
	codeMethod    = -32601
	codeParams    = -32602
	codeFailed    = 1
	codeBusy      = 3
	codeNotFound  = 4
	codeReadOnly  = 5
	codeCancelled = 7
)

// offer is a request that programs can make. A long one runs beside the others.
type offer struct {
	long bool
	do   func(ctx context.Context, r *program, params json.RawMessage) (any, error)
}

func request[P any](long bool, f func(ctx context.Context, r *program, p P) (any, error)) offer {
	return offer{long, func(ctx context.Context, r *program, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, &remoteError{codeParams, "parameters: " + err.Error()}
			}
		}
		return f(ctx, r, p)
	}}
}

// reading is a request for a part of the session.
func reading[P any](f func(s *session.Session, p P) (any, error)) offer {
	return request(false, func(_ context.Context, r *program, p P) (any, error) { return f(r.m.host.live.Session(), p) })
}

type none struct{}

type withTitle struct {
	Title       string   `json:"title"`
	Options     []string `json:"options"`
	Text        string   `json:"text"`
	Placeholder string   `json:"placeholder"`
}

var requests = map[string]offer{
	"info": reading(func(s *session.Session, _ none) (any, error) { return wire.InfoOf(s), nil }),
	"tree": reading(func(s *session.Session, p struct {
		Text bool `json:"text"`
	}) (any, error) {
		return wire.Tree(s, p.Text), nil
	}),
	"branch_of": reading(func(s *session.Session, p struct {
		From string `json:"from"`
	}) (any, error) {
		return wire.Branch(s, p.From)
	}),
	"entry": reading(func(s *session.Session, p struct {
		ID string `json:"id"`
	}) (any, error) {
		return wire.Find(s, p.ID)
	}),
	"context": reading(func(s *session.Session, p struct {
		Leaf   string `json:"leaf"`
		Format string `json:"format"`
	}) (any, error) {
		return wire.Context(s, p.Leaf, p.Format)
	}),
	"labels": reading(func(s *session.Session, _ none) (any, error) { return wire.Labels(s), nil }),
	"append_entry": request(false, func(ctx context.Context, r *program, p struct {
		CustomType string          `json:"customType"`
		Data       json.RawMessage `json:"data"`
	}) (any, error) {
		return r.append(ctx, session.Custom{CustomType: p.CustomType, Data: p.Data}, p.CustomType)
	}),
	"append_message": request(false, func(ctx context.Context, r *program, p struct {
		CustomType string          `json:"customType"`
		Content    json.RawMessage `json:"content"`
		Display    *bool           `json:"display"`
		Details    json.RawMessage `json:"details"`
	}) (any, error) {
		if err := checkContent(p.Content); err != nil {
			return nil, err
		}
		m := session.CustomMessage{CustomType: p.CustomType, Content: p.Content, Display: p.Display == nil || *p.Display, Details: p.Details}
		return r.append(ctx, m, p.CustomType)
	}),
	"navigate": request(true, func(ctx context.Context, r *program, p struct {
		Target       string `json:"target"`
		Summarize    bool   `json:"summarize"`
		Instructions string `json:"instructions"`
		SummaryModel string `json:"summaryModel"`
	}) (any, error) {
		return r.asCommand(func(s *CommandSession) (any, error) {
			return s.NavigateTree(ctx, p.Target, NavigateOptions{Summarize: p.Summarize, Instructions: p.Instructions, SummaryModel: p.SummaryModel})
		})
	}),
	"branch": request(true, func(ctx context.Context, r *program, p struct {
		Entry string `json:"entry"`
	}) (any, error) {
		return r.asCommand(func(s *CommandSession) (any, error) { return s.Branch(ctx, p.Entry) })
	}),
	"notify": request(false, func(ctx context.Context, r *program, p struct {
		Level Level  `json:"level"`
		Text  string `json:"text"`
	}) (any, error) {
		if p.Level != Warning && p.Level != Error {
			p.Level = Info
		}
		if err := r.pace.Wait(ctx); err != nil {
			return nil, err
		}
		r.ui().Notify(ctx, p.Level, short(p.Text))
		return none{}, nil
	}),
	"select": request(true, func(ctx context.Context, r *program, p withTitle) (any, error) {
		i, ok, err := r.ui().Select(ctx, short(p.Title), p.Options)
		if err != nil || !ok {
			return map[string]any{"index": nil}, err
		}
		return map[string]any{"index": i}, nil
	}),
	"confirm": request(true, func(ctx context.Context, r *program, p withTitle) (any, error) {
		yes, err := r.ui().Confirm(ctx, short(p.Title), short(p.Text))
		return map[string]bool{"yes": yes}, err
	}),
	"input": request(true, func(ctx context.Context, r *program, p withTitle) (any, error) {
		text, ok, err := r.ui().Input(ctx, short(p.Title), short(p.Placeholder))
		if err != nil || !ok {
			return map[string]any{"text": nil}, err
		}
		return map[string]any{"text": text}, nil
	}),
}

// asked answers a request of the program's.
func (r *program) asked(m incoming) {
	a, ok := requests[m.Method]
	if !ok {
		r.once("method", fmt.Errorf("it asked for %.100q, which there is not", m.Method))
		r.reply(m, nil, &remoteError{codeMethod, fmt.Sprintf("there is no %.100q", m.Method)})
		return
	}
	if !a.long {
		result, err := a.do(r.ctx, r, m.Params)
		r.reply(m, result, err)
		return
	}
	select {
	case r.free <- struct{}{}:
	default:
		r.reply(m, nil, &remoteError{codeBusy, fmt.Sprintf("%d requests of yours are running", maxJobs)})
		return
	}
	r.jobs.Go(func() {
		defer func() { <-r.free }()
		result, err := a.do(r.ctx, r, m.Params)
		r.reply(m, result, err)
	})
}

// reply answers a request, if it is one.
func (r *program) reply(m incoming, result any, err error) {
	if err != nil {
		e := asRemote(err)
		if errors.Is(err, session.ErrNotFound) {
			r.once("unknown entry in "+m.Method, fmt.Errorf("%s: %w", m.Method, err))
		} else if e.Code == codeParams {
			r.once("parameters of "+m.Method, fmt.Errorf("%s: %w", m.Method, err))
		}
		if len(m.ID) > 0 {
			_ = r.send(r.ctx, outgoing{ID: m.ID, Error: e}) // or it has ended
		}
		return
	}
	if len(m.ID) > 0 {
		_ = r.send(r.ctx, outgoing{ID: m.ID, Result: result})
	}
}

func asRemote(err error) *remoteError {
	var e *remoteError
	if errors.As(err, &e) {
		return e
	}
	code := codeFailed
	switch {
	case errors.Is(err, session.ErrNotFound):
		code = codeNotFound
	case errors.As(err, new(wire.FormatError)):
		code = codeParams
	case errors.Is(err, session.ErrReadOnly):
		code = codeReadOnly
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		code = codeCancelled
	}
	return &remoteError{code, err.Error()}
}

func (r *program) append(ctx context.Context, b session.Body, customType string) (any, error) {
	if customType == "" {
		return nil, &remoteError{codeParams, "customType is missing: it tells whose the entry is"}
	}
	if err := r.pace.Wait(ctx); err != nil {
		return nil, err
	}
	e, err := r.m.host.append(ctx, b)
	if err != nil {
		return nil, err
	}
	return wire.Place(e), nil
}

// checkContent checks that a content is a string, or text and image blocks.
func checkContent(content json.RawMessage) error {
	var text string
	if len(content) > 0 && json.Unmarshal(content, &text) == nil {
		return nil
	}
	_, err := blocks(content)
	if err != nil {
		return &remoteError{codeParams, err.Error()}
	}
	return nil
}

// asCommand does what only a command of the program's may, while one runs.
func (r *program) asCommand(f func(*CommandSession) (any, error)) (any, error) {
	c, ok := r.latest(func(c activeCall) bool { return c.command != nil })
	if !ok {
		return nil, &remoteError{codeFailed, "only a command may do this, while it runs"}
	}
	return f(c.command)
}

// ui is the user's interface, on behalf of the call that the program is at: its time stands while the
// user thinks.
func (r *program) ui() UI {
	if c, ok := r.latest(func(activeCall) bool { return true }); ok {
		return c.UI()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return named{r.m.host.user, r.name}
}
