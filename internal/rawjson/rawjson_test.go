package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

var seeds = []string{
	`{}`, ` { "a" : 1 , "b":[ ] } `, `[1,2, {"x":[{}]}]`, `"\ud83d\ude00 \ud83d x \udc00"`, `"\u00e9\/\b\f\n\r\t\"\\"`, `{"a":1,"a":2}`, `{"\u0061":null}`,
	`[]`, `[,]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1 2]`, `{"a":1}x`, "\"\xff\"", `"a`, `-`, `01`, `1.5e+3`, `truex`, `nul`, "[\n1\n]", `""`, `{"a":{"b":[[[1],"]"]]}}`,
	`"\ud83d\u0041"`, `"\uD83D\uDE0`, strings.Repeat("[", 9999) + strings.Repeat("]", 9999), strings.Repeat("[", 10001) + strings.Repeat("]", 10001), "{\"a\":\"\x01\"}",
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range seeds {
		check(t, []byte(s))
		for i := range min(len(s), 100) {
			check(t, []byte(s[:i]))
		}
	}
}

// FuzzRawJSON holds the package to encoding/json: the same values accepted, the same parts found,
// the same strings decoded.
func FuzzRawJSON(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { check(t, b) })
}

func check(t *testing.T, b []byte) {
	t.Helper()
	valid := json.Valid(b)
	if rawjson.Valid(b) != valid {
		t.Fatalf("Valid(%.100q) is %v, encoding/json says %v", b, !valid, valid)
	}
	trimmed := bytes.TrimLeft(b, " \t\r\n")
	object, members := false, map[string]string{}
	object = rawjson.Object(b, func(k []byte, start, end int) {
		name := bytes.ToValidUTF8(k, nil)
		if len(name) != len(k) {
			name = rawjson.Unescape(k) // encoding/json gives U+FFFD
		}
		members[string(name)] = string(b[start:end])
	})
	if want := valid && trimmed[0] == '{'; object != want {
		t.Fatalf("Object(%.100q) is %v", b, object)
	}
	if object {
		var want map[string]json.RawMessage
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != len(members) {
			t.Fatalf("Object(%.100q) finds %q, encoding/json %q", b, members, want)
		}
		for k, v := range want {
			if members[k] != string(v) {
				t.Fatalf("Object(%.100q): %q is %q, want %q", b, k, members[k], v)
			}
		}
	}
	var elements []string
	array := rawjson.Array(b, func(v []byte) { elements = append(elements, string(v)) })
	if want := valid && trimmed[0] == '['; array != want {
		t.Fatalf("Array(%.100q) is %v", b, array)
	}
	if array {
		var want []json.RawMessage
		if err := json.Unmarshal(b, &want); err != nil || len(want) != len(elements) {
			t.Fatalf("Array(%.100q) finds %d, want %d: %v", b, len(elements), len(want), err)
		}
		for i, v := range want {
			if elements[i] != string(v) {
				t.Fatalf("Array(%.100q): element %d is %q, want %q", b, i, elements[i], v)
			}
		}
	}
	if exact := bytes.TrimSpace(b); valid && exact[0] == '"' {
		var want string
		if err := json.Unmarshal(exact, &want); err != nil {
			t.Fatal(err)
		}
		if got, ok := rawjson.String(exact); !ok || got != want {
			t.Fatalf("String(%.100q) is %q, want %q", exact, got, want)
		}
	}
}
