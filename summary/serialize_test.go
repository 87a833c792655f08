package summary_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/summary"
	"pgregory.net/rapid"
)

// testdata/conversation.txt is how a summariser sees the session beside it.
func TestSerializedConversation(t *testing.T) {
	s := open(t, "testdata/conversation.jsonl")
	want, err := os.ReadFile("testdata/conversation.txt")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Context("")
	if err != nil {
		t.Fatal(err)
	}
	if got := summary.Serialize(c.Messages); got != string(want) {
		t.Errorf("serialized:\n%s\n\nwant:\n%s", got, want)
	}
	leaf, _ := s.Leaf()
	_, left, err := summary.Collect(s, leaf.ID(), "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := summary.PrepareBranch(left, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.Conversation != string(want) {
		t.Errorf("of a branch:\n%s\n\nwant:\n%s", p.Conversation, want)
	}
}

func TestLongThingsAreCutToHeadAndTail(t *testing.T) {
	long := "HEAD" + strings.Repeat("語", 50_000) + "TAIL"
	args, err := json.Marshal(map[string]string{"content": long})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rule  string
		m     message.Message
		limit int
	}{
		{"a result", message.Message{Role: message.RoleToolResult, Content: []message.Block{message.Text(long)}}, 2200},
		{"thinking", message.Message{Role: message.RoleAssistant, Content: []message.Block{{Type: message.BlockThinking, Thinking: long}}}, 800},
		{"an argument", message.Message{Role: message.RoleAssistant, Content: []message.Block{call("1", "write", string(args))}}, 600},
		{"an output", message.Message{Role: message.RoleBashExecution, Command: "x", Output: long}, 2200},
		{"words", message.Message{Role: message.RoleUser, Content: []message.Block{message.Text(long)}}, 12_200},
		{"a nested summary", message.Message{Role: message.RoleBranchSummary, Summary: long}, 12_200},
		{"a file", message.Message{Role: message.RoleFileMention, Files: []message.File{{Path: "p", Content: long}}}, 2200},
	} {
		got := summary.Serialize([]message.Message{c.m})
		if !strings.Contains(got, "HEAD") || !strings.Contains(got, "TAIL") || !strings.Contains(got, "characters left out …]") {
			t.Errorf("%s: %.100q … %q", c.rule, got, got[max(0, len(got)-100):])
		}
		if len(got) > c.limit || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes, valid: %v", c.rule, len(got), utf8.ValidString(got))
		}
	}
}

func TestAMessageOfAnySizeIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m message.Message
		m.Role = rapid.SampledFrom([]string{message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleCustom, message.RoleFileMention}).Draw(t, "role")
		long := strings.Repeat(rapid.SampledFrom([]string{"x", "é", "\n", "語"}).Draw(t, "letter"), rapid.IntRange(0, 3000).Draw(t, "length"))
		for range rapid.IntRange(0, 60).Draw(t, "blocks") {
			m.Content = append(m.Content, message.Text(long), call("1", "write", `{"content":"`+strings.ReplaceAll(long, "\n", " ")+`"}`))
			m.Files = append(m.Files, message.File{Path: "p", Content: long})
		}
		got := summary.Serialize([]message.Message{m})
		if len(got) > 24_400 || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid: %v", len(got), utf8.ValidString(got))
		}
	})
}
