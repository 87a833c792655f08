package display

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// entryOf appends entries to a session in memory, and returns the last.
func entryOf(t *testing.T, lines ...string) session.Entry {
	t.Helper()
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	var e session.Entry
	for _, line := range lines {
		var err error
		if e, err = s.Append(context.Background(), session.RawBody(line)); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func TestEntry(t *testing.T) {
	msg := func(m string) string { return `{"type":"message","message":` + m + `}` }
	for _, c := range []struct{ name, line, want string }{
		{"user", msg(`{"role":"user","content":" fix\nit "}`), "user: fix it"},
		{"user, blocks", msg(`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","data":"eA==","mimeType":"image/png"}]}`), "user: see (1 image)"},
		{"assistant", msg(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"done"}],"stopReason":"stop"}`), "assistant: done"},
		{"aborted", msg(`{"role":"assistant","content":[],"stopReason":"aborted","errorMessage":"Request was aborted"}`), "assistant: (aborted)"},
		{"aborted midway", msg(`{"role":"assistant","content":[{"type":"text","text":"well"}],"stopReason":"aborted"}`), "assistant: (aborted) well"},
		{"failed", msg(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529 overloaded"}`), "assistant: 529 overloaded"},
		{"nothing said", msg(`{"role":"assistant","content":[{"type":"text","text":" "}],"stopReason":"stop"}`), "assistant: (no content)"},
		{"only calls", msg(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{}}],"stopReason":"toolUse"}`), "assistant: (no content)"},
		{"a result without its call", msg(`{"role":"toolResult","toolCallId":"c","toolName":"read","content":"x"}`), "[read]"},
		{"bash", msg(`{"role":"bashExecution","command":"go vet","output":"","exitCode":0}`), "[bash: go vet]"},
		{"bash, failed", msg(`{"role":"bashExecution","command":"go vet","output":"","exitCode":2}`), "[bash: go vet] exit 2"},
		{"python", msg(`{"role":"pythonExecution","code":"1+1","output":"2"}`), "[python: 1+1]"},
		{"hook message", msg(`{"role":"hookMessage","customType":"lint","content":"two warnings"}`), "[lint]: two warnings"},
		{"files", msg(`{"role":"fileMention","files":[{"path":"a.go"},{"path":"b.go"}]}`), "[files: a.go, b.go]"},
		{"unknown role", msg(`{"role":"oracle","content":"yes"}`), "oracle: yes"},
		{"custom message", `{"type":"custom_message","customType":"note","content":[{"type":"text","text":"mind the gap"}]}`, "[note]: mind the gap"},
		{"branch summary", `{"type":"branch_summary","fromId":"root","summary":"tried it\nin vain"}`, "[branch summary]: tried it in vain"},
		{"compaction", `{"type":"compaction","summary":"s","firstKeptEntryId":"x","tokensBefore":41789}`, "[compaction: 42k tokens]"},
		{"small compaction", `{"type":"compaction","summary":"s","firstKeptEntryId":"x","tokensBefore":420}`, "[compaction: 420 tokens]"},
		{"model, omp", `{"type":"model_change","model":"acme/m1"}`, "[model: acme/m1]"},
		{"model, pi", `{"type":"model_change","provider":"acme","modelId":"m1"}`, "[model: acme/m1]"},
		{"model of a role", `{"type":"model_change","model":"acme/m1","role":"smol"}`, "[model: acme/m1 for smol]"},
		{"thinking", `{"type":"thinking_level_change","thinkingLevel":"high"}`, "[thinking: high]"},
		{"thinking off", `{"type":"thinking_level_change","thinkingLevel":null}`, "[thinking: off]"},
		{"mode", `{"type":"mode_change","mode":"plan"}`, "[mode: plan]"},
		{"rules", `{"type":"ttsr_injection","injectedRules":["a","b"]}`, "[rules: a, b]"},
		{"custom", `{"type":"custom","customType":"checkpoint","data":{}}`, "[custom: checkpoint]"},
		{"session name", `{"type":"session_info","name":"The parser"}`, "[name: The parser]"},
		{"unknown type", `{"type":"credential_pin","x":1}`, "[credential_pin]"},
	} {
		if got := strings.TrimSpace(new(Lines).Entry(entryOf(t, c.line))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLabelEntry(t *testing.T) {
	s := session.NewMemory(session.NewHeader(""))
	e, err := s.Append(context.Background(), session.Message{Message: message.User("hi")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"start", "[label: start]"}, {"", "[label: (cleared)]"}} {
		by, err := s.SetLabel(context.Background(), e.ID(), c[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := new(Lines).Entry(by); got != c[1] {
			t.Errorf("%q, want %q", got, c[1])
		}
	}
}

const callOf = `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"ls","arguments":{}},{"type":"toolCall","id":"b\"","name":%q,"arguments":%s}],"stopReason":"toolUse"}}`

func TestAToolResultIsShownAsItsCall(t *testing.T) {
	for _, c := range []struct{ tool, arguments, want string }{
		{"read", `{"path":"src/a.go","offset":1,"limit":40}`, "[read: src/a.go:1-40]"},
		{"read", `{"path":"src/a.go","offset":40}`, "[read: src/a.go:40]"},
		{"read", `{"path":"src/a.go","limit":40}`, "[read: src/a.go:1-40]"},
		{"read", `{"file_path":"src/a.go"}`, "[read: src/a.go]"},
		{"bash", `{"command":"go test ./...\nls","timeout":5}`, "[bash: go test ./... ls]"},
		{"edit", `{"path":"a.go","oldText":"x","newText":"y"}`, "[edit: a.go]"},
		{"write", `{"path":"a.go","content":"x"}`, "[write: a.go]"},
		{"grep", `{"pattern":"x+","path":"src"}`, "[grep: /x+/ in src]"},
		{"find", `{"pattern":"*.go"}`, "[find: /*.go/ in .]"},
		{"ls", `{}`, "[ls: .]"},
		{"fetch", `{"url":"https://go.dev","depth":2}`, `[fetch: {"url":"https://go.dev","depth":2}]`},
		{"fetch", `{}`, "[fetch]"},
		{"fetch", `{"x":"` + strings.Repeat("y", 200) + `"}`, `[fetch: {"x":"` + strings.Repeat("y", 73) + `…]`},
	} {
		result := `{"type":"message","message":{"role":"toolResult","toolCallId":"b\"","toolName":"t","content":"ok","isError":false}}`
		if got := new(Lines).Entry(entryOf(t, fmt.Sprintf(callOf, c.tool, c.arguments), result)); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.arguments, got, c.want)
		}
	}
}

