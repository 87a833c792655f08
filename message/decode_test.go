package message_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

func decode(t *testing.T, raw string) message.Message {
	t.Helper()
	m, err := message.Decode(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("Decode(%s): %v", raw, err)
	}
	return m
}

func vectors(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors in testdata/%s (%v)", dir, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(path), ".json")] = data
	}
	return files
}

func TestMessageThatWasReadKeepsItsBytes(t *testing.T) {
	for rule, data := range vectors(t, "exact") {
		t.Run(rule, func(t *testing.T) {
			want := string(bytes.TrimSpace(data))
			m := decode(t, string(data))
			if got := string(m.AppendJSON([]byte("> "))); got != "> "+want {
				t.Errorf("AppendJSON:\n got %q\nwant %q", got, want)
			}
			if got, err := m.MarshalJSON(); err != nil || string(got) != want {
				t.Errorf("MarshalJSON:\n got %q, %v\nwant %q", got, err, want)
			}
			if string(m.Raw()) != want {
				t.Errorf("Raw:\n got %q\nwant %q", m.Raw(), want)
			}
			var again message.Message
			buf := bytes.Clone(data)
			if err := json.Unmarshal(buf, &again); err != nil {
				t.Fatal(err)
			}
			clear(buf) // UnmarshalJSON may not hold on to what it is given
			if string(again.Raw()) != want {
				t.Errorf("Unmarshal:\n got %q\nwant %q", again.Raw(), want)
			}
		})
	}
}

func TestOnlyWhatIsNoObjectIsAnError(t *testing.T) {
	for _, raw := range []string{"", " ", "null", "7", `"role"`, "[]", `[{"role":"user"}]`, "{", `{"role":"user"}x`, `{"role":}`} {
		if _, err := message.Decode(json.RawMessage(raw)); !errors.Is(err, message.ErrNotObject) {
			t.Errorf("Decode(%q): %v, want ErrNotObject", raw, err)
		}
	}
	for _, raw := range []string{"{}", " {}\n", `{"role":7,"content":8,"timestamp":"x"}`} {
		if _, err := message.Decode(json.RawMessage(raw)); err != nil {
			t.Errorf("Decode(%q): %v", raw, err)
		}
	}
}

func TestMemberOfTheWrongTypeIsZeroAndSpoilsNoOther(t *testing.T) {
	m := decode(t, `{"role":"assistant","content":[{"type":"toolCall","id":5,"name":"read","arguments":"{}"}],
		"api":1,"provider":"acme","model":["m"],"usage":{"input":"1","output":2,"cost":3},"stopReason":null,
		"isError":"true","exitCode":"0","display":1,"timestamp":true,"files":{"path":"x"},"details":null,"Model":"upper"}`)
	want := message.Message{
		Role:     "assistant",
		Content:  []message.Block{{Type: "toolCall", Name: "read"}},
		Provider: "acme",
		Usage:    &message.Usage{Output: 2},
	}
	if got := rebuilt(t, m); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// rebuilt is the message without the bytes it and its blocks were read from.
func rebuilt(t *testing.T, m message.Message) message.Message {
	t.Helper()
	m = m.Editable()
	if m.Content != nil {
		blocks := make([]message.Block, len(m.Content))
		for i, b := range m.Content {
			blocks[i] = b.Editable()
		}
		m.Content = blocks
	}
	return m
}

func TestNumbersInAnySpelling(t *testing.T) {
	for spelling, want := range map[string]int64{
		"1770000001000": 1770000001000, "1e3": 1000, "1.9": 1, "-2.5e1": -25, "9223372036854775807": 9223372036854775807,
		"12345678901234567890": 0, "1e400": 0, "null": 0, `"5"`: 0,
	} {
		if got := decode(t, `{"timestamp":`+spelling+`}`).Timestamp; got != want {
			t.Errorf("timestamp %s: %d, want %d", spelling, got, want)
		}
	}
	if code := decode(t, `{"exitCode":0}`).ExitCode; code == nil || *code != 0 {
		t.Errorf("exit code 0 is %v", code)
	}
	for _, none := range []string{`{}`, `{"exitCode":null}`} {
		if code := decode(t, none).ExitCode; code != nil {
			t.Errorf("exit code of %s is %d, want none", none, *code)
		}
	}
}

func TestContent(t *testing.T) {
	m := decode(t, `{"role":"user","content":[{"type":"text","text":"a "},{"type":"image","data":"AA==","mimeType":"image/png"},
		{"type":"toolCall","id":"1","name":"read","arguments":{"path":"x"}},{"type":"text","text":"b"},{"type":"thinking","thinking":"no"}]}`)
	if got := m.Text(); got != "a b" {
		t.Errorf("Text joins with nothing in between: %q", got)
	}
	if got := m.Images(); len(got) != 1 || got[0].MimeType != "image/png" || got[0].Data != "AA==" {
		t.Errorf("Images: %+v", got)
	}
	if got := m.ToolCalls(); len(got) != 1 || got[0].Name != "read" || string(got[0].Arguments) != `{"path":"x"}` {
		t.Errorf("ToolCalls: %+v", got)
	}
	if m := decode(t, `{"content":"a\ud83d"}`); m.Text() != "a\uFFFD" || len(m.Content) != 1 || m.Content[0].Type != "text" {
		t.Errorf("a string is one text block, a lone surrogate U+FFFD: %+v", m.Content)
	}
	if m := decode(t, `{"content":[7,{"type":"text","text":"x"}]}`); len(m.Content) != 2 || string(m.Content[0].Raw()) != "7" {
		t.Errorf("what is no block is kept in its place: %+v", m.Content)
	}
}

// corpus calls f with each message of the sessions in RAMO_CORPUS, and with the folder it is in.
func corpus(t *testing.T, f func(t *testing.T, dir string, raw json.RawMessage)) {
	t.Helper()
	root := os.Getenv("RAMO_CORPUS")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "corpus")
	}
	paths, _ := filepath.Glob(filepath.Join(root, "*", "*.jsonl"))
	if len(paths) == 0 {
		t.Skip("no corpus; set RAMO_CORPUS to one")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 64<<20)
			for lines.Scan() {
				var entry struct{ Message json.RawMessage }
				if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Message != nil {
					f(t, filepath.Base(filepath.Dir(path)), entry.Message)
				}
			}
			if lines.Err() != nil {
				t.Fatal(lines.Err())
			}
		})
	}
}

