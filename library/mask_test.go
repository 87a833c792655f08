package library

import (
	"strings"
	"testing"
)

// TestMask: each secret is written as its parts, so that this file has the shape of none.
func TestMask(t *testing.T) {
	x := strings.Repeat("aB3x", 12)
	for _, c := range []struct{ text, want string }{
		{"use sk-" + "ant-" + x + " now", "use ••• now"},
		{"AIza" + x, "•••"},
		{"gsk_" + x, "•••"},
		{"AKIA" + "ABCDEFGHIJKLMNOP", "•••"},
		{"gh" + "p_" + x, "•••"},
		{"github_" + "pat_" + x, "•••"},
		{"gl" + "pat-" + x, "•••"},
		{"xox" + "b-" + x, "•••"},
		{"sk_" + "live_" + x, "•••"},
		{"eyJ" + x + ".eyJ" + x + "." + x, "•••"},
		{"Authorization: Bearer " + x, "Authorization: Bearer •••"},
		{"postgres://ada:hunter2@db/x", "postgres://ada:•••db/x"},
		{"redis://:hunter2@cache", "redis://:•••cache"},
		{"OPENAI_API_KEY=" + x, "OPENAI_API_KEY=•••"},
		{"export DB_PASS='" + "hunter22'", "export DB_PASS='•••'"},
		{`{"password": "correct horse"}`, `{"password": •••}`},
		{"curl -u ada:hunter2 x", "curl -u ada:••• x"},
		{"Cookie: sid=abcdefgh", "Cookie: •••"},
		{"login --token " + x, "login --token •••"},
		{"a\n-----BEGIN " + "RSA PRIVATE KEY-----\nMII\n-----END " + "RSA PRIVATE KEY-----\nb", "a\n•••\nb"},
		{"-----BEGIN " + "PRIVATE KEY-----\ncut off", "•••"},
		{"two: sk-" + x + " gsk_" + x, "two: ••• •••"},

		{"", ""},
		{"the parser reads a token from the stream", ""},
		{"the task-list-of-the-whole-department is risk-free", ""},
		{"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", ""},
		{"https://example.org:8080/a@b and git@github.com:a/b", ""},
		{"max_tokens: 4096", ""},
		{"if err != nil { return key }", ""},
		{"ÄÖÜ ſ K Kelvin", ""}, // these change their length in lower case
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := Mask(c.text); got != want {
			t.Errorf("Mask(%q) is %q, want %q", c.text, got, want)
		}
		if got := Mask(Mask(c.text)); got != want {
			t.Errorf("masking twice makes %q of %q, want %q", got, c.text, want)
		}
	}
}
