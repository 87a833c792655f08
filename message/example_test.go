package message_test

import (
	"encoding/json"
	"fmt"

	"github.com/ramo-dev/ramo/message"
)

func ExampleDecode() {
	m, err := message.Decode(json.RawMessage(`{"timestamp":1e3,"role":"user","content":"<hi>","mood":"good"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Role, m.Text(), m.Timestamp)
	fmt.Printf("%s\n", m.AppendJSON(nil))
	// Output:
	// user <hi> 1000
	// {"timestamp":1e3,"role":"user","content":"<hi>","mood":"good"}
}

func ExampleMessage_Editable() {
	m, _ := message.Decode(json.RawMessage(`{"timestamp":1,"role":"user","content":"helo"}`))
	m = m.Editable()
	m.Content = []message.Block{message.Text("hello")}
	fmt.Printf("%s\n", m.AppendJSON(nil))
	// Output: {"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1}
}

// A branch was taken between a call and its result.
func ExampleForModel() {
	msgs := []message.Message{
		{Role: message.RoleBranchSummary, Summary: "Tried regexps: too slow."},
		{Role: message.RoleAssistant, Content: []message.Block{{Type: message.BlockToolCall, ID: "call_1", Name: "read"}}},
		{Role: message.RoleUser, Content: []message.Block{message.Text("use a parser instead")}},
	}
	for _, m := range message.ForModel(msgs) {
		fmt.Println(m.Role, m.ToolCallID, m.IsError)
	}
	// Output:
	// user  false
	// assistant  false
	// toolResult call_1 true
	// user  false
}

func ExampleResolveBlobs() {
	dir, err := message.BlobDir()
	if err != nil {
		fmt.Println(err)
		return
	}
	msgs, missing := message.ResolveBlobs([]message.Message{message.User("hello")}, dir)
	for _, err := range missing {
		fmt.Println(err)
	}
	fmt.Println(len(message.ForModel(msgs)))
	// Output: 1
}
