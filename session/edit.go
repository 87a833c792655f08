package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

// Edits change single members of an entry in the bytes that were read; all other bytes stay as
// they are (section 1).

// locate finds the last member with a name in an object: where its value stands, and whether it is
// there.
func locate(object []byte, name string) (value span, ok bool) {
	rawjson.Object(object, func(key []byte, start, end int) {
		if string(key) == name {
			value, ok = span{start, end}, true
		}
	})
	return value, ok
}

// setMember gives a member of an object a value: in place when it is there, else behind the member
// named after, or at the object's end.
func setMember(object []byte, name string, value []byte, after string) []byte {
	if v, ok := locate(object, name); ok {
		return splice(object, v, value)
	}
	member := append(append(quote(name), ':'), value...)
	if v, ok := locate(object, after); ok {
		return splice(object, span{v.end, v.end}, append([]byte{','}, member...))
	}
	end := bytes.LastIndexByte(object, '}')
	if empty := len(bytes.TrimSpace(object[1:end])) == 0; !empty {
		member = append([]byte{','}, member...)
	}
	return splice(object, span{end, end}, member)
}

// editMember rewrites the value of a member that is there.
func editMember(object []byte, name string, edit func(value []byte) []byte) []byte {
	v, ok := locate(object, name)
	if !ok {
		return object
	}
	return splice(object, v, edit(object[v.start:v.end]))
}

func splice(b []byte, at span, with []byte) []byte {
	out := make([]byte, 0, len(b)-(at.end-at.start)+len(with))
	out = append(out, b[:at.start]...)
	out = append(out, with...)
	return append(out, b[at.end:]...)
}

// quoteID writes an id, or null for none.
func quoteID(id string) []byte {
	if id == "" {
		return []byte("null")
	}
	return quote(id)
}

// newLine makes an entry's line, without the '\n'.
func newLine(b Body, id, parent, timestamp string) ([]byte, error) {
	if raw, ok := b.(RawBody); ok {
		return rawLine(raw, id, parent, timestamp)
	}
	line := fmt.Appendf(nil, `{"type":%s,"id":%s,"parentId":%s,"timestamp":%s`,
		quote(b.EntryType()), quote(id), quoteID(parent), quote(timestamp))
	list, err := b.members()
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		value, err := marshalValue(m.value)
		if err != nil {
			return nil, fmt.Errorf("a %s entry's %s: %w", b.EntryType(), m.name, err)
		}
		line = append(append(append(append(line, ','), quote(m.name)...), ':'), value...)
	}
	return append(line, '}'), nil
}

// marshalValue keeps the bytes of raw JSON, but for line breaks between its tokens.
func marshalValue(v any) ([]byte, error) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return marshal(v)
	}
	return oneLine(raw)
}

// oneLine checks that raw is JSON and takes the line breaks out of it, if it has any.
func oneLine(raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		var v any
		return nil, json.Unmarshal(raw, &v)
	}
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw, nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, raw)
	return b.Bytes(), err
}

// rawLine completes an entry that was handed over as JSON: its identity, and the other dialect's
// spellings (section 1).
func rawLine(raw RawBody, id, parent, timestamp string) ([]byte, error) {
	line, err := oneLine(bytes.TrimSpace(raw))
	if err != nil {
		return nil, fmt.Errorf("the entry is not JSON: %w", err)
	}
	if len(line) == 0 || line[0] != '{' {
		return nil, fmt.Errorf("the entry is not a JSON object: %s", excerpt(line))
	}
	if raw.EntryType() == "" {
		return nil, fmt.Errorf(`the entry has no "type"`)
	}
	switch raw.EntryType() {
	case typeSession, typeTitle:
		return nil, fmt.Errorf("a %q line is no entry: it stands at the start of a session", raw.EntryType())
	}
	for _, name := range []string{"id", "parentId", "timestamp"} {
		if _, ok := locate(line, name); ok {
			return nil, fmt.Errorf("the entry has a %q already: leave it out, it is given by the append", name)
		}
	}
	if raw.EntryType() == TypeMessage {
		if v, ok := locate(line, "message"); !ok || line[v.start] != '{' {
			return nil, fmt.Errorf(`a message entry needs a "message" that is an object`)
		}
	}
	line = bothSpellings(raw.EntryType(), line)
	line = setMember(line, "id", quote(id), "type")
	line = setMember(line, "parentId", quoteID(parent), "id")
	return setMember(line, "timestamp", quote(timestamp), "parentId"), nil
}

// bothSpellings adds to an entry of one dialect what the other one looks for.
func bothSpellings(typ string, line []byte) []byte {
	switch typ {
	case TypeModelChange:
		change := decodeBody(typ, line).(ModelChange)
		list, _ := change.members()
		if change.Model == "" {
			return line
		}
		after := "type"
		for _, m := range list {
			if _, ok := locate(line, m.name); !ok {
				value, _ := marshal(m.value)
				line = setMember(line, m.name, value, after)
			}
			after = m.name
		}
	case TypeBranchSummary, TypeCompaction:
		for _, pair := range [][2]string{{"fromExtension", "fromHook"}, {"fromHook", "fromExtension"}} {
			v, ok := locate(line, pair[0])
			if _, there := locate(line, pair[1]); ok && !there {
				line = setMember(line, pair[1], line[v.start:v.end], pair[0])
			}
		}
	}
	return line
}
