package summary

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
)

// How much of each thing a summariser is shown, in bytes. What people and models said matters more
// than what tools printed.
const (
	maxSaid     = 12_000
	maxThinking = 600
	maxArgument = 400
	maxCall     = 1_600
	maxOutput   = 2_000
	maxPiece    = 24_000 // a whole message
)

// Serialize writes messages as text for a summariser: a line with the role, then what was said;
// calls as name(arguments); results, thinking and long arguments cut to head and tail with a note
// how much is left out. It is bounded by 24 000 bytes a message. What is excluded from the context,
// and messages that say nothing, are left out.
func Serialize(msgs []message.Message) string {
	var pieces []string
	for _, m := range msgs {
		if p := piece(m, maxPiece); p != "" {
			pieces = append(pieces, p)
		}
	}
	return join(pieces)
}

func join(pieces []string) string { return strings.Join(pieces, "\n\n") }

// piece is one message as text of at most about limit bytes; "" if it says nothing.
func piece(m message.Message, limit int) string {
	if m.ExcludeFromContext {
		return ""
	}
	head, body := "", ""
	switch m.Role {
	case message.RoleUser:
		head, body = "user", said(m)
	case message.RoleDeveloper:
		head, body = "developer", said(m)
	case message.RoleAssistant:
		head, body = "assistant", answer(m)
		switch m.StopReason {
		case message.StopAborted:
			head += " (stopped before it was done)"
		case message.StopError:
			head += " (ended in an error)"
			body = strings.TrimSpace(body + "\n" + shorten(m.ErrorMessage, maxArgument))
		}
	case message.RoleToolResult:
		head = "result of " + m.ToolName
		if m.IsError {
			head += " (it failed)"
		}
		if body = output(m.Text()) + pictures(m.Images()); body == "" {
			body = "(no output)"
		}
	case message.RoleBashExecution, message.RolePythonExecution:
		head, body = execution(m)
	case message.RoleCustom, message.RoleHookMessage:
		head, body = "note from "+m.CustomType, said(m)
	case message.RoleBranchSummary:
		head, body = "summary of a side branch", shorten(m.Summary, maxSaid)
	case message.RoleCompactionSummary:
		head, body = "summary of what came before", shorten(m.Summary, maxSaid)
	case message.RoleFileMention:
		head, body = "files the user attached", mentioned(m.Files)
	}
	if strings.TrimSpace(body) == "" {
		return ""
	}
	return "=== " + display.Line(head, 200) + "\n" + shorten(body, limit)
}

func said(m message.Message) string { return shorten(m.Text(), maxSaid) + pictures(m.Images()) }

func answer(m message.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockThinking:
			if t := strings.TrimSpace(b.Thinking); t != "" {
				parts = append(parts, "(thinking) "+shorten(t, maxThinking))
			}
		case message.BlockText:
			if t := strings.TrimSpace(b.Text); t != "" {
				parts = append(parts, shorten(t, maxSaid))
			}
		case message.BlockToolCall:
			parts = append(parts, "call "+call(b))
		}
	}
	return strings.Join(parts, "\n")
}

// call is a tool call as name(argument: value, …).
func call(b message.Block) string {
	var args []string
	if !rawjson.Object(b.Arguments, func(key []byte, start, end int) {
		args = append(args, string(key)+": "+shorten(string(b.Arguments[start:end]), maxArgument))
	}) && len(b.Arguments) > 0 {
		args = []string{shorten(string(b.Arguments), maxArgument)}
	}
	return b.Name + "(" + shorten(strings.Join(args, ", "), maxCall) + ")"
}

func execution(m message.Message) (head, body string) {
	head, body = "the user ran a shell command", m.Command
	if m.Role == message.RolePythonExecution {
		head, body = "the user ran Python", m.Code
	}
	body = shorten(body, maxCall)
	switch {
	case m.Cancelled:
		body += "\n(cancelled)"
	case m.ExitCode != nil:
		body += fmt.Sprintf("\n(exit code %d)", *m.ExitCode)
	}
	if out := output(m.Output); out != "" {
		body += "\n" + out
	}
	return head, body
}

func mentioned(files []message.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s", f.Path)
		switch {
		case f.Content != "":
			b.WriteString(":\n" + shorten(f.Content, maxOutput))
		case f.SkippedReason != "":
			b.WriteString(" (content left out: " + f.SkippedReason + ")")
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func pictures(blocks []message.Block) string {
	if len(blocks) == 0 {
		return ""
	}
	return "\n[" + count(len(blocks), "image") + "]"
}

// output is what a tool printed, shortened first, for it may be huge, and without what only a
// terminal understands.
func output(text string) string { return strings.TrimSpace(display.Text(shorten(text, maxOutput))) }

// shorten keeps the head and the tail of a text that is longer than limit bytes, and says how much
// it leaves out. The note comes on top of the limit.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := cutAt(s, limit*2/3), len(s)-limit/3
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %s left out …]\n%s", s[:head], count(utf8.RuneCountInString(s[head:tail]), "character"), s[tail:])
}

// ellipsis keeps the first limit bytes of a text, and … where it goes on.
func ellipsis(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.TrimRight(s[:cutAt(s, limit)], " ") + "…"
}

// cutAt is where to cut a text so that at most limit bytes, and no half character, come before it.
func cutAt(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	at := max(limit, 0)
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// count is a number with its word: "1 file", "3 files", "2 more".
func count(n int, word string) string {
	if n == 1 || word == "more" {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// code is a text as Markdown's inline code, whatever backquotes it has itself.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}
