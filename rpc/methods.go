package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
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
	return infoOf(open), nil
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
	return infoOf(next), nil
}

type info struct {
	Path     string `json:"path"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Cwd      string `json:"cwd"`
	Entries  int    `json:"entries"`
	Messages int    `json:"messages"`
	Branches int    `json:"branches"`
	Leaf     any    `json:"leaf"`
	Problems int    `json:"problems"`
	ReadOnly string `json:"readOnly,omitempty"`
}

func infoOf(s *session.Session) info {
	leaf, _ := s.Leaf()
	i := info{s.Path(), s.Header().ID, s.Name(), s.Header().Cwd, s.Len(), s.Messages(), s.Counts().Branches, orNull(leaf.ID()), len(s.Problems()), ""}
	if err := s.ReadOnly(); err != nil {
		i.ReadOnly = err.Error()
	}
	return i
}

func orNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}

func getInfo(_ context.Context, a *agent.Agent, _ nothing) (any, error) {
	return infoOf(a.Session()), nil
}

type node struct {
	ID       string `json:"id"`
	ParentID any    `json:"parentId"`
	Type     string `json:"type"`
	Role     string `json:"role,omitempty"`
	Time     string `json:"timestamp"`
	Label    string `json:"label,omitempty"`
	Depth    int    `json:"depth"`
	Active   bool   `json:"active"`
	Leaf     bool   `json:"leaf"`
	Text     string `json:"text,omitempty"`
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func getTree(_ context.Context, a *agent.Agent, p struct {
	Text bool `json:"text"` // with the one-line text of each
}) (any, error) {
	s := a.Session()
	leaf, _ := s.Leaf()
	lines := new(display.Lines)
	nodes := []node{}
	for n := range s.Tree() {
		x := node{n.ID(), orNull(n.ParentID()), n.Type(), n.Role(), stamp(n.Time()), n.Label, n.Depth, n.Active, n.ID() == leaf.ID(), ""}
		if p.Text {
			x.Text = lines.Entry(n.Entry)
		}
		nodes = append(nodes, x)
	}
	return map[string]any{"nodes": nodes}, nil
}

func getBranch(_ context.Context, a *agent.Agent, p struct {
	From string `json:"from"` // "": the leaf
}) (any, error) {
	entries := []json.RawMessage{}
	for e, err := range a.Session().Branch(p.From) {
		if err != nil {
			return nil, err
		}
		raw, err := e.Raw()
		if err != nil {
			return nil, err
		}
		entries = append(entries, raw)
	}
	return map[string]any{"entries": entries}, nil
}

func getEntry(_ context.Context, a *agent.Agent, p struct {
	ID string `json:"id"`
}) (any, error) {
	e, err := a.Session().Find(p.ID)
	if err != nil {
		return nil, err
	}
	raw, err := e.Raw()
	return map[string]any{"entry": raw}, err
}

func getContext(_ context.Context, a *agent.Agent, p struct {
	Leaf   string `json:"leaf"`
	Format string `json:"format"` // agent (default) or model
}) (any, error) {
	c, err := a.Session().Context(p.Leaf)
	if err != nil {
		return nil, err
	}
	messages := c.Messages
	switch p.Format {
	case "", "agent":
	case "model":
		dir, err := message.BlobDir()
		if err != nil {
			return nil, err
		}
		resolved, _ := message.ResolveBlobs(messages, dir)
		messages = message.ForModel(resolved)
	default:
		return nil, &Error{CodeParams, fmt.Sprintf("format is agent or model, not %q", p.Format)}
	}
	raw := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		raw[i] = m.AppendJSON(nil)
	}
	rules := c.InjectedRules
	if rules == nil {
		rules = []string{}
	}
	out := map[string]any{"leaf": orNull(c.Leaf), "messages": raw, "thinkingLevel": c.ThinkingLevel, "models": c.Models, "mode": c.Mode, "injectedRules": rules}
	if c.ModeData != nil {
		out["modeData"] = c.ModeData
	}
	return out, nil
}

func getLabels(_ context.Context, a *agent.Agent, _ nothing) (any, error) {
	labels := []map[string]string{}
	for _, l := range a.Session().Labels() {
		labels = append(labels, map[string]string{"targetId": l.Target.ID(), "label": l.Text, "id": l.By.ID()})
	}
	return map[string]any{"labels": labels}, nil
}

type entry struct {
	ID       string `json:"id"`
	ParentID any    `json:"parentId"`
	Type     string `json:"type,omitempty"`
	Entry    any    `json:"entry,omitempty"`
}

// entryOf is an entry whole, for a client that has not seen it.
func entryOf(e session.Entry) entry {
	x := entry{ID: e.ID(), ParentID: orNull(e.ParentID()), Type: e.Type()}
	if raw, err := e.Raw(); err == nil {
		x.Entry = raw
	}
	return x
}

func appendEntry(ctx context.Context, a *agent.Agent, p struct {
	Entry json.RawMessage `json:"entry"`
}) (any, error) {
	e, err := a.Session().Append(ctx, session.RawBody(p.Entry))
	if err != nil {
		return nil, err
	}
	return entry{ID: e.ID(), ParentID: orNull(e.ParentID())}, nil
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
	out := map[string]any{"oldLeaf": orNull(n.OldLeaf), "newLeaf": orNull(n.NewLeaf), "cancelled": n.Cancelled}
	if n.Reason != "" {
		out["reason"] = n.Reason
	}
	if n.Again {
		out["editorText"] = n.EditorText
		if len(n.Images) > 0 {
			out["images"] = blocks(n.Images)
		}
	}
	if !n.SummaryEntry.IsZero() {
		out["summaryEntry"], out["fromExtension"] = n.SummaryEntry.ID(), n.FromExtension
	}
	return out, nil
}

func blocks(list []message.Block) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, b := range list {
		out[i] = b.AppendJSON(nil)
	}
	return out
}

func branch(ctx context.Context, a *agent.Agent, p struct {
	Entry string `json:"entry"`
}) (any, error) {
	b, err := a.Branch(ctx, p.Entry)
	if err != nil {
		return nil, err
	}
	return map[string]any{"path": b.Path, "editorText": b.EditorText, "cancelled": b.Cancelled}, nil
}

func fork(ctx context.Context, a *agent.Agent, _ nothing) (any, error) {
	path, err := a.Fork(ctx)
	return map[string]string{"path": path}, err
}

func newInPlace(ctx context.Context, a *agent.Agent, _ nothing) (any, error) {
	err := a.NewSession(ctx)
	return infoOf(a.Session()), err
}

func switchTo(ctx context.Context, a *agent.Agent, p struct {
	Path string `json:"path"`
}) (any, error) {
	err := a.Switch(ctx, p.Path)
	return infoOf(a.Session()), err
}

func prompt(ctx context.Context, a *agent.Agent, p struct {
	Text   string          `json:"text"`
	Images []message.Block `json:"images"`
}) (any, error) {
	e, err := a.Prompt(ctx, p.Text, p.Images...)
	if err != nil {
		return nil, err
	}
	return entryOf(e), nil
}

func compact(ctx context.Context, a *agent.Agent, p struct {
	Instructions string `json:"instructions"`
}) (any, error) {
	e, err := a.Compact(ctx, p.Instructions)
	if err != nil {
		return nil, err
	}
	return entryOf(e), nil
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
	Type    agent.EventType `json:"type"`
	Text    string          `json:"text,omitempty"`
	Entry   *entry          `json:"entry,omitempty"`
	Call    *toolCall       `json:"call,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	DelayMS int64           `json:"delayMs,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// EventOf is an event as clients get it: the params of an "event" notification, and a line of
// `ramo prompt --json`.
func EventOf(e agent.Event) any {
	x := event{Type: e.Type, Text: e.Text, Attempt: e.Attempt, DelayMS: e.Delay.Milliseconds()}
	if !e.Entry.IsZero() {
		whole := entryOf(e.Entry)
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
