package treeview

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// textReader makes an entry's row, and what the search finds it by, but for its label: role, text,
// tool and command, summary, custom type (section 12). It serves one goroutine.
type textReader struct {
	lines display.Lines
	// The calls of one assistant message: its results come one after another.
	callsOf session.Entry
	calls   []message.Block
}

// rowBytes is how much of a call a row is made from: more than any screen is wide.
const rowBytes = 2000

// row is the entry's one line.
func (r *textReader) row(e session.Entry) string {
	if e.Role() == message.RoleToolResult {
		if c, ok := r.answered(e); ok {
			return display.Line(display.Call(c), rowBytes)
		}
	}
	return r.lines.Entry(e)
}

func (r *textReader) searchable(e session.Entry) string {
	if e.Type() == session.TypeMessage {
		return e.Role() + " " + r.message(e)
	}
	row := r.lines.Entry(e) // what cannot be read has no text but the reason
	switch e.Type() {
	case session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction:
	default:
		return row
	}
	body, err := e.Body()
	if err != nil {
		return row
	}
	switch b := body.(type) {
	case session.CustomMessage:
		return b.CustomType + " " + b.Text()
	case session.BranchSummary:
		return row + " " + b.Summary
	case session.Compaction:
		return row + " " + b.Summary
	}
	return row
}

func (r *textReader) message(e session.Entry) string {
	if e.Role() == message.RoleToolResult {
		if c, ok := r.answered(e); ok {
			return display.Call(c)
		}
	}
	m, err := e.Message()
	if err != nil {
		return ""
	}
	parts := []string{m.ToolName, m.CustomType, m.Command, m.Code, m.Summary, m.ErrorMessage}
	switch m.Role {
	case message.RoleToolResult: // its text is what the tool said, which is the shelf's to search
		parts = append(parts, r.callText(e, m.ToolCallID))
		if m.IsError {
			parts = append(parts, "failed:", m.Text())
		}
	case message.RoleAssistant:
		if m.StopReason == message.StopError || m.StopReason == message.StopAborted {
			parts = append(parts, m.StopReason)
		}
		parts = append(parts, m.Text())
		r.callsOf, r.calls = e, m.ToolCalls() // the results come next
		for _, c := range r.calls {
			parts = append(parts, display.Call(c), str(c.Arguments, "command"))
		}
	default:
		parts = append(parts, m.Text())
		for _, f := range m.Files {
			parts = append(parts, f.Path)
		}
	}
	return strings.Join(parts, " ")
}

func (r *textReader) callText(e session.Entry, id string) string {
	for _, c := range r.callsBefore(e) {
		if c.ID == id {
			return display.Call(c)
		}
	}
	return ""
}

// answered is the call that a tool result answers, where the bytes of the result tell without being
// decoded, which for megabytes of output takes long. Within a string of theirs the quotes that are
// looked for would be escaped. A failed result is left to be decoded.
func (r *textReader) answered(e session.Entry) (found message.Block, ok bool) {
	calls := r.callsBefore(e)
	if len(calls) == 0 {
		return found, false
	}
	raw, err := e.Raw()
	if err != nil || bytes.Contains(raw, []byte(`"isError":true`)) {
		return found, false
	}
	const key = `"toolCallId":`
	at := bytes.Index(raw, []byte(key))
	if at < 0 || bytes.Contains(raw[at+1:], []byte(key)) {
		return found, false // another one is in its details
	}
	for _, c := range calls {
		if id, err := json.Marshal(c.ID); err == nil && bytes.HasPrefix(raw[at+len(key):], id) {
			return c, true
		}
	}
	return found, false
}

// callsBefore is the calls of the nearest message above a tool result that has any. Other results,
// and what an extension put between, may stand in the way, but not endlessly.
func (r *textReader) callsBefore(e session.Entry) []message.Block {
	const near = 64
	for range near {
		above, ok := e.Parent()
		if !ok {
			return nil
		}
		if e = above; !e.HasToolCalls() {
			continue
		}
		if r.callsOf.IsZero() || r.callsOf.Index() != e.Index() {
			m, err := e.Message()
			if err != nil {
				return nil
			}
			r.callsOf, r.calls = e, m.ToolCalls()
		}
		return r.calls
	}
	return nil
}

// str is a member of a JSON object, if it is a string.
func str(object json.RawMessage, name string) (s string) {
	var m map[string]json.RawMessage
	if json.Unmarshal(object, &m) == nil {
		_ = json.Unmarshal(m[name], &s) // anything else is as if it were not there
	}
	return s
}

// clip is the first bytes of a text, without half a character at the end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