func TestCorpusMessagesKeepTheirBytes(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, raw json.RawMessage) {
		if got := decode(t, string(raw)).AppendJSON(nil); !bytes.Equal(got, raw) {
			t.Errorf("got  %s\nwant %s", got, raw)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"role":"user","content":"a\ud83d<\u2028","timestamp":1e3}`,
		`{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"x","arguments":{"a":[1]}}],"usage":{"cost":{"total":0.1}}}`,
		`{"role":"toolResult","toolCallId":"1","content":[null,1],"details":{"a": 1},"isError":true}`,
		`{"role":"bashExecution","command":"ls","exitCode":-1,"truncated":true}`,
		`{"role":"custom","content":"","details":[],"attribution":"user"}`,
		`{"role":"fileMention","files":[{"path":"a","image":{"type":"image","data":"blob:sha256:00"}}]}`,
		`{"role":"compactionSummary","summary":"s","tokensBefore":9}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := message.Decode(raw)
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(raw, &object) == nil && object != nil
		if (err == nil) != isObject {
			t.Fatalf("Decode: %v, but encoding/json says it is an object: %v", err, isObject)
		}
		if err != nil {
			return
		}
		if want := bytes.Trim(raw, " \t\r\n"); !bytes.Equal(m.Raw(), want) || !bytes.Equal(m.AppendJSON(nil), want) {
			t.Fatalf("bytes changed: %q to %q", want, m.AppendJSON(nil))
		}
		// Written from its fields and read again, a message says the same.
		built := rebuilt(t, m).AppendJSON(nil)
		again, err := message.Decode(built)
		if err != nil {
			t.Fatalf("cannot read %q: %v", built, err)
		}
		if again.Text() != m.Text() && m.Content != nil && hasContent(m.Role) {
			t.Fatalf("text changed: %q to %q", m.Text(), again.Text())
		}
		if twice := rebuilt(t, again).AppendJSON(nil); !bytes.Equal(twice, built) {
			t.Fatalf("not the same when written twice:\n%s\n%s", built, twice)
		}
		message.ForModel([]message.Message{m})
	})
}

func hasContent(role string) bool {
	switch role {
	case message.RoleBashExecution, message.RolePythonExecution, message.RoleBranchSummary,
		message.RoleCompactionSummary, message.RoleFileMention:
		return false
	}
	return true
}

func TestBlockAndUsageAsJSON(t *testing.T) {
	var b message.Block
	const block = `{"type":"text","text":"a","cache":1e1}`
	if err := json.Unmarshal([]byte(block), &b); err != nil || b.Text != "a" {
		t.Errorf("%+v, %v", b, err)
	}
	if got, err := json.Marshal(b); err != nil || string(got) != block {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := json.Marshal(message.Block{Type: "toolCall", Name: "read", Arguments: json.RawMessage("{")}); err == nil || !strings.Contains(err.Error(), "Arguments of read") {
		t.Errorf("arguments that are not JSON: %v", err)
	}
	var u message.Usage
	if err := json.Unmarshal([]byte(`{"input":1.0,"output":"x","cost":{"total":0.5,"input":[]}}`), &u); err != nil ||
		u != (message.Usage{Input: 1, Cost: message.Cost{Total: 0.5}}) {
		t.Errorf("%+v, %v", u, err)
	}
	if err := json.Unmarshal([]byte(`7`), &u); !errors.Is(err, message.ErrNotObject) {
		t.Errorf("a usage that is no object: %v", err)
	}
}
