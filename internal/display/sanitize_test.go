package display

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "user: hello, world", "user: hello, world"},
		{"other scripts stay", "日本語 ünï 🌳 क्\u200dष", "日本語 ünï 🌳 क्\u200dष"},
		{"white space is one space", "  a \t\n\r\n b  ", "a b"},
		{"line and paragraph separators too", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"colours go", "\x1b[1;31mred\x1b[0m", "red"},
		{"titles and links go", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"},
		{"a sequence that does not end goes", "a\x1b]52;c;ZXZpbA==", "a"},
		{"other controls go", "a\x00b\x07c\x7fd\u009be", "abcde"},
		{"overrides and isolates go", "\u202egnp.exe\u2066x\u2069\u200f", "gnp.exex"},
		{"invisible characters go", "a\u200bb\ufeffc\u00add\u2060e", "abcde"},
		{"what is no UTF-8 is U+FFFD", "a\xffb\x9bc", "a\ufffdb\ufffdc"},
		{"nothing", "", ""},
	} {
		if got := Line(c.in, 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLineLooksAtNoMoreThanItsLimit(t *testing.T) {
	if got := Line("ééé", 3); got != "é…" {
		t.Errorf("%q", got)
	}
	if got := Line(strings.Repeat("a ", 1000), 10); got != "a a a a a …" {
		t.Errorf("%q", got)
	}
}

func TestText(t *testing.T) {
	if got, want := Text("one\r\n\ttwo\x1b[2J\u2028three\u202e\x08\xff"), "one\n\ttwo\nthree\ufffd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNothingHostileIsLeft holds for any text.
func TestNothingHostileIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"\x1b", "\x1b[", "\x1b]0;", "\x1bP", "\u009b", "\u009d", "\x9b", "\xc2", "\x07", "\x1b\\", "\u202e", "\u2066", "\u2028", "\r", "\n", "\t", " ", "m",
		}))).Draw(t, "pieces")
		s := strings.Join(pieces, "")
		line := Line(s, rapid.IntRange(0, 30).Draw(t, "limit"))
		if strings.Contains(line, "  ") || strings.Contains(line, "\n") || strings.TrimSpace(line) != strings.TrimLeft(line, " ") {
			t.Fatalf("white space in %q", line)
		}
		for _, out := range []string{line, Text(s)} {
			if !utf8.ValidString(out) {
				t.Fatalf("not UTF-8: %q", out)
			}
			for _, r := range out {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
					t.Fatalf("%q in %q, from %q", r, out, s)
				}
			}
		}
	})
}

func TestCutNeverExceedsTheWidth(t *testing.T) {
	for _, s := range []string{"日本語日本語", "plain text that is long", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "\x1b[31mred and long\x1b[0m"} {
		if got := Cut(s, 5); !strings.Contains(got, "…") {
			t.Errorf("Cut(%q, 5) = %q", s, got)
		}
	}
	if got := Cut("日本語", 6); got != "日本語" {
		t.Errorf("%q", got)
	}
}
