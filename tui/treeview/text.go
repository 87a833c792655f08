package treeview

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// textReader makes an entry's text, for a row and for the search (section 12).
type textReader struct {
	// The calls of one assistant message: its results come one after another.
	callsOf session.Entry
	calls   []message.Block
}

// rowBytes is how much of a text a row is made from: more than any screen is wide.
const rowBytes = 2000

// describeEntry is what an entry says, as a prefix and a text of any length, and its body. A tool
// result whose call is at hand has no body: its text is the call, and it may be very long.
func (r *textReader) describeEntry(e session.Entry) (prefix, text string, b session.Body, err error) {
	if e.Role() == message.RoleToolResult {
		if c, ok := r.answered(e); ok {
			return "", call(c), nil, nil
		}
	}
	if b, err = e.Body(); err == nil {
		prefix, text = r.describe(e, b)
	}
	return prefix, text, b, err
}

// answered is the call that a tool result answers, if the bytes of the result tell without being
// decoded: within a string of theirs the quotes that are looked for would be escaped.
func (r *textReader) answered(e session.Entry) (found message.Block, ok bool) {
	calls := r.callsBefore(e)
	if len(calls) == 0 {
		return found, false
	}
	raw, err := e.Raw()
	if err != nil {
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

// row is the one line that stands for an entry in the selector. Nothing in it can move the cursor,
// change colours or reorder other text.
func (r *textReader) row(e session.Entry) string {
	prefix, text, _, err := r.describeEntry(e)
	if err != nil {
		return "[" + oneLine(e.Type()) + ": " + oneLine(err.Error()) + "]"
	}
	text = oneLine(text)
	if prefix == "" {
		return text
	}
	if text == "" {
		return strings.TrimSuffix(oneLine(prefix), ":")
	}
	return oneLine(prefix) + " " + text
}

// searchable is all that the search finds an entry by, but for its label.
func (r *textReader) searchable(e session.Entry) string {
	prefix, text, b, err := r.describeEntry(e)
	if err != nil {
		return e.Type() + " " + e.Role() // what cannot be read now has no text
	}
	parts := []string{e.Role(), prefix, text}
	switch b := b.(type) {
	case session.Message:
		parts = append(parts, b.Message.ToolName)
		calls := b.Message.ToolCalls()
		for _, c := range calls {
			parts = append(parts, call(c))
		}
		if e.HasToolCalls() {
			r.callsOf, r.calls = e, calls // the results come next
		}
	case session.Compaction:
		parts = append(parts, b.Summary)
	}
	return strings.Join(parts, " ")
}

func (r *textReader) describe(e session.Entry, b session.Body) (prefix, text string) {
	switch b := b.(type) {
	case session.Message:
		return r.describeMessage(e, b.Message)
	case session.CustomMessage:
		return "[" + b.CustomType + "]:", contentText(b.Content)
	case session.BranchSummary:
		return "[branch summary]:", b.Summary
	case session.Compaction:
		return "", fmt.Sprintf("[compaction: %s tokens]", thousands(b.TokensBefore))
	case session.ModelChange:
		return "", "[model: " + b.Model + "]"
	case session.ThinkingLevelChange:
		if b.Level == "" {
			return "", "[thinking: off]"
		}
		return "", "[thinking: " + b.Level + "]"
	case session.ModeChange:
		return "", "[mode: " + b.Mode + "]"
	case session.TTSRInjection:
		return "", "[rules: " + strings.Join(b.Rules, ", ") + "]"
	case session.LabelChange:
		if b.Label == "" {
			return "", "[label: (cleared)]"
		}
		return "", "[label: " + b.Label + "]"
	case session.Custom:
		return "", "[custom: " + b.CustomType + "]"
	case session.SessionInfo:
		return "", "[name: " + b.Name + "]"
	}
	return "", "[" + e.Type() + "]"
}

func (r *textReader) describeMessage(e session.Entry, m message.Message) (prefix, text string) {
	switch m.Role {
	case message.RoleAssistant:
		text = m.Text()
		switch {
		case strings.TrimSpace(text) != "":
		case m.StopReason == message.StopAborted:
			text = "(aborted)"
		case m.ErrorMessage != "":
			text = m.ErrorMessage
		default:
			text = "(no content)"
		}
		return "assistant:", text
	case message.RoleToolResult:
		for _, c := range r.callsBefore(e) {
			if c.ID == m.ToolCallID {
				return "", call(c)
			}
		}
		return "", "[" + cmp.Or(m.ToolName, "tool result") + "]"
	case message.RoleBashExecution:
		return "", "[bash: " + m.Command + "]"
	case message.RolePythonExecution:
		return "", "[python: " + m.Code + "]"
	case message.RoleCustom, message.RoleHookMessage:
		return "[" + m.CustomType + "]:", m.Text()
	case message.RoleBranchSummary:
		return "[branch summary]:", m.Summary
	case message.RoleCompactionSummary:
		return "", fmt.Sprintf("[compaction: %s tokens]", thousands(m.TokensBefore))
	case message.RoleFileMention:
		paths := make([]string, len(m.Files))
		for i, f := range m.Files {
			paths[i] = f.Path
		}
		return "", "[files: " + strings.Join(paths, ", ") + "]"
	}
	if text = m.Text(); strings.TrimSpace(text) == "" && len(m.Images()) > 0 {
		text = "(image)"
	}
	return m.Role + ":", text
}

// callsBefore is the calls of the nearest message above a tool result that has any. Other results,
// and what an extension put between, may stand in the way, but not endlessly.
func (r *textReader) callsBefore(e session.Entry) []message.Block {
	const near = 256
	for range near {
		above, ok := e.Parent()
		if !ok {
			return nil
		}
		e = above
		if !e.HasToolCalls() {
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

// call is a tool call in brackets, as short as it says what happens.
func call(c message.Block) string {
	var args map[string]any
	_ = json.Unmarshal(c.Arguments, &args) // without arguments there is only the name
	str := func(names ...string) string {
		for _, n := range names {
			if s, ok := args[n].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	what := ""
	switch c.Name {
	case "read", "write", "edit", "ls":
		what = str("path", "file_path", "filePath") + lineRange(c.Name, args)
	case "bash":
		what = str("command")
	case "grep":
		what = "/" + str("pattern") + "/ in " + strings.TrimSpace(str("path")+" "+str("glob"))
	case "find":
		what = strings.TrimSuffix(str("pattern")+" in "+str("path"), " in ")
	default:
		if what = str("command", "path", "file_path", "url", "query", "pattern"); what == "" && len(args) > 0 {
			what = string(c.Arguments)
		}
	}
	if what == "" {
		return "[" + c.Name + "]"
	}
	return "[" + c.Name + ": " + strings.TrimSuffix(what, " in ") + "]"
}

func lineRange(tool string, args map[string]any) string {
	offset, from := args["offset"].(float64)
	limit, to := args["limit"].(float64)
	if tool != "read" || !from && !to {
		return ""
	}
	if !from {
		offset = 1
	}
	if !to {
		return fmt.Sprintf(":%.0f", offset)
	}
	return fmt.Sprintf(":%.0f-%.0f", offset, offset+limit-1)
}

// contentText is the text of a content that is a string or blocks.
func contentText(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []message.Block
	_ = json.Unmarshal(content, &blocks) // anything else has no text
	return message.Message{Content: blocks}.Text()
}

func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// oneLine is the start of a text without control characters and with single spaces.
func oneLine(s string) string {
	s = clip(strings.TrimLeftFunc(s, unicode.IsSpace), rowBytes)
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = b.Len() > 0
		case unicode.IsControl(r) || reorders(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r) // U+FFFD for what is not UTF-8
		}
	}
	return b.String()
}

// reorders tells the characters that change the direction of the text around them.
func reorders(r rune) bool {
	return r == '\u061c' || r == '\u200e' || r == '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
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
