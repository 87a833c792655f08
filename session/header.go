package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Version is the format version that this package writes, and the newest it knows (section 1).
const Version = 3

// Header is a log's first line (section 1).
type Header struct {
	Version       int    // 1 when the line has none
	ID            string // of the session
	Timestamp     string // ISO 8601, as found
	Cwd           string // the directory the conversation is about
	Title         string
	ParentSession string // opaque: the path or id of the session this one came from
	Tool          string // the program that made the log, when it says so: "ramo"

	// Inferred is set when the log has no header and this stands in for one.
	Inferred bool

	raw  json.RawMessage
	line place
}

// place is where bytes stand in a log.
type place struct{ off, size int64 }

// Raw is the header's line as found, nil when there is none.
func (h Header) Raw() json.RawMessage { return h.raw }

// Time is when the session was made; ok is false when the header does not tell.
func (h Header) Time() (t time.Time, ok bool) {
	ms, ok := parseTime(h.Timestamp)
	return time.UnixMilli(ms).UTC(), ok
}

// readHeader reads what it can: a member of the wrong type is as if it were not there.
func readHeader(raw []byte) *Header {
	h := &Header{Version: 1, raw: raw}
	var m map[string]json.RawMessage
	_ = json.Unmarshal(raw, &m) // the scanner accepted it
	for name, to := range map[string]*string{"id": &h.ID, "timestamp": &h.Timestamp, "cwd": &h.Cwd,
		"title": &h.Title, "parentSession": &h.ParentSession, "tool": &h.Tool} {
		_ = json.Unmarshal(m[name], to)
	}
	var v float64
	// A version in quotes counts as the number it spells: so the other tools take it.
	if json.Unmarshal(bytes.Trim(m["version"], `"`), &v) == nil && v >= 1 {
		h.Version = int(min(v, 1e9))
	}
	return h
}

// line is the header as Ramo writes it.
func (h Header) marshal() []byte {
	if h.raw != nil {
		return h.raw
	}
	b := fmt.Appendf(nil, `{"type":"session","version":%d,"id":%s,"timestamp":%s,"cwd":%s`,
		Version, quote(h.ID), quote(h.Timestamp), quote(h.Cwd))
	for _, m := range [][2]string{{"title", h.Title}, {"parentSession", h.ParentSession}, {"tool", h.Tool}} {
		if m[1] != "" {
			b = fmt.Appendf(b, `,%s:%s`, quote(m[0]), quote(m[1]))
		}
	}
	return append(b, '}')
}

// titleSlot is the fixed-width line that newer omp files have before the header.
type titleSlot struct {
	title string
	place
}

func readTitleSlot(f *found) *titleSlot {
	var t struct {
		Title any `json:"title"`
	}
	_ = json.Unmarshal(f.raw, &t)
	title, _ := t.Title.(string)
	return &titleSlot{strings.TrimSpace(title), place{f.off, f.size}}
}

// quote writes a JSON string without escaping what HTML would want escaped.
func quote(s string) []byte {
	b, _ := marshal(s)
	return b
}
