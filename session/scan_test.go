package session

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

var scanSeeds = []string{
	`{}`, `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-02-01T10:00:00.000Z","message":{"role":"user","content":"hi"}}`,
	`{ "id" : "x" , "type":"a","id":"y" }`,
	`{"message":{"content":[{"type":"text","text":" \n"},{"text":"x","type":"text"},{"type":"toolCall"}],"role":"assistant","stopReason":"error"}}`,
	`{"message":{"role":"user"},"message":[1]}`, `{"message":{"role":"user","role":null}}`,
	`{"i\u0064":"\ud83d","type":"\u0061"}`, `{"n":[1e3,-0.5E+9,12345678901234567890,0]}`, `{"n":01}`, `{"n":-}`, `{"a":tru}`,
	`{"a":[[],{},[{}]]}`, `{"a":"\x"}`, `{"a":"tab	raw"}`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":"b"`, `{"a":[1,]}`, `{"a":}`, "{\"a\":\"\xff\xfe\"}",
	`{"message":{"content":[{"type":{"type":"text"},"text":"x"}]}}`, `{"message":{"content":{"type":"text","text":"x"}}}`,
	"{\"a\":\n1}", "{\"id\":\"12345678901234567890\\\"\"}", `{"parentId":5,"id":{"id":"z"},"type":[],"timestamp":7}`,
	`{"message":{"content":[[{"type":"text","text":"no"}]]}}`, `{"message":{"content":[{"type":"text","text":"a","text":5}]}}`,
}

// FuzzScan holds the scanner to encoding/json: the same objects accepted, the same members found.
func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	var s scanner
	f.Fuzz(func(t *testing.T, b []byte) {
		checkScan(t, &s, b)
	})
}

func TestScanAcceptsAndFindsWhatEncodingJSONDoes(t *testing.T) {
	var s scanner
	for _, seed := range scanSeeds {
		checkScan(t, &s, []byte(seed))
		for i := range seed { // every prefix, and every byte changed
			checkScan(t, &s, []byte(seed[:i]))
			for _, c := range []byte{'"', '{', '}', '\\', ',', 0, ' '} {
				b := []byte(seed)
				b[i] = c
				checkScan(t, &s, b)
			}
		}
	}
}

func checkScan(t *testing.T, s *scanner, b []byte) {
	t.Helper()
	if len(b) == 0 || b[0] != '{' || bytes.IndexByte(b, '\n') >= 0 {
		return
	}
	var got scanned
	e, at := s.scanObject(b, 0, &got)
	end := len(bytes.TrimRight(b, " \t\r"))
	accepted := e == rawjson.OK && got.end == end
	var want map[string]json.RawMessage
	err := json.Unmarshal(b, &want)
	if accepted != (err == nil) {
		t.Fatalf("%q: the scanner says %v (stopped at %d), encoding/json says %v", b, e, at, err)
	}
	if !accepted {
		return
	}
	for name, m := range map[string]member{"type": got.typ, "id": got.id, "parentId": got.parent, "timestamp": got.timestamp} {
		sameMember(t, b, name, m, want[name])
	}
	var msg map[string]json.RawMessage
	_ = json.Unmarshal(want["message"], &msg)
	sameMember(t, b, "role", got.role, msg["role"])
	sameMember(t, b, "stopReason", got.stop, msg["stopReason"])

	var str string
	var blocks []json.RawMessage
	text, calls := false, false
	if json.Unmarshal(msg["content"], &str) == nil && len(msg["content"]) > 0 && msg["content"][0] == '"' {
		text = !blankText(str)
	} else if json.Unmarshal(msg["content"], &blocks) == nil {
		for _, raw := range blocks {
			var block map[string]json.RawMessage
			if json.Unmarshal(raw, &block) != nil {
				continue
			}
			var typ, body string
			_ = json.Unmarshal(block["type"], &typ)
			_ = json.Unmarshal(block["text"], &body)
			text = text || typ == "text" && !blankText(body)
			calls = calls || typ == "toolCall"
		}
	}
	if bytes.Contains(b, []byte(`\u`)) {
		text = got.hasText // a blank may be spelled \u0020, which the scanner takes for text
	}
	if got.hasText != text || got.hasCalls != calls {
		t.Fatalf("%q: text %v calls %v, encoding/json says %v %v", b, got.hasText, got.hasCalls, text, calls)
	}
}

func blankText(s string) bool {
	return len(bytes.Trim([]byte(s), " \t\r\n")) == 0
}

func sameMember(t *testing.T, b []byte, name string, got member, want json.RawMessage) {
	t.Helper()
	var str string
	switch {
	case want == nil:
		if got.kind != absent {
			t.Fatalf("%q: %s found, encoding/json has none", b, name)
		}
	case want[0] == 'n':
		if got.kind != nullValue {
			t.Fatalf("%q: %s is not null", b, name)
		}
	case json.Unmarshal(want, &str) == nil:
		if got.kind != stringValue || got.text(b) != str {
			t.Fatalf("%q: %s is %q, want %q", b, name, got.text(b), str)
		}
	default:
		if got.kind != otherValue {
			t.Fatalf("%q: %s is kind %d, want another value", b, name, got.kind)
		}
	}
}

func BenchmarkScanObject(b *testing.B) {
	line := []byte(`{"type":"message","id":"aaaaaaa1","parentId":"aaaaaaa0","timestamp":"2026-02-01T10:00:00.000Z","message":{"role":"toolResult","content":[{"type":"text","text":"` +
		string(bytes.Repeat([]byte(`func main() {\n\tfmt.Println(\"hello\", world)\n}\n`), 30)) + `"}],"timestamp":1769940000000}}`)
	var s scanner
	var out scanned
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if e, _ := s.scanObject(line, 0, &out); e != rawjson.OK {
			b.Fatal(e)
		}
	}
}
