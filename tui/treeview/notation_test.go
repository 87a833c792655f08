package treeview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/session"
)

// failer is a test, or a rapid one.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// trees are written one entry a line:
//
//	ID [< PARENT] [@ SECOND] KIND TEXT
//
// The parent is the entry before, unless it is named; "-" is none. The time is the line's number in
// seconds, unless it is given. An entry's KIND is one of the cases below.
type notation struct {
	store *session.MemoryStore
	prev  string
	lines int
}

func newNotation(tb failer, text string) (*notation, *session.Session) {
	tb.Helper()
	n := &notation{store: new(session.MemoryStore)}
	err := n.store.Create(func(w io.Writer) error {
		_, err := io.WriteString(w, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`+"\n")
		return err
	}, false)
	if err != nil {
		tb.Fatal(err)
	}
	n.add(tb, text)
	s, err := session.OpenStore(context.Background(), n.store)
	if err != nil {
		tb.Fatal(err)
	}
	return n, s
}

// add appends entries as another process would.
func (n *notation) add(tb failer, text string) {
	tb.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := n.store.Append(append(n.entry(tb, line), '\n'), false); err != nil {
			tb.Fatal(err)
		}
	}
}

func (n *notation) entry(tb failer, line string) []byte {
	tb.Helper()
	next := func() (word string) {
		word, line, _ = strings.Cut(line, " ")
		line = strings.TrimSpace(line)
		return word
	}
	n.lines++
	id, parent, second := next(), n.prev, n.lines
	if strings.HasPrefix(line, "<") {
		next()
		parent = next()
	}
	if strings.HasPrefix(line, "@") {
		next()
		if _, err := fmt.Sscan(next(), &second); err != nil {
			tb.Fatalf("%s: %v", id, err)
		}
	}
	kind := next()
	e := map[string]any{"type": kind, "id": id, "parentId": parent,
		"timestamp": time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")}
	if parent == "-" || parent == "" {
		e["parentId"] = nil
	}
	text := []any{map[string]any{"type": "text", "text": unquote(tb, line)}}
	message := func(m map[string]any) {
		e["type"] = "message"
		e["message"] = m
	}
	switch kind {
	case "user", "assistant", "developer":
		message(map[string]any{"role": kind, "content": text})
	case "aborted":
		message(map[string]any{"role": "assistant", "content": []any{}, "stopReason": "aborted"})
	case "failed":
		message(map[string]any{"role": "assistant", "content": []any{}, "stopReason": "error", "errorMessage": line})
	case "calls": // TOOL JSON: the call's id is the entry's
		tool := next()
		message(map[string]any{"role": "assistant", "stopReason": "toolUse", "content": []any{
			map[string]any{"type": "toolCall", "id": id, "name": tool, "arguments": json.RawMessage(line)}}})
	case "result": // CALL TEXT
		call := next()
		message(map[string]any{"role": "toolResult", "toolCallId": call, "toolName": "tool", "content": text})
	case "bash":
		message(map[string]any{"role": "bashExecution", "command": line, "output": "x"})
	case "label": // TARGET TEXT
		e["targetId"] = next()
		e["label"] = unquote(tb, line)
	case "summary":
		e["type"], e["summary"], e["fromId"] = "branch_summary", line, "root"
	case "compaction":
		e["summary"], e["tokensBefore"] = line, 42000
	case "model":
		e["type"], e["model"] = "model_change", line
	case "thinking":
		e["type"], e["thinkingLevel"] = "thinking_level_change", line
	case "custom":
		e["customType"] = line
	case "custom_message":
		e["customType"] = next()
		e["content"] = line
	}
	b, err := json.Marshal(e)
	if err != nil {
		tb.Fatalf("%s: %v", id, err)
	}
	n.prev = id
	return b
}

// unquote lets a text that starts with a quote have escapes.
func unquote(tb failer, s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	var out string
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		tb.Fatalf("%s: %v", s, err)
	}
	return out
}
