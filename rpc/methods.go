package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/wire"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// method is what a request runs. A long one runs beside the others.
type method struct {
	long bool
	call func(ctx context.Context, s *Server, params json.RawMessage) (any, error)
}

// on makes a method of a function whose parameters are a struct. An unknown parameter is an error:
// it is a mistake of the client's that would otherwise pass unseen.
func on[P any](long bool, f func(ctx context.Context, s *Server, p P) (any, error)) method {
	return method{long, func(ctx context.Context, s *Server, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			d := json.NewDecoder(bytes.NewReader(params))
			d.DisallowUnknownFields()
			if err := d.Decode(&p); err != nil {
				return nil, &Error{CodeParams, "parameters: " + err.Error()}
			}
		}
		return f(ctx, s, p)
	}}
}

// onLive is on for what needs an open session.
func onLive[P any](long bool, f func(ctx context.Context, a *agent.Agent, p P) (any, error)) method {
	return on(long, func(ctx context.Context, s *Server, p P) (any, error) {
		a, err := s.live()
		if err != nil {
			return nil, err
		}
		return f(ctx, a, p)
	})
}

type nothing struct{}

var methods map[string]method

func init() { // a variable would refer to itself through Server.handle
	methods = map[string]method{
		"open":         on(false, open),
		"new":          on(false, newSession),
		"info":         onLive(false, getInfo),
		"tree":         onLive(false, getTree),
		"branch_of":    onLive(false, getBranch),
		"entry":        onLive(false, getEntry),
		"context":      onLive(false, getContext),
		"labels":       onLive(false, getLabels),
		"append":       onLive(false, appendEntry),
		"label":        onLive(false, setLabel),
		"navigate":     onLive(true, navigate),
		"branch":       onLive(true, branch),
		"fork":         onLive(true, fork),
		"new_session":  onLive(true, newInPlace),
		"switch":       onLive(true, switchTo),
		"prompt":       onLive(true, prompt),
		"compact":      onLive(true, compact),
		"abort":        onLive(true, abort),
		"set_model":    onLive(false, setModel),
		"set_thinking": onLive(false, setThinking),
		"models":       on(false, listModels),
		"follow":       on(false, startFollow),
		"unfollow":     on(false, endFollow),
		"client":       on(false, introduce),
		"commands":     onLive(true, listCommands),
		"run_command":  onLive(true, runCommand),
	}
}

func open(ctx context.Context, s *Server, p struct {
	Path string `json:"path"`
}) (any, error) {
	if p.Path == "" {
		return nil, &Error{CodeParams, "open needs a path"}
	}
	open, err := session.Open(ctx, p.Path, s.Options.SessionOptions...)
	if err != nil {
		return nil, err
	}
	if err := s.take(open); err != nil {
		return nil, err
	}
	return wire.InfoOf(open), nil
}

