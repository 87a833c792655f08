package importer

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// conversation is what a transcript holds, as a session has it.
type conversation struct {
	tool, id string
	cwd      string
	title    string
	parent   string // the id of the conversation that it goes on from
	started  time.Time
	nodes    []*node // as they come in the files

	skipped map[string]int
	damaged []Damage
}

func (c *conversation) add(n *node) *node {
	c.nodes = append(c.nodes, n)
	return n
}

func (c *conversation) skip(what string) { c.skipped[what]++ }

// node becomes an entry.
type node struct {
	keys   []string // of the records that it is made of
	parent *node
	typ    string
	time   time.Time
	side   bool   // off the main conversation: a subagent's
	agent  string // which one, if that is known

	message *message.Message // of a message
	members []member         // of anything else
	id      string           // of the entry, once there is one
}

type member struct {
	name  string
	value any // json.RawMessage stands as it is
}

// origin is what an entry says of where it comes from.
type origin struct {
	Tool      string   `json:"tool"`
	Session   string   `json:"session"`
	Records   []string `json:"records"`
	Sidechain bool     `json:"sidechain,omitempty"`
	Agent     string   `json:"agent,omitempty"`
}

// line is the entry's, without the line break.
func (n *node) line(c *conversation) ([]byte, error) {
	parent := json.RawMessage("null")
	if n.parent != nil {
		parent = quote(n.parent.id)
	}
	all := []member{{"type", n.typ}, {"id", n.id}, {"parentId", parent}, {"timestamp", stamp(n.time)}}
	if n.message != nil {
		m := *n.message
		m.Timestamp = n.time.UnixMilli()
		all = append(all, member{"message", json.RawMessage(m.AppendJSON(nil))})
	}
	if n.typ == session.TypeCompaction {
		// It names itself: of what comes before nothing is kept.
		all = append(all, member{"firstKeptEntryId", n.id})
	}
	all = append(all, n.members...)
	all = append(all, member{"importedFrom", origin{c.tool, c.id, n.keys, n.side, n.agent}})
	return object(all)
}

// object writes members in their order.
func object(members []member) ([]byte, error) {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.name)...), ':')
		v, ok := m.value.(json.RawMessage)
		if !ok {
			var err error
			if v, err = encode(m.value); err != nil {
				return nil, err
			}
		}
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// encode writes JSON without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func quote(s string) json.RawMessage {
	b, _ := encode(s) // a string can be encoded
	return b
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// note is an extension's message: the model saw it, and no person wrote it.
func note(customType, text string) (string, []member) {
	return session.TypeCustomMessage, []member{{"customType", customType}, {"content", text}, {"display", false}}
}

// kept is something without a form of its own, as it was found.
func kept(customType string, raw json.RawMessage) (string, []member) {
	return session.TypeCustom, []member{{"customType", customType}, {"data", raw}}
}

func compaction(summary string, before int64) (string, []member) {
	return session.TypeCompaction, []member{
		{"summary", summary}, {"tokensBefore", before}, {"fromExtension", false}, {"fromHook", false},
	}
}

// decode reads JSON; a member of the wrong type is as if it were not there.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, ok := err.(*json.UnmarshalTypeError); ok { // the other members were read
		return nil
	}
	return err
}

// join joins what is not empty.
func join(a, b, between string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

// compacted is JSON on one line.
func compacted(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}
