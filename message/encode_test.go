package message_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

func TestBuiltMessageIsWrittenInItsRolesOrder(t *testing.T) {
	code := 1
	for _, test := range []struct {
		m    message.Message
		want string
	}{
		{message.Message{Role: "user", Content: []message.Block{message.Text("a <b> & \u2028 \"\\\n\x01\x7f"), message.Image("image/png", []byte{0})}, Timestamp: 1},
			`{"role":"user","content":[{"type":"text","text":"a <b> & ` + "\u2028" + ` \"\\\n\u0001` + "\x7f" + `"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1}`},
		{message.Message{Role: "assistant", API: "a", Provider: "p", Model: "m", StopReason: "error", ErrorMessage: "overloaded", Timestamp: 2,
			Content: []message.Block{
				{Type: "thinking", Thinking: "hm", ThinkingSignature: "s"},
				{Type: "toolCall", ID: "1", Name: "read", Arguments: json.RawMessage("{\n \"n\": 1e3 }")},
				{Type: "toolCall", ID: "2", Name: "ls"}},
			Usage: &message.Usage{Input: 1, Output: 2, TotalTokens: 3, Cost: message.Cost{Input: 0.0003, Total: 1e-7}}},
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"toolCall","id":"1","name":"read","arguments":{"n":1e3}},{"type":"toolCall","id":"2","name":"ls","arguments":{}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0.0003,"output":0,"cacheRead":0,"cacheWrite":0,"total":1e-7}},"stopReason":"error","timestamp":2,"errorMessage":"overloaded"}`},
		{message.Message{Role: "toolResult", ToolCallID: "1", ToolName: "read", Details: json.RawMessage(`{"b": 1}`), IsError: true, Timestamp: 3},
			`{"role":"toolResult","toolCallId":"1","toolName":"read","content":[],"details":{"b":1},"isError":true,"timestamp":3}`},
		{message.Message{Role: "bashExecution", Command: "ls", Output: "x", ExitCode: &code, Truncated: true, FullOutputPath: "/f", ExcludeFromContext: true, Timestamp: 4},
			`{"role":"bashExecution","command":"ls","output":"x","exitCode":1,"cancelled":false,"truncated":true,"fullOutputPath":"/f","excludeFromContext":true,"timestamp":4}`},
		{message.Message{Role: "pythonExecution", Code: "1", Cancelled: true, Timestamp: 5},
			`{"role":"pythonExecution","code":"1","output":"","cancelled":true,"truncated":false,"timestamp":5}`},
		{message.Message{Role: "custom", CustomType: "note", Content: []message.Block{message.Text("a")}, Display: true, Details: json.RawMessage(`[]`), Attribution: "agent", Timestamp: 6},
			`{"role":"custom","customType":"note","content":[{"type":"text","text":"a"}],"display":true,"details":[],"attribution":"agent","timestamp":6}`},
		{message.Message{Role: "branchSummary", Summary: "s", FromID: "root", Timestamp: 7},
			`{"role":"branchSummary","summary":"s","fromId":"root","timestamp":7}`},
		{message.Message{Role: "compactionSummary", Summary: "s", ShortSummary: "t", TokensBefore: 9, Timestamp: 8},
			`{"role":"compactionSummary","summary":"s","shortSummary":"t","tokensBefore":9,"timestamp":8}`},
		{message.Message{Role: "fileMention", Files: []message.File{{Path: "a", Content: "b"}, {Path: "c", SkippedReason: "binary", Image: &message.Block{Type: "image", Data: "AA==", MimeType: "image/png"}}}, Timestamp: 9},
			`{"role":"fileMention","files":[{"path":"a","content":"b"},{"path":"c","content":"","skippedReason":"binary","image":{"type":"image","data":"AA==","mimeType":"image/png"}}],"timestamp":9}`},
		{message.Message{Role: "oracle", Content: []message.Block{message.Text("bad \xff")}, Timestamp: 10},
			`{"role":"oracle","content":[{"type":"text","text":"bad ` + "\uFFFD" + `"}],"timestamp":10}`},
	} {
		t.Run(test.m.Role, func(t *testing.T) {
			if test.m.Raw() != nil {
				t.Error("a message built in Go has no bytes it was read from")
			}
			if got := string(test.m.AppendJSON(nil)); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			again := decode(t, test.want)
			if got := string(rebuilt(t, again).AppendJSON(nil)); got != test.want {
				t.Errorf("read and built again:\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestEditableKeepsWhatBlocksSay(t *testing.T) {
	m := decode(t, `{"role":"user","content":[{"type":"x","odd":1},{"text":"a","type":"text"}],"timestamp":1,"extra":true}`).Editable()
	m.Timestamp = 2
	want := `{"role":"user","content":[{"type":"x","odd":1},{"text":"a","type":"text"}],"timestamp":2}`
	if got := string(m.AppendJSON(nil)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestWhatIsNotJSONIsRefused(t *testing.T) {
	for says, m := range map[string]message.Message{
		"Details":             {Role: "toolResult", Details: json.RawMessage(`{"a":`)},
		"block 0 (read)":      {Role: "assistant", Content: []message.Block{{Type: "toolCall", Name: "read", Arguments: json.RawMessage("x")}}},
		"not a finite":        {Role: "assistant", Usage: &message.Usage{Cost: message.Cost{Total: math.NaN()}}},
		"not a finite number": {Role: "assistant", Usage: &message.Usage{Cost: message.Cost{Total: math.Inf(1)}}},
	} {
		if _, err := json.Marshal(m); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
		if json.Valid(m.AppendJSON(nil)) {
			t.Errorf("AppendJSON made JSON of %+v", m)
		}
	}
}

func TestUser(t *testing.T) {
	m := message.User("look", message.Image("image/png", []byte{0}))
	if m.Role != "user" || m.Text() != "look" || len(m.Images()) != 1 || m.Timestamp == 0 {
		t.Errorf("%+v", m)
	}
	if m := message.User("", message.Image("image/png", []byte{0})); len(m.Content) != 1 {
		t.Errorf("no text makes no text block: %+v", m.Content)
	}
}

// What pi and omp wrote and has no member unknown to us is written the same from its fields.
func TestBuiltMessagesAreWrittenAsTheAncestorsWriteThem(t *testing.T) {
	corpus(t, func(t *testing.T, dir string, raw json.RawMessage) {
		if dir == "wild" { // made by hand
			return
		}
		m := decode(t, string(raw))
		switch {
		case bytes.Contains(raw, []byte(`"content":"`)): // we write blocks
		case bytes.Contains(raw, []byte(`"partialJson":`)): // unknown to us
		case m.Usage != nil && !bytes.Contains(raw, []byte(`"totalTokens":`)): // a pi of 2025
		default:
			if got := rebuilt(t, m).AppendJSON(nil); !bytes.Equal(got, raw) {
				t.Errorf("\n got %s\nwant %s", got, raw)
			}
		}
	})
}