func TestAFailedToolSaysWhy(t *testing.T) {
	result := `{"type":"message","message":{"role":"toolResult","toolCallId":"b\"","toolName":"bash","content":"exit 1\nmore","isError":true}}`
	if got, want := new(Lines).Entry(entryOf(t, fmt.Sprintf(callOf, "bash", `{"command":"false"}`), result)), "[bash: false] failed: exit 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestALargeResultIsNotDecoded: to show the call that a result of megabytes answers, its bytes are
// read once, and not taken apart.
func TestALargeResultIsNotDecoded(t *testing.T) {
	const size = 2 << 20
	text := strings.Repeat(`say \"toolCallId\":\"a\" `, size/24)
	for _, c := range []struct{ name, message, want string }{
		{"the id first", `{"role":"toolResult","toolCallId":"b\"","toolName":"read","content":"` + text + `","isError":false}`, "[read: a.go]"},
		{"the id last", `{"role":"toolResult","content":[{"type":"text","text":"` + text + `"}],"isError":false,"toolCallId": "b\""}`, "[read: a.go]"},
	} {
		e := entryOf(t, fmt.Sprintf(callOf, "read", `{"path":"a.go"}`), `{"type":"message","message":`+c.message+`}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := new(Lines).Entry(e)
		runtime.ReadMemStats(&after)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > size*3/2 {
			t.Errorf("%s: %d MB for %d MB", c.name, used>>20, size>>20)
		}
	}
	// Where the bytes do not tell, they are decoded.
	for _, c := range []struct{ name, message, want string }{
		{"failed", `{"role":"toolResult","toolCallId":"b\"","content":"no` + text + `","isError":true}`, "[read: a.go] failed: no"},
		{"details say so too", `{"role":"toolResult","toolCallId":"b\"","details":{"toolCallId":"a","isError":true},"content":"` + text + `","isError":false}`, "[read: a.go]"},
	} {
		e := entryOf(t, fmt.Sprintf(callOf, "read", `{"path":"a.go"}`), `{"type":"message","message":`+c.message+`}`)
		if got := new(Lines).Entry(e); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.40q, want %q", c.name, got, c.want)
		}
	}
}

func TestSearch(t *testing.T) {
	call := fmt.Sprintf(callOf, "bash", `{"command":"make Fast"}`)
	for _, c := range []struct {
		name  string
		lines []string
		has   []string
		not   string
	}{
		{"role and text, however long", []string{`{"type":"message","message":{"role":"user","content":"` + strings.Repeat("x ", 5000) + `ÄRGER"}}`}, []string{"user", "ärger"}, "assistant"},
		{"tool and command of a call", []string{call}, []string{"bash", "make fast", "assistant"}, "user"},
		{"the call of a result, not its output", []string{call, `{"type":"message","message":{"role":"toolResult","toolCallId":"b\"","toolName":"bash","content":"plenty"}}`}, []string{"bash", "make fast", "toolresult"}, "plenty"},
		{"summary", []string{`{"type":"compaction","summary":"We Won","firstKeptEntryId":"x","tokensBefore":1}`}, []string{"we won", "compaction"}, "user"},
		{"custom type", []string{`{"type":"custom_message","customType":"Lint","content":"ok"}`}, []string{"lint", "ok"}, "user"},
	} {
		got := new(Lines).Search(entryOf(t, c.lines...))
		for _, w := range c.has {
			if !strings.Contains(got, Fold(w)) {
				t.Errorf("%s: no %q in %.80q", c.name, w, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%s: %q in %.80q", c.name, c.not, got)
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range [][2]string{{"ΣΊΣΥΦΟΣ", "σίσυφος"}, {"STRASSE", "strasse"}, {"ſ", "S"}, {"K", "k"}} {
		if Fold(c[0]) != Fold(c[1]) {
			t.Errorf("%q and %q differ", c[0], c[1])
		}
	}
}

func TestShortNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1k", 41_789: "42k", 1_000_000: "1M", 1_250_000: "1.2M"} {
		if got := Tokens(n); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{5: "5 bytes", 1500: "1.5 kB", 2_000_000: "2.0 MB", 3e9: "3.0 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
