package tui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"github.com/ramo-dev/ramo/internal/display"
)

// line is one line of text that is edited: a label, a name, an answer. It works in graphemes, so that a
// letter with its accents, or a flag, goes as one.
type line struct {
	before, after []string // graphemes
}

func newLine(text string) line { return line{before: graphemes(text)} }

func graphemes(text string) (all []string) {
	for g := uniseg.NewGraphemes(keepSpaces(text)); g.Next(); {
		all = append(all, g.Str())
	}
	return all
}

func join(parts []string) (s string) {
	for _, p := range parts {
		s += p
	}
	return s
}

func (l *line) text() string { return join(l.before) + join(l.after) }

func (l *line) insert(text string) {
	// A letter and the accent that is typed after it are one grapheme.
	l.before = graphemes(join(l.before) + text)
}

// keepSpaces takes out of a text what is no part of a line, and leaves its spaces.
func keepSpaces(text string) string {
	out := []rune{}
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			out = append(out, ' ')
		case !unicode.IsControl(r) && !display.Hostile(r):
			out = append(out, r)
		}
	}
	return string(out)
}

// key edits, and tells whether the key meant something.
func (l *line) key(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "left", "ctrl+b":
		if n := len(l.before); n > 0 {
			l.after = append([]string{l.before[n-1]}, l.after...)
			l.before = l.before[:n-1]
		}
	case "right", "ctrl+f":
		if len(l.after) > 0 {
			l.before = append(l.before, l.after[0])
			l.after = l.after[1:]
		}
	case "home", "ctrl+a":
		l.before, l.after = nil, append(append([]string{}, l.before...), l.after...)
	case "end", "ctrl+e":
		l.before, l.after = append(append([]string{}, l.before...), l.after...), nil
	case "backspace", "ctrl+h":
		if n := len(l.before); n > 0 {
			l.before = l.before[:n-1]
		}
	case "delete", "ctrl+d":
		if len(l.after) > 0 {
			l.after = l.after[1:]
		}
	case "ctrl+u":
		l.before = nil
	case "ctrl+k":
		l.after = nil
	case "ctrl+w", "alt+backspace":
		n := len(l.before)
		for n > 0 && l.before[n-1] == " " {
			n--
		}
		for n > 0 && l.before[n-1] != " " {
			n--
		}
		l.before = l.before[:n]
	default:
		if msg.Text == "" {
			return false
		}
		l.insert(msg.Text)
	}
	return true
}

// render draws the line in so many cells, with the cursor's column.
func (l *line) render(width int) (text string, x int) {
	width = max(width, 2)
	before := join(l.before)
	if w := ansi.StringWidth(before); w >= width {
		before = ansi.TruncateLeft(before, w-width+2, "…")
	}
	x = ansi.StringWidth(before)
	return ansi.Truncate(before+join(l.after), width, ""), x
}
