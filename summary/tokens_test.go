package summary_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

func TestEstimateTokens(t *testing.T) {
	text := func(s string) []message.Block { return []message.Block{message.Text(s)} }
	for _, c := range []struct {
		rule string
		m    message.Message
		want int64
	}{
		{"four bytes a token, rounded up", message.Message{Role: message.RoleUser, Content: text("abcde")}, 2},
		{"nothing", message.Message{Role: message.RoleUser}, 0},
		{"an image is a constant", message.Message{Role: message.RoleUser, Content: []message.Block{message.Image("image/png", make([]byte, 1<<20))}}, 1200},
		{"thinking and calls count", message.Message{Role: message.RoleAssistant, Content: []message.Block{
			{Type: message.BlockThinking, Thinking: "12345678"},
			{Type: message.BlockToolCall, Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)},
		}}, 6},
		{"an execution's command and output", message.Message{Role: message.RoleBashExecution, Command: "ls -", Output: "a b c d "}, 3},
		{"unless it is excluded", message.Message{Role: message.RoleBashExecution, Command: "ls -", Output: "a b c d ", ExcludeFromContext: true}, 0},
		{"a summary", message.Message{Role: message.RoleBranchSummary, Summary: "12345678"}, 2},
		{"attached files", message.Message{Role: message.RoleFileMention, Files: []message.File{{Path: "a.go", Content: "package a..."}}}, 4},
	} {
		if got := summary.EstimateTokens(c.m); got != c.want {
			t.Errorf("%s: %d, want %d", c.rule, got, c.want)
		}
	}
}

func TestContextTokens(t *testing.T) {
	counted := func(total int64, stop string) message.Message {
		return message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text("abcd")}, StopReason: stop, Usage: &message.Usage{TotalTokens: total}}
	}
	for _, c := range []struct {
		rule  string
		write func(talk)
		want  int64
	}{
		{"an empty session", func(talk) {}, 0},
		{"estimated where nothing is counted", func(k talk) { k.user("abcd"); k.answer("abcdefgh") }, 3},
		{"as the provider counted, and an estimate of what follows", func(k talk) {
			k.user(strings.Repeat("x", 4000))
			k.say(counted(5000, message.StopEnd))
			k.user("abcd")
		}, 5001},
		{"the latest count", func(k talk) { k.say(counted(5000, message.StopEnd)); k.say(counted(6000, message.StopEnd)) }, 6000},
		{"input, cache and output when there is no total", func(k talk) {
			m := counted(0, message.StopEnd)
			m.Usage = &message.Usage{Input: 1, Output: 20, CacheRead: 300, CacheWrite: 4000}
			k.say(m)
		}, 4321},
		{"what failed or was stopped has no count", func(k talk) {
			k.say(counted(5000, message.StopEnd))
			k.say(counted(9000, message.StopError))
			k.say(counted(9000, message.StopAborted))
		}, 5002},
		{"a count from before the compaction is of the longer context", func(k talk) {
			k.user("old")
			e := k.say(counted(90_000, message.StopEnd))
			k.add(session.Compaction{Summary: "12345678", FirstKeptEntryID: e.ID()})
			k.user("abcd")
		}, 4},
		{"one from after it holds", func(k talk) {
			e := k.say(counted(90_000, message.StopEnd))
			k.add(session.Compaction{Summary: "12345678", FirstKeptEntryID: e.ID()})
			k.user("abcd")
			k.say(counted(700, message.StopEnd))
		}, 700},
	} {
		k := newTalk(t)
		c.write(k)
		if got := summary.ContextTokens(k.context()); got != c.want {
			t.Errorf("%s: %d, want %d", c.rule, got, c.want)
		}
	}
}
