// Package display turns what a log holds into text that is safe and short enough for a terminal
// (section 12 of the specification).
package display

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Line makes one line of text from a log: terminal sequences, control characters and bidirectional
// overrides are gone, white space is one space, and no more than about limit bytes are looked at
// (0: all).
func Line(s string, limit int) string {
	if limit > 0 && len(s) > limit {
		s = start(s, limit) + "…"
	}
	if plain(s) {
		return s
	}
	s = strip(s)
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = b.Len() > 0
			continue
		case Hostile(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Text keeps line breaks and tabs, and takes out what Line takes out.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case Hostile(r):
			return -1
		}
		return r
	}, strip(s))
}

// strip takes out whole terminal sequences, of which else the harmless part would stay as text.
func strip(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.ContainsRune(s, '\x1b') || strings.ContainsRune(s, '\u009b') {
		s = ansi.Strip(s)
	}
	return s
}

func plain(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < 0x20 || c >= 0x7f || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return len(s) == 0 || before != ' '
}

// Hostile tells of characters that do something to a terminal, or to the order of what it shows,
// instead of being shown.
func Hostile(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u206f', r == '\u200e', r == '\u200f', r == '\u061c':
		return true // bidirectional controls
	case r == '\u2028', r == '\u2029':
		return true // line breaks to some terminals, but not to JSON
	case r == '\u200b', r >= '\u2060' && r <= '\u2064', r == '\ufeff', r == '\u00ad', r == '\u180e', r >= '\ufff9' && r <= '\ufffb':
		return true // invisible; the joiners U+200C and U+200D are part of how some scripts are written
	case r >= 0xe0000 && r <= 0xe007f:
		return true // tags
	}
	return false
}

// Cut shortens a line to a width in terminal cells.
func Cut(s string, width int) string { return ansi.Truncate(s, width, "…") }
