package display

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

const (
	// enough is how much of a text is looked at to fill a line.
	enough = 2000
	// searched is how much of an entry's text is searched: more than anyone types, less than a file
	// that was pasted.
	searched = 64 << 10
)

// Lines makes the one-line texts of a session's entries. It remembers the calls it has seen, so it
// serves one goroutine.
type Lines struct {
	calls  map[string]message.Block // of the answer callsOf
	callOf int                      // that answer's number
}

// Entry is what a list shows of an entry (section 12). An entry that cannot be read shows why.
func (l *Lines) Entry(e session.Entry) string {
	switch e.Type() {
	case session.TypeMessage, session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction, session.TypeModelChange,
		session.TypeThinkingLevelChange, session.TypeModeChange, session.TypeTTSRInjection, session.TypeLabel, session.TypeCustom,
		session.TypeSessionInfo:
	default:
		return "[" + Line(e.Type(), enough) + "]"
	}
	if call, ok := l.result(e); ok {
		return Line(call, enough)
	}
	body, err := e.Body()
	if err != nil {
		return "[" + Line(err.Error(), enough) + "]"
	}
	return Line(l.text(e, body), enough)
}

// Search is the text that an entry is searched by, beside its label: role, text, tool and command,
// summary, custom type (section 12), folded with Fold.
func (l *Lines) Search(e session.Entry) string {
	if e.Type() == session.TypeMessage {
		if call, ok := l.result(e); ok {
			return Fold(e.Role() + "\n" + call)
		}
		m, err := e.Message()
		if err != nil {
			return e.Role()
		}
		return searchText(append(l.said(e, m), e.Role())...)
	}
	row := l.Entry(e) // of what cannot be read, the reason
	switch e.Type() {
	case session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction:
	default:
		return Fold(row)
	}
	body, err := e.Body()
	if err != nil {
		return Fold(row)
	}
	switch b := body.(type) {
	case session.CustomMessage:
		return searchText(b.CustomType, b.Text())
	case session.BranchSummary:
		return searchText(row, b.Summary)
	case session.Compaction:
		return searchText(row, b.Summary)
	}
	return Fold(row)
}

// said is what a message is found by.
func (l *Lines) said(e session.Entry, m message.Message) []string {
	parts := []string{m.ToolName, m.CustomType, m.Command, m.Code, m.Summary, m.ErrorMessage}
	if m.Role == message.RoleToolResult { // what the tool said is not what the conversation says
		if call, ok := l.call(e, m.ToolCallID); ok {
			parts = append(parts, Call(call))
		}
		if m.IsError {
			parts = append(parts, "failed", m.Text())
		}
		return parts
	}
	if m.StopReason == message.StopError || m.StopReason == message.StopAborted {
		parts = append(parts, m.StopReason)
	}
	parts = append(parts, m.Text())
	for _, c := range m.ToolCalls() {
		var args struct{ Command string }
		_ = json.Unmarshal(c.Arguments, &args) // what has none has none to be found by
		parts = append(parts, Call(c), args.Command)
	}
	for _, f := range m.Files {
		parts = append(parts, f.Path)
	}
	return parts
}

func searchText(parts ...string) string {
	for i, p := range parts {
		parts[i] = start(p, searched)
	}
	return Fold(strings.Join(parts, "\n"))
}

func (l *Lines) text(e session.Entry, body session.Body) string {
	switch b := body.(type) {
	case session.Message:
		return l.message(e, b.Message)
	case session.CustomMessage:
		return "[" + b.CustomType + "]: " + head(b.Text())
	case session.BranchSummary:
		return "[branch summary]: " + head(b.Summary)
	case session.Compaction:
		return "[compaction: " + Tokens(b.TokensBefore) + " tokens]"
	case session.ModelChange:
		if b.Role != "" && b.Role != "default" {
			return "[model: " + b.Model + " for " + b.Role + "]"
		}
		return "[model: " + b.Model + "]"
	case session.ThinkingLevelChange:
		if b.Level == "" {
			return "[thinking: off]"
		}
		return "[thinking: " + b.Level + "]"
	case session.ModeChange:
		return "[mode: " + b.Mode + "]"
	case session.TTSRInjection:
		return "[rules: " + strings.Join(b.Rules, ", ") + "]"
	case session.LabelChange:
		if b.Label == "" {
			return "[label: (cleared)]"
		}
		return "[label: " + b.Label + "]"
	case session.Custom:
		return "[custom: " + b.CustomType + "]"
	case session.SessionInfo:
		return "[name: " + b.Name + "]"
	}
	return "[" + e.Type() + "]"
}