func newSession(ctx context.Context, s *Server, p struct {
	Path string `json:"path"` // "": in memory
	Cwd  string `json:"cwd"`
}) (any, error) {
	if p.Cwd == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		p.Cwd = dir
	}
	h := session.NewHeader(filepath.Clean(p.Cwd))
	next := session.NewMemory(h, s.Options.SessionOptions...)
	if p.Path != "" {
		var err error
		if next, err = session.Create(p.Path, h, s.Options.SessionOptions...); err != nil {
			return nil, err
		}
		if err := next.WriteHeader(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.take(next); err != nil {
		return nil, err
	}
	return wire.InfoOf(next), nil
}

func getInfo(_ context.Context, a *agent.Agent, _ nothing) (any, error) {
	return wire.InfoOf(a.Session()), nil
}

func getTree(_ context.Context, a *agent.Agent, p struct {
	Text bool `json:"text"` // with the one-line text of each
}) (any, error) {
	return wire.Tree(a.Session(), p.Text), nil
}

func getBranch(_ context.Context, a *agent.Agent, p struct {
	From string `json:"from"` // "": the leaf
}) (any, error) {
	return wire.Branch(a.Session(), p.From)
}

func getEntry(_ context.Context, a *agent.Agent, p struct {
	ID string `json:"id"`
}) (any, error) {
	return wire.Find(a.Session(), p.ID)
}

func getContext(_ context.Context, a *agent.Agent, p struct {
	Leaf   string `json:"leaf"`
	Format string `json:"format"` // agent (default) or model
}) (any, error) {
	out, err := wire.Context(a.Session(), p.Leaf, p.Format)
	if errors.As(err, new(wire.FormatError)) {
		return nil, &Error{CodeParams, err.Error()}
	}
	return out, err
}

func getLabels(_ context.Context, a *agent.Agent, _ nothing) (any, error) {
	return wire.Labels(a.Session()), nil
}

func appendEntry(ctx context.Context, a *agent.Agent, p struct {
	Entry json.RawMessage `json:"entry"`
}) (any, error) {
	e, err := a.Session().Append(ctx, session.RawBody(p.Entry))
	if err != nil {
		return nil, err
	}
	return wire.Place(e), nil
}

func setLabel(ctx context.Context, a *agent.Agent, p struct {
	ID    string `json:"id"`
	Label string `json:"label"` // "": take it off
}) (any, error) {
	e, err := a.Session().SetLabel(ctx, p.ID, p.Label)
	if err != nil {
		return nil, err
	}
	return map[string]string{"id": e.ID(), "targetId": p.ID, "label": p.Label}, nil
}

func navigate(ctx context.Context, a *agent.Agent, p struct {
	Target       string `json:"target"`
	Summarize    bool   `json:"summarize"`
	Instructions string `json:"instructions"`
	SummaryModel string `json:"summaryModel"`
}) (any, error) {
	n, err := a.NavigateTree(ctx, p.Target, agent.NavigateOptions{Summarize: p.Summarize, Instructions: p.Instructions, SummaryModel: p.SummaryModel})
	if err != nil {
		return nil, err
	}
	return n, nil
}

func branch(ctx context.Context, a *agent.Agent, p struct {
	Entry string `json:"entry"`
}) (any, error) {
	b, err := a.Branch(ctx, p.Entry)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func fork(ctx context.Context, a *agent.Agent, _ nothing) (any, error) {
	path, err := a.Fork(ctx)
	return map[string]string{"path": path}, err
}

func newInPlace(ctx context.Context, a *agent.Agent, _ nothing) (any, error) {
	err := a.NewSession(ctx)
	return wire.InfoOf(a.Session()), err
}

func switchTo(ctx context.Context, a *agent.Agent, p struct {
	Path string `json:"path"`
}) (any, error) {
	err := a.Switch(ctx, p.Path)
	return wire.InfoOf(a.Session()), err
}

func prompt(ctx context.Context, a *agent.Agent, p struct {
	Text   string          `json:"text"`
	Images []message.Block `json:"images"`
}) (any, error) {
	e, err := a.Prompt(ctx, p.Text, p.Images...)
	if err != nil {
		return nil, err
	}
	return wire.Whole(e), nil
}

func compact(ctx context.Context, a *agent.Agent, p struct {
	Instructions string `json:"instructions"`
}) (any, error) {
	e, err := a.Compact(ctx, p.Instructions)
	if err != nil {
		return nil, err
	}
	return wire.Whole(e), nil
}

func abort(_ context.Context, a *agent.Agent, _ nothing) (any, error) {
	return map[string]bool{"aborted": a.Abort()}, nil
}

func setModel(ctx context.Context, a *agent.Agent, p struct {
	Model string `json:"model"`
}) (any, error) {
	return struct{}{}, a.SetModel(ctx, p.Model)
}

func setThinking(ctx context.Context, a *agent.Agent, p struct {
	Level string `json:"level"`
}) (any, error) {
	return struct{}{}, a.SetThinkingLevel(ctx, p.Level)
}

func listModels(_ context.Context, s *Server, _ nothing) (any, error) {
	list := []map[string]any{}
	if s.Options.Models != nil {
		for _, k := range s.Options.Models.List() {
			list = append(list, map[string]any{"model": k.Ref(), "name": k.Name, "contextWindow": k.ContextWindow, "usable": k.Usable})
		}
	}
	return map[string]any{"models": list}, nil
}

func startFollow(ctx context.Context, s *Server, _ nothing) (any, error) {
	a, err := s.live()
	if err != nil {
		return nil, err
	}
	s.follow(ctx, a)
	return struct{}{}, nil
}

func endFollow(_ context.Context, s *Server, _ nothing) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	return struct{}{}, nil
}

type toolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type event struct {
	Type      agent.EventType `json:"type"`
	Text      string          `json:"text,omitempty"`
	Entry     *wire.Entry     `json:"entry,omitempty"`
	Call      *toolCall       `json:"call,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	DelayMS   int64           `json:"delayMs,omitempty"`
	Extension string          `json:"extension,omitempty"`
	Level     extension.Level `json:"level,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// EventOf is an event as clients get it: the params of an "event" notification, and a line of
// `ramo prompt --json`.
func EventOf(e agent.Event) any {
	x := event{Type: e.Type, Text: e.Text, Attempt: e.Attempt, DelayMS: e.Delay.Milliseconds(), Extension: e.Extension, Level: e.Level}
	if !e.Entry.IsZero() {
		whole := wire.Whole(e.Entry)
		x.Entry = &whole
	}
	if e.Call.Name != "" {
		x.Call = &toolCall{e.Call.ID, e.Call.Name, e.Call.Arguments}
	}
	if e.Err != nil {
		x.Error = e.Err.Error()
	}
	return x
}
