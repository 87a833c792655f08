package library

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatTheIndexTakesFromAnEntry(t *testing.T) {
	key := "sk-" + strings.Repeat("aB3x", 8)
	for _, c := range []struct {
		name, typ, raw, want string // role|text|files|tools|model
	}{
		{"a request", "message", `{"message":{"role":"user","content":"fix it"}}`, "user|fix it|[]|[]|"},
		{"blocks, without pictures", "message", `{"message":{"role":"user","content":[{"type":"text","text":"what is"},{"type":"image","data":"AAAA"},{"type":"text","text":"this?"}]}}`, "user|what is\nthis?|[]|[]|"},
		{"an answer, without thoughts", "message", `{"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"done"}],"provider":"acme","model":"m1"}}`, "assistant|done|[]|[]|acme/m1"},
		{"a model's name without its provider", "message", `{"message":{"role":"assistant","content":[],"model":"m1"}}`, "assistant||[]|[]|m1"},
		{"a command", "message", `{"message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{"command":"go test ./..."}}]}}`, "assistant|go test ./...|[]|[bash]|"},
		{"files, whatever they are called", "message", `{"message":{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"path":"a.go"}},{"type":"toolCall","name":"edit","arguments":{"file_path":"b.go","edits":[{"path":"c.go"},{"old":1}],"paths":["d.go"]}}]}}`, "assistant||[a.go b.go c.go d.go]|[read edit]|"},
		{"files of a patch", "message", `{"message":{"role":"assistant","content":[{"type":"toolCall","name":"apply_patch","arguments":{"input":"*** Begin Patch\n*** Update File: x/y.go\n@@\n*** Add File: z.go\n"}}]}}`, "assistant||[x/y.go z.go]|[apply_patch]|"},
		{"no output of tools", "message", `{"message":{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"secret plans"}]}}`, "toolResult||[]|[]|"},
		{"a command of the person, without its output", "message", `{"message":{"role":"bashExecution","command":"make","output":"boom"}}`, "bashExecution|make|[]|[bash]|"},
		{"a summary with the files it names", "branch_summary", `{"summary":"We tried.","details":{"readFiles":["a"],"modifiedFiles":["b"]}}`, "summary|We tried.|[a b]|[]|"},
		{"a compaction", "compaction", `{"summary":"So far."}`, "summary|So far.|[]|[]|"},
		{"files that were mentioned", "message", `{"message":{"role":"fileMention","files":[{"path":"a.md","content":"x"}]}}`, "fileMention||[a.md]|[]|"},
		{"no secrets", "message", `{"message":{"role":"user","content":"it is ` + key + `"}}`, "user|it is •••|[]|[]|"},
		{"nothing else", "model_change", `{"model":"a/b"}`, "||[]|[]|"},
		{"wrong types", "message", `{"message":{"role":"assistant","content":{"a":1},"model":7,"usage":"x"}}`, "assistant||[]|[]|"},
		{"no message", "message", `{"message":"x"}`, "||[]|[]|"},
	} {
		d := readDocument(c.typ, []byte(c.raw), false)
		if got := fmt.Sprintf("%s|%s|%v|%v|%s", d.role, d.text, d.files, d.tools, d.model); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	d := readDocument("message", []byte(`{"message":{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"plans"}]}}`), true)
	if d.text != "plans" || fmt.Sprint(d.tools) != "[read]" {
		t.Errorf("output that was asked for: %+v", d)
	}
	d = readDocument("message", []byte(`{"message":{"role":"user","content":"`+strings.Repeat("ä", longest)+`"}}`), false)
	if len(d.text) > longest || !strings.HasSuffix(d.text, "ä") {
		t.Errorf("a long text: %d bytes", len(d.text))
	}
}

func TestWhatAnAnswerCost(t *testing.T) {
	d := readDocument("message", []byte(`{"message":{"role":"assistant","content":[],"usage":{"input":3,"output":4,"cacheRead":5,"cacheWrite":6,"cost":{"total":0.25}}}}`), false)
	if u := d.usage; u == nil || u.Input != 3 || u.Output != 4 || u.CacheRead != 5 || u.CacheWrite != 6 || u.Cost.Total != 0.25 {
		t.Errorf("%+v", d.usage)
	}
}
