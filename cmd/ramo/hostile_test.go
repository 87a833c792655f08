package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile has what a log should not be able to do to a terminal: escape sequences that set colours,
// the title and the clipboard, C1 controls, bidirectional overrides and isolates, line breaks that
// JSON does not know as such, invisible characters, bytes that are not UTF-8.
const hostile = "a\x1b[31mred\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07\u009b2J\u0085\u202egnp.exe\u2066\u2069\u2028x\u2029y\u200bz\ufeff\x00\b\r\nnext\x7f"

// TestNothingHostileReachesTheTerminal puts it wherever a log has text, and runs every command for
// eyes.
func TestNothingHostileReachesTheTerminal(t *testing.T) {
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	// JSON may hold most of it as it is, and one byte that is not UTF-8.
	h := strings.NewReplacer(`\u007f`, "\x7f", `\u009b`, "\u009b", `\u202e`, "\u202e", `\u2028`, "\u2028").Replace(string(quoted))
	h = h[:len(h)-1] + "\xff\""
	id := `"` + "e\\u001b[31m" + `"`
	var b strings.Builder
	line := func(s string) { b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, "%h", h), "%i", id) + "\n") }
	line(`{"type":"session","version":3,"id":%h,"timestamp":"2026-03-09T09:00:00.000Z","cwd":%h,"title":%h}`)
	entry := func(typ, id, parent, rest string) {
		line(`{"type":` + typ + `,"id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-03-09T09:00:01.000Z",` + rest + `}`)
	}
	entry(`"message"`, `"aaaaaaa1"`, `null`, `"message":{"role":"user","content":%h}`)
	entry(`"message"`, `"aaaaaaa2"`, `"aaaaaaa1"`, `"message":{"role":"assistant","content":[{"type":"text","text":%h},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":%h}},{"type":"toolCall","id":"d","name":%h,"arguments":{"x":%h}}],"provider":%h,"model":%h,"stopReason":"error","errorMessage":%h}`)
	entry(`"message"`, `"aaaaaaa3"`, `"aaaaaaa2"`, `"message":{"role":"toolResult","toolCallId":"c","toolName":%h,"content":%h,"isError":true}`)
	entry(`"message"`, `"aaaaaaa4"`, `"aaaaaaa3"`, `"message":{"role":"toolResult","toolCallId":"d","toolName":%h,"content":%h}`)
	entry(`"message"`, `"aaaaaaa5"`, `"aaaaaaa4"`, `"message":{"role":%h,"content":%h}`)
	entry(`"message"`, `"aaaaaaa6"`, `"aaaaaaa5"`, `"message":{"role":"bashExecution","command":%h,"output":%h}`)
	entry(`"custom_message"`, `"aaaaaaa7"`, `"aaaaaaa6"`, `"customType":%h,"content":%h`)
	entry(`"branch_summary"`, `"aaaaaaa8"`, `"aaaaaaa7"`, `"fromId":%h,"summary":%h`)
	entry(`"model_change"`, `"aaaaaaa9"`, `"aaaaaaa8"`, `"model":%h,"role":%h`)
	entry(`"thinking_level_change"`, `"aaaaaab1"`, `"aaaaaaa9"`, `"thinkingLevel":%h`)
	entry(`"mode_change"`, `"aaaaaab2"`, `"aaaaaab1"`, `"mode":%h`)
	entry(`"label"`, `"aaaaaab3"`, `"aaaaaab2"`, `"targetId":"aaaaaaa1","label":%h`)
	entry(`"custom"`, `"aaaaaab4"`, `"aaaaaab3"`, `"customType":%h`)
	entry(`"session_info"`, `"aaaaaab5"`, `"aaaaaab4"`, `"name":%h`)
	entry(`"ttsr_injection"`, `"aaaaaab6"`, `"aaaaaab5"`, `"injectedRules":[%h]`)
	entry(`"message"`, `"aaaaaab7"`, `"aaaaaab6"`, `"message":{"role":"fileMention","files":[{"path":%h,"content":%h}]}`)
	entry(`%h`, `%i`, `"aaaaaab7"`, `"x":%h`)
	b.WriteString("\x1b[31m\u202e not JSON\n")

	m := newMachine(t)
	log := b.String()
	path := m.file(m.home+"/.pi/agent/sessions/--srv--/s.jsonl", log)
	weird := "e\x1b[31m"
	for _, args := range [][]string{
		{"info", path}, {"tree", path, "--filter", "all"}, {"tree", path, "--ids", "--filter", "all"}, {path}, {"tree", path, "--search", "gnp"}, {"context", path}, {"context", path, "--format", "model"},
		{"doctor", path}, {"ls", "--all"}, {"label", path, "aaaaaaa1"}, {"nav", path, "aaaaaaa1"}, {"nav", path, weird}, {"nav", path, "aaaaaab4"},
		{"label", path, weird, "x"}, {"label", path, weird, "--clear"}, {"label", path, weird, hostile[:5] + "\x1b"}, {"branch", path, "aaaaaaa1", "-o", m.dir + "/b.jsonl"},
		{"fork", path, "-o", m.dir + "/f.jsonl"}, {"show", path, "\u202enone"}, {"\u202ecommand"}, {"info", "\x1b[31mfile"}, {"tree", path, "--filter", hostile[:4]},
		{"branch", path, "aaaaaaa2"}, {"doctor", "--repair", path},
		{"__complete", "info", ""}, {"__complete", "show", path, ""}, {"__complete", "show", path, "e"},
	} {
		o := m.run("", args...)
		if o.out+o.err == "" {
			t.Errorf("%q prints nothing, so this tests nothing", args)
		}
		for _, s := range []string{o.out, o.err} {
			if !utf8.ValidString(s) {
				t.Errorf("%q: not UTF-8: %q", args, s)
			}
			for _, r := range s {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || strings.ContainsRune("\u202e\u2066\u2069\u2028\u2029\u200b\ufeff", r) {
					t.Errorf("%q: %q in %q", args, r, s)
					break
				}
			}
		}
	}
}

func TestNoColoursInAPipe(t *testing.T) {
	m := newMachine(t)
	m.tour()
	m.env = append(m.env, "TERM=xterm-256color", "CLICOLOR=1")
	for _, args := range [][]string{{"tree"}, {"info"}, {"context"}, {"doctor"}} {
		if out := m.ok(append(args, "tour.jsonl")...); strings.Contains(out, "\x1b") {
			t.Errorf("%q: escapes in a pipe: %q", args, out)
		}
	}
}
