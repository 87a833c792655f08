package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ramo-dev/ramo/agent/tool"
)

// A model calls a tool by its name; the user is asked when the tool says so.
func Example() {
	dir, err := os.MkdirTemp("", "ramo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("hello\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	w, err := tool.Open(dir, tool.Options{Edit: tool.Ask})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	calls := map[string]string{
		"read": `{"path":"greeting.txt"}`,
		"grep": `{"path":"../secret","pattern":"."}`,
		"edit": `{"path":"greeting.txt","oldText":"hello","newText":"good morning"}`,
	}
	for _, t := range w.Tools() {
		args, ok := calls[t.Name]
		if !ok {
			continue
		}
		if t.MustAsk(json.RawMessage(args)) {
			fmt.Printf("(the user agrees to %s) ", t.Name)
		}
		r := t.Call(context.Background(), json.RawMessage(args))
		fmt.Println(strings.TrimSpace(r.Content[0].Text), r.IsError)
	}
	// Output:
	// hello false
	// grep failed: ../secret is outside the working directory; only paths inside it can be used true
	// (the user agrees to edit) Edited greeting.txt at line 1. false
}

// A tool of one's own.
func ExampleTool_Call() {
	add := tool.Tool{
		Name:        "add",
		Description: "Add two numbers.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		Run: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
			var n struct{ A, B float64 }
			if err := json.Unmarshal(args, &n); err != nil {
				return tool.Result{}, err
			}
			return tool.Text(fmt.Sprint(n.A + n.B)), nil
		},
	}
	for _, args := range []string{`{"a":1,"b":2}`, `{"a":"1"}`} {
		fmt.Println(add.Call(context.Background(), json.RawMessage(args)).Content[0].Text)
	}
	// Output:
	// 3
	// add was not run: argument "b" is missing; argument "a" must be number, not string; it takes a (number, required), b (number, required)
}
