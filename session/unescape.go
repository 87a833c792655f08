package session

import (
	"encoding/json"
	"unicode/utf8"
)

// unescape decodes the inside of a JSON string that the scanner accepted.
func unescape(raw []byte) []byte {
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return raw
	}
	return []byte(s)
}

// text is a string member's value; invalid UTF-8 reads as U+FFFD.
func (m member) text(b []byte) string {
	if m.kind != stringValue {
		return ""
	}
	raw := m.of(b)
	if m.escaped || !utf8.Valid(raw) {
		raw = unescape(raw)
	}
	return string(raw)
}
