package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ramo-dev/ramo/message"
)

// Context is what the model knows at a leaf: exactly the active path (section 7).
type Context struct {
	Leaf          string            // "" for none
	Messages      []message.Message // in order
	Entries       []Entry           // the entry that each message comes from
	ThinkingLevel string            // "off" when nothing on the path sets it
	ThinkingSet   bool              // whether something does
	Models        map[string]string // "provider/modelId" by role; "default" is the conversation's own
	Mode          string            // "none" when nothing on the path sets it
	ModeData      json.RawMessage
	InjectedRules []string // each once, in the order of their first injection

	read func(Entry) ([]byte, error)
}

// Context builds the context at an entry, or with "" at the leaf; where there is no leaf it is
// empty. It reads only the entries on the path, and of their bodies only those that count.
func (s *Session) Context(leaf string) (*Context, error) { return s.context(leaf, true) }

// ContextState is Context without its messages, of which it reads hardly any.
func (s *Session) ContextState(leaf string) (*Context, error) { return s.context(leaf, false) }

func (s *Session) context(leaf string, messages bool) (*Context, error) {
	c := &Context{ThinkingLevel: "off", Mode: "none", Models: map[string]string{}}
	l, path, err := s.path(leaf)
	if err != nil || len(path) == 0 {
		return c, err
	}
	c.read = newEntryReader(l).read
	defer func() { c.read = nil }()
	entries := make([]Entry, len(path))
	types := make([]string, len(path))
	l.mu.RLock()
	for i, n := range path {
		entries[i] = l.entry(n)
	}
	l.mu.RUnlock()
	for i, e := range entries {
		types[i] = e.Type()
	}
	c.Leaf = entries[len(entries)-1].ID()
	if err := c.state(entries, types); err != nil || !messages {
		return c, err
	}
	return c, c.collect(entries, types)
}

// state finds what the path sets. Only the latest of each kind counts, so it looks from the leaf
// up, and reads an answer's body only while no later entry has set the default model.
func (c *Context) state(entries []Entry, types []string) error {
	var mode bool
	var rules [][]string
	for i, e := range slices.Backward(entries) {
		answer := types[i] == TypeMessage && c.Models["default"] == "" && e.Role() == message.RoleAssistant
		switch types[i] {
		case TypeModelChange, TypeTTSRInjection:
		case TypeThinkingLevelChange:
			if c.ThinkingSet {
				continue
			}
		case TypeModeChange:
			if mode {
				continue
			}
		default:
			if !answer {
				continue
			}
		}
		body, err := e.Body()
		if err != nil {
			return err
		}
		switch b := body.(type) {
		case Message:
			if b.Message.Model != "" {
				c.Models["default"] = b.Message.Provider + "/" + b.Message.Model
			}
		case ModelChange:
			role := b.Role
			if role == "" {
				role = "default"
			}
			if b.Model != "" && c.Models[role] == "" {
				c.Models[role] = b.Model
			}
		case ThinkingLevelChange:
			c.ThinkingSet = true
			if b.Level != "" {
				c.ThinkingLevel = b.Level
			}
		case ModeChange:
			mode = true
			if b.Mode != "" {
				c.Mode, c.ModeData = b.Mode, b.Data
			}
		case TTSRInjection:
			rules = append(rules, b.Rules)
		}
	}
	for _, list := range slices.Backward(rules) {
		for _, r := range list {
			if !slices.Contains(c.InjectedRules, r) {
				c.InjectedRules = append(c.InjectedRules, r)
			}
		}
	}
	return nil
}

// collect gathers the messages: the latest compaction first, then what it kept, then what follows
// it. A reset boundary hides everything before it.
func (c *Context) collect(entries []Entry, types []string) error {
	start := 0
	if i := lastIndex(types, TypeResetBoundary); i >= 0 {
		start = i + 1
	}
	at := lastIndex(types, TypeCompaction)
	if at < start {
		return c.add(entries[start:], types[start:])
	}
	raw, err := c.read(entries[at])
	if err != nil {
		return err
	}
	m := membersOf(raw)
	msg := newObject("role", quote(message.RoleCompactionSummary))
	msg.copy(m, "summary", "shortSummary", "tokensBefore")
	if err := c.message(entries[at], msg); err != nil {
		return err
	}
	if first := m.str("firstKeptEntryId"); first != "" {
		key := makeID([]byte(first))
		for i := at - 1; i >= 0; i-- {
			if entries[i].is(key) {
				i = max(i, start)
				if err := c.add(entries[i:at], types[i:at]); err != nil {
					return err
				}
				break
			}
		}
	}
	return c.add(entries[at+1:], types[at+1:])
}

func lastIndex(types []string, typ string) int {
	for i, t := range slices.Backward(types) {
		if t == typ {
			return i
		}
	}
	return -1
}

func (c *Context) add(entries []Entry, types []string) error {
	c.Messages = slices.Grow(c.Messages, len(entries))
	c.Entries = slices.Grow(c.Entries, len(entries))
	for i, e := range entries {
		switch types[i] {
		case TypeMessage, TypeCustomMessage, TypeBranchSummary:
		default:
			continue
		}
		raw, err := c.read(e)
		if err != nil {
			return err
		}
		if types[i] == TypeMessage {
			if v, ok := locate(raw, "message"); ok {
				err = c.decoded(e, raw[v.start:v.end])
			}
			if err != nil {
				return err
			}
			continue
		}
		m := membersOf(raw)
		switch types[i] {
		case TypeCustomMessage:
			msg := newObject("role", quote(message.RoleCustom))
			msg.copy(m, "customType", "content", "display", "details", "attribution")
			err = c.message(e, msg)
		case TypeBranchSummary:
			if m.str("summary") != "" {
				msg := newObject("role", quote(message.RoleBranchSummary))
				msg.copy(m, "summary", "fromId")
				err = c.message(e, msg)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// message adds a message that is made from an entry's members; its time is the entry's.
func (c *Context) message(e Entry, msg object) error {
	msg.add("timestamp", fmt.Appendf(nil, "%d", e.rec.time))
	return c.decoded(e, msg.bytes())
}

func (c *Context) decoded(e Entry, raw []byte) error {
	m, err := message.Decode(bytes.Clone(raw))
	if err != nil {
		return nil // "message" is no object: a problem of the log, not of the one who asks
	}
	c.Messages = append(c.Messages, m)
	c.Entries = append(c.Entries, e)
	return nil
}

// object builds a JSON object from raw values.
type object []byte

func newObject(name string, value []byte) object {
	o := object("{")
	o.add(name, value)
	return o
}

func (o *object) add(name string, value []byte) {
	if len(*o) > 1 {
		*o = append(*o, ',')
	}
	*o = append(append(append(*o, quote(name)...), ':'), value...)
}

// copy takes over members byte for byte, if they are there.
func (o *object) copy(from members, names ...string) {
	for _, name := range names {
		if v, ok := from[name]; ok {
			o.add(name, v)
		}
	}
}

func (o object) bytes() []byte { return append(o, '}') }
