package summary_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// talk is a session in memory that a test writes entry by entry.
type talk struct {
	t failer
	s *session.Session
}

func newTalk(t failer) talk {
	return talk{t, session.NewMemory(session.NewHeader("/srv/demo"))}
}

func (k talk) add(b session.Body) session.Entry {
	k.t.Helper()
	e, err := k.s.Append(context.Background(), b)
	if err != nil {
		k.t.Fatal(err)
	}
	return e
}

func (k talk) say(m message.Message) session.Entry {
	k.t.Helper()
	return k.add(session.Message{Message: m})
}

func (k talk) user(text string) session.Entry {
	k.t.Helper()
	return k.say(message.User(text))
}

func (k talk) answer(text string, calls ...message.Block) session.Entry {
	k.t.Helper()
	m := message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Provider: "acme", Model: "m1"}
	if text != "" {
		m.Content = append(m.Content, message.Text(text))
	}
	if len(calls) > 0 {
		m.StopReason = message.StopToolUse
		m.Content = append(m.Content, calls...)
	}
	return k.say(m)
}

func (k talk) result(id, text string) session.Entry {
	k.t.Helper()
	return k.say(message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "tool", Content: []message.Block{message.Text(text)}})
}

func call(id, name, args string) message.Block {
	return message.Block{Type: message.BlockToolCall, ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func (k talk) to(id string) {
	k.t.Helper()
	if err := k.s.BranchTo(id); err != nil {
		k.t.Fatal(err)
	}
}

func (k talk) leaf() string {
	e, _ := k.s.Leaf()
	return e.ID()
}

func (k talk) context() *session.Context {
	k.t.Helper()
	c, err := k.s.Context("")
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// keep are settings that compact by themselves and keep n tokens.
func keep(n int64) summary.Settings {
	return summary.Settings{Enabled: true, ReserveTokens: 1000, KeepRecentTokens: n}
}

// says is a model that always gives one answer and remembers what it was asked.
type says struct {
	text  string
	usage message.Usage
	asked []summary.Prompt
}

func (m *says) complete(_ context.Context, p summary.Prompt) (summary.Answer, error) {
	m.asked = append(m.asked, p)
	return summary.Answer{Text: m.text, Usage: &m.usage}, nil
}

func ids(entries []session.Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.ID())
	}
	return out
}

func open(t *testing.T, path string) *session.Session {
	t.Helper()
	s, err := session.Open(context.Background(), path, session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
