package session

import (
	"unicode/utf8"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

// text is a string member's value; invalid UTF-8 reads as U+FFFD.
func (m member) text(b []byte) string {
	if m.kind != stringValue {
		return ""
	}
	raw := m.of(b)
	if m.escaped || !utf8.Valid(raw) {
		raw = rawjson.Unescape(raw)
	}
	return string(raw)
}
