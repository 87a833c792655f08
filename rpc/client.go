package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
)

// ask asks the client, and tells it when the answer does not matter any more.
func (s *Server) ask(ctx context.Context, method string, params, result any) error {
	answer := make(chan incoming, 1)
	s.mu.Lock()
	s.askedNow++
	id := "ramo-" + strconv.Itoa(s.askedNow)
	s.asked[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asked, id)
		s.mu.Unlock()
	}()
	s.send(outgoing{"2.0", id, method, params})
	select {
	case <-ctx.Done():
		s.notify("$/cancel", map[string]string{"id": id})
		return ctx.Err()
	case m := <-answer:
		if m.Error != nil {
			return m.Error
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("the client's answer to %s: %w", method, err)
		}
		return nil
	}
}

// approve asks the client whether a tool may run.
func (s *Server) approve(ctx context.Context, call message.Block) (bool, error) {
	var r struct {
		Allow bool `json:"allow"`
	}
	err := s.ask(ctx, "approve", toolCall{call.ID, call.Name, call.Arguments}, &r)
	return r.Allow, err
}

// client is the user's interface for extensions: the client, if it said that it answers questions.
type client struct{ s *Server }

func (c client) Notify(_ context.Context, level extension.Level, text string) {
	c.s.notify("event", EventOf(agent.Event{Type: agent.Notice, Text: text, Level: level}))
}

func (c client) Select(ctx context.Context, title string, options []string) (int, bool, error) {
	var r struct {
		Index *int `json:"index"`
	}
	if err := c.question(ctx, "select", map[string]any{"title": title, "options": options}, &r); err != nil || r.Index == nil {
		return 0, false, err
	}
	return *r.Index, true, nil
}

func (c client) Confirm(ctx context.Context, title, text string) (bool, error) {
	var r struct {
		Yes bool `json:"yes"`
	}
	err := c.question(ctx, "confirm", map[string]any{"title": title, "text": text}, &r)
	return r.Yes, err
}

func (c client) Input(ctx context.Context, title, placeholder string) (string, bool, error) {
	var r struct {
		Text *string `json:"text"`
	}
	if err := c.question(ctx, "input", map[string]any{"title": title, "placeholder": placeholder}, &r); err != nil || r.Text == nil {
		return "", false, err
	}
	return *r.Text, true, nil
}

func (c client) question(ctx context.Context, method string, params, result any) error {
	c.s.mu.Lock()
	attended := c.s.attended
	c.s.mu.Unlock()
	if !attended {
		return extension.ErrNobody
	}
	return c.s.ask(ctx, method, params, result)
}

// introduce is how the client says what it can do.
func introduce(_ context.Context, s *Server, p struct {
	Questions bool `json:"questions"` // answers select, confirm and input
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attended = p.Questions
	return struct{}{}, nil
}

func listCommands(ctx context.Context, a *agent.Agent, _ nothing) (any, error) {
	if err := a.WaitExtensions(ctx); err != nil {
		return nil, err
	}
	list := []map[string]string{}
	for _, c := range a.Commands() {
		list = append(list, map[string]string{"name": c.Name, "description": c.Description})
	}
	return map[string]any{"commands": list}, nil
}

func runCommand(ctx context.Context, a *agent.Agent, p struct {
	Name string `json:"name"`
	Args string `json:"args"`
}) (any, error) {
	return struct{}{}, a.RunCommand(ctx, p.Name, p.Args)
}