func (l *Lines) message(e session.Entry, m message.Message) string {
	switch m.Role {
	case message.RoleAssistant:
		return assistant(m)
	case message.RoleToolResult:
		text := "[" + m.ToolName + "]"
		if call, ok := l.call(e, m.ToolCallID); ok {
			text = Call(call)
		}
		if m.IsError {
			text += " failed: " + firstLine(m.Text())
		}
		return text
	case message.RoleBashExecution:
		return "[bash: " + head(m.Command) + "]" + exit(m)
	case message.RolePythonExecution:
		return "[python: " + head(m.Code) + "]" + exit(m)
	case message.RoleCustom, message.RoleHookMessage:
		return "[" + m.CustomType + "]: " + head(m.Text())
	case message.RoleBranchSummary:
		return "[branch summary]: " + head(m.Summary)
	case message.RoleCompactionSummary:
		return "[compaction: " + Tokens(m.TokensBefore) + " tokens]"
	case message.RoleFileMention:
		var paths []string
		for _, f := range m.Files {
			paths = append(paths, f.Path)
		}
		return "[files: " + strings.Join(paths, ", ") + "]"
	case "":
		return "[message]"
	}
	text := head(m.Text())
	if n := len(m.Images()); n > 0 {
		text += fmt.Sprintf(" (%d image%s)", n, plural(n))
	}
	return m.Role + ": " + text
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func exit(m message.Message) string {
	switch {
	case m.Cancelled:
		return " cancelled"
	case m.ExitCode != nil && *m.ExitCode != 0:
		return " exit " + strconv.Itoa(*m.ExitCode)
	}
	return ""
}

func assistant(m message.Message) string {
	text := head(m.Text())
	blank := strings.TrimSpace(text) == ""
	switch {
	case m.StopReason == message.StopAborted:
		return "assistant: (aborted) " + text
	case m.ErrorMessage != "" && blank:
		return "assistant: " + m.ErrorMessage
	case m.StopReason == message.StopError:
		return "assistant: (error: " + firstLine(m.ErrorMessage) + ") " + text
	case blank:
		return "assistant: (no content)"
	}
	return "assistant: " + text
}

// result is the call that a tool result answers, when the result is nothing but that: it did not
// fail, and the call is known. Its output, which may be megabytes, is not decoded.
func (l *Lines) result(e session.Entry) (text string, ok bool) {
	if e.Role() != message.RoleToolResult {
		return "", false
	}
	raw, err := e.Raw()
	if err != nil {
		return "", false
	}
	var msg []byte
	rawjson.Object(raw, func(key []byte, start, end int) {
		if string(key) == "message" {
			msg = raw[start:end]
		}
	})
	var id []byte
	failed := false
	rawjson.Object(msg, func(key []byte, start, end int) {
		switch string(key) {
		case "toolCallId":
			id = msg[start:end]
		case "isError":
			failed = string(msg[start:end]) == "true"
		}
	})
	name, ok := rawjson.String(id)
	if !ok || failed {
		return "", false
	}
	c, ok := l.call(e, name)
	if !ok {
		return "", false
	}
	return Call(c), true
}

// call finds the call that a tool result answers: in an answer above it, and not far.
func (l *Lines) call(e session.Entry, id string) (message.Block, bool) {
	const far = 64
	at, ok := e.Parent()
	for n := 0; ok && n < far; n++ {
		if at.Role() == message.RoleAssistant && at.HasToolCalls() {
			if l.calls == nil || l.callOf != at.Index() {
				m, err := at.Message()
				if err != nil {
					return message.Block{}, false
				}
				l.calls, l.callOf = map[string]message.Block{}, at.Index()
				for _, c := range m.ToolCalls() {
					l.calls[c.ID] = c
				}
			}
			if c, ok := l.calls[id]; ok {
				return c, true
			}
		}
		at, ok = at.Parent()
	}
	return message.Block{}, false
}

// Call is a tool call in brackets: [read: src/a.go:1-40], [bash: go test ./...].
func Call(c message.Block) string {
	var args map[string]json.RawMessage
	_ = json.Unmarshal(c.Arguments, &args)
	str := func(names ...string) string {
		for _, name := range names {
			var s string
			if json.Unmarshal(args[name], &s) == nil && s != "" {
				return s
			}
		}
		return ""
	}
	num := func(name string) int {
		var f float64
		_ = json.Unmarshal(args[name], &f)
		return int(f)
	}
	what := ""
	switch c.Name {
	case "read":
		what = str("path", "file_path", "filePath")
		if from, n := num("offset"), num("limit"); what != "" && (from > 0 || n > 0) {
			from = max(from, 1)
			what += ":" + strconv.Itoa(from)
			if n > 0 {
				what += "-" + strconv.Itoa(from+n-1)
			}
		}
	case "bash":
		what = str("command", "cmd")
	case "write", "edit", "ls":
		what = str("path", "file_path", "filePath")
		if what == "" && c.Name == "ls" {
			what = "."
		}
	case "grep", "find":
		if p := str("pattern"); p != "" {
			what = "/" + p + "/ in " + orDot(str("path"))
		}
	}
	if what == "" && len(args) > 0 {
		what = Cut(Line(string(c.Arguments), enough), 80)
	}
	if what == "" {
		return "[" + c.Name + "]"
	}
	return "[" + c.Name + ": " + head(what) + "]"
}

func orDot(s string) string {
	if s == "" {
		return "."
	}
	return s
}

// Tokens writes a number of tokens short: 42k, 1.2M.
func Tokens(n int64) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + "M"
	case n >= 1000:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}

func head(s string) string { return start(s, enough) }

// start is the first bytes of a text, without half a character at the end.
func start(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(head(s)), "\n")
	return s
}

// Bytes writes a size short: 1.5 MB.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	case n >= 1e3:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
