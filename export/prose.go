package export

import (
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
)

// prose makes the Markdown that somebody wrote part of a document: its headings stand below the
// document's own, a fence that it left open is closed, and what would be an HTML tag is text, so
// that nothing in it reaches beyond its end.
func prose(text string) string {
	var b strings.Builder
	fence := "" // the one that is open
	for line := range strings.Lines(strings.TrimRight(display.Text(text), " \t\n") + "\n") {
		switch mark, info := fenceOf(line); {
		case fence != "":
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.TrimSpace(info) == "" {
				fence = ""
			}
		case mark != "" && (mark[0] == '~' || !strings.Contains(info, "`")):
			fence = mark
		default:
			line = untagged(lowered(line))
		}
		b.WriteString(line)
	}
	if fence != "" {
		b.WriteString(fence + "\n")
	}
	return b.String()
}

// fenceOf is the run of backticks or tildes that begins a line and may open or close a fence, and
// what follows it.
func fenceOf(line string) (mark, info string) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return "", ""
	}
	info = strings.TrimLeft(rest, rest[:1])
	if mark = rest[:len(rest)-len(info)]; len(mark) < 3 {
		return "", ""
	}
	return mark, info
}

// lowered puts a heading two levels down.
func lowered(line string) string {
	rest := strings.TrimLeft(line, " ")
	text := strings.TrimLeft(rest, "#")
	level := len(rest) - len(text)
	if len(line)-len(rest) > 3 || level == 0 || level > 6 || text[0] != ' ' && text[0] != '\t' && text[0] != '\n' {
		return line
	}
	return strings.Repeat("#", min(level+2, 6)) + text
}

// untagged escapes what would begin an HTML tag or comment outside code.
func untagged(line string) string {
	if !strings.Contains(line, "<") {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '`':
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			end := i + run
			if n := closing(line[end:], run); n > 0 {
				end += n
			}
			b.WriteString(line[i:end])
			i = end
			continue
		case c == '\\' && i+1 < len(line): // escaped already, be it a backtick or a bracket
			b.WriteString(line[i : i+2])
			i += 2
			continue
		case c == '<' && tagStart(line[i+1:]):
			b.WriteByte('\\')
		}
		b.WriteByte(line[i])
		i++
	}
	return b.String()
}

// closing is where the run of n backticks ends that closes a code span; 0 if none does.
func closing(s string, n int) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return 0
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		at += run
		if run == n {
			return at
		}
	}
}

// tagStart tells whether what follows a < makes it the start of a tag or a comment. A link in angle
// brackets is neither.
func tagStart(s string) bool {
	for _, link := range []string{"http://", "https://", "mailto:"} {
		if strings.HasPrefix(s, link) {
			return false
		}
	}
	if s == "" {
		return false
	}
	c := s[0] | 0x20
	return c >= 'a' && c <= 'z' || strings.IndexByte("/!?", s[0]) >= 0
}

// fenced puts text in a fence that is longer than any run of backticks in it.
func fenced(language, text string) string {
	longest, run := 2, 0
	text = strings.TrimRight(display.Text(text), "\n")
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + text + "\n" + fence + "\n"
}

// inline makes one line of plain text of a string: nothing in it is Markdown.
func inline(s string) string {
	s = display.Line(s, 0)
	if !strings.ContainsAny(s, "\\`*_[]<>#~|&!") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte("\\`*_[]<>#~|&!", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// summaryText is one line of plain text within an HTML element.
func summaryText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(display.Line(s, 0))
}
