// Package wire is a session's parts as JSON, in the one form that both of Ramo's protocols have: that
// of `ramo rpc` and that of extensions. docs/rpc.md lists the members.
package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Info is a session as a whole.
type Info struct {
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

// InfoOf describes a session.
func InfoOf(s *session.Session) Info {
	leaf, _ := s.Leaf()
	i := Info{s.Path(), s.Header().ID, s.Name(), s.Header().Cwd, s.Len(), s.Messages(), s.Counts().Branches, OrNull(leaf.ID()), len(s.Problems()), ""}
	if err := s.ReadOnly(); err != nil {
		i.ReadOnly = err.Error()
	}
	return i
}

// OrNull is an entry's id, or null for no entry.
func OrNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}

// Node is an entry's place in the tree.
type Node struct {
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

// Tree is the tree, depth first; with text, each node has its entry's line.
func Tree(s *session.Session, text bool) map[string]any {
	leaf, _ := s.Leaf()
	lines := new(display.Lines)
	nodes := []Node{}
	for n := range s.Tree() {
		x := Node{n.ID(), OrNull(n.ParentID()), n.Type(), n.Role(), stamp(n.Time()), n.Label, n.Depth, n.Active, n.ID() == leaf.ID(), ""}
		if text {
			x.Text = lines.Entry(n.Entry)
		}
		nodes = append(nodes, x)
	}
	return map[string]any{"nodes": nodes}
}

// Branch is the way to an entry; "" is the leaf.
func Branch(s *session.Session, from string) (map[string]any, error) {
	entries := []json.RawMessage{}
	for e, err := range s.Branch(from) {
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

// Find is the entry that a name stands for, as it stands in the log.
func Find(s *session.Session, name string) (map[string]any, error) {
	e, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	raw, err := e.Raw()
	return map[string]any{"entry": raw}, err
}

// FormatError is a format of a context that there is not.
type FormatError string

func (f FormatError) Error() string {
	return fmt.Sprintf("format is agent or model, not %q", string(f))
}

// Context is what the model knows at a leaf. The format is "agent", or "" for that, or "model".
func Context(s *session.Session, leaf, format string) (map[string]any, error) {
	c, err := s.Context(leaf)
	if err != nil {
		return nil, err
	}
	messages := c.Messages
	switch format {
	case "", "agent":
	case "model":
		dir, err := message.BlobDir()
		if err != nil {
			return nil, err
		}
		resolved, _ := message.ResolveBlobs(messages, dir)
		messages = message.ForModel(resolved)
	default:
		return nil, FormatError(format)
	}
	rules := c.InjectedRules
	if rules == nil {
		rules = []string{}
	}
	out := map[string]any{
		"leaf": OrNull(c.Leaf), "messages": Messages(messages), "thinkingLevel": c.ThinkingLevel, "models": c.Models, "mode": c.Mode, "injectedRules": rules,
	}
	if c.ModeData != nil {
		out["modeData"] = c.ModeData
	}
	return out, nil
}

// Messages are messages as they stand in the log.
func Messages(list []message.Message) []json.RawMessage {
	raw := make([]json.RawMessage, len(list))
	for i, m := range list {
		raw[i] = m.AppendJSON(nil)
	}
	return raw
}

// Blocks are blocks of a message as they stand in the log.
func Blocks(list []message.Block) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, b := range list {
		out[i] = b.AppendJSON(nil)
	}
	return out
}

// Labels are all labels.
func Labels(s *session.Session) map[string]any {
	labels := []map[string]string{}
	for _, l := range s.Labels() {
		labels = append(labels, map[string]string{"targetId": l.Target.ID(), "label": l.Text, "id": l.By.ID()})
	}
	return map[string]any{"labels": labels}
}

// Entry names an entry, and shows it whole to who has not seen it.
type Entry struct {
	ID       string `json:"id"`
	ParentID any    `json:"parentId"`
	Type     string `json:"type,omitempty"`
	Entry    any    `json:"entry,omitempty"`
}

// Place is an entry without what it says.
func Place(e session.Entry) Entry { return Entry{ID: e.ID(), ParentID: OrNull(e.ParentID())} }

// Whole is an entry with what it says.
func Whole(e session.Entry) Entry {
	x := Place(e)
	x.Type = e.Type()
	if raw, err := e.Raw(); err == nil {
		x.Entry = raw
	}
	return x
}
