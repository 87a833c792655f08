package tui

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
	xansi "github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
)

// markdown draws Markdown in the terminal's own colours. It keeps what it drew, part by part: of an answer
// that grows only the last part is drawn anew. It is not safe for concurrent use.
type markdown struct {
	width    int
	dark     bool
	renderer *glamour.TermRenderer
	drawn    map[string][]string // by the part's text
	kept     int                 // bytes of those
	last     string              // the last part, which may still grow
	lastDraw []string
}

const (
	keepMarkdown = 4 << 20 // bytes of text whose drawn form is kept
	longMarkdown = 8 << 10 // bytes from which on a part is cut where its meaning hardly depends on it
)

// lines draws a text in so many columns. Where it cannot be drawn, the text itself is what is left.
func (m *markdown) lines(text string, width int, dark bool) []string {
	width = max(width, 10)
	if m.renderer == nil || m.width != width || m.dark != dark {
		r, err := glamour.NewTermRenderer(glamour.WithStyles(markdownStyle(dark)), glamour.WithWordWrap(width),
			glamour.WithChromaFormatter("terminal16"), glamour.WithPreservedNewLines())
		if err != nil {
			return wrap(display.Text(text), width)
		}
		*m = markdown{width: width, dark: dark, renderer: r, drawn: map[string][]string{}}
	}
	var lines []string
	parts := markdownParts(tabs(display.Text(text)))
	for i, part := range parts {
		drawn := m.part(part.text, i == len(parts)-1)
		if len(lines) > 0 && len(drawn) > 0 && !part.joined {
			lines = append(lines, "")
		}
		lines = append(lines, drawn...)
	}
	return lines
}

func (m *markdown) part(text string, last bool) []string {
	if lines, ok := m.drawn[text]; ok {
		return lines
	}
	if text != m.last {
		m.last, m.lastDraw = text, m.draw(text)
	}
	lines := m.lastDraw
	if last {
		return lines
	}
	if m.kept += len(text); m.kept > keepMarkdown {
		clear(m.drawn)
		m.kept = len(text)
	}
	m.drawn[text] = lines
	return lines
}

func (m *markdown) draw(text string) []string {
	if len(text) > 4*longMarkdown { // a paragraph or a table of this size
		return wrap(text, m.width)
	}
	out, err := m.renderer.Render(text)
	if err != nil {
		return wrap(text, m.width)
	}
	lines := strings.Split(strings.Trim(out, "\n"), "\n")
	for i, l := range lines {
		lines[i] = trimRight(l)
	}
	return fit(trimBlank(lines), m.width)
}

// trimBlank takes empty lines from both ends, and leaves one of several in a row.
func trimBlank(lines []string) []string {
	out := lines[:0]
	for _, l := range lines {
		if strings.TrimSpace(xansi.Strip(l)) == "" {
			if len(out) == 0 || out[len(out)-1] == "" {
				continue
			}
			l = ""
		}
		out = append(out, l)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// trimRight takes the padding from the end of a line, which may stand between sequences.
func trimRight(l string) string {
	plain := xansi.Strip(l)
	return xansi.Truncate(l, xansi.StringWidth(strings.TrimRight(plain, " ")), "")
}

// fit breaks what is still wider than the width, such as a long word.
func fit(lines []string, width int) []string {
	var out []string
	for _, l := range lines {
		if xansi.StringWidth(l) > width {
			out = append(out, strings.Split(xansi.Hardwrap(l, width, true), "\n")...)
			continue
		}
		out = append(out, l)
	}
	return out
}

// wrap breaks plain text at words.
func wrap(text string, width int) []string {
	width = max(width, 1)
	return fit(strings.Split(xansi.Wordwrap(tabs(text), width, ""), "\n"), width)
}

func tabs(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

func markdownStyle(dark bool) ansi.StyleConfig {
	blue, red, cyan, yellow := "4", "1", "6", "5"
	if dark {
		blue, red, cyan, yellow = "6", "9", "6", "3"
	}
	grey := "8"
	yes, two, zero := true, uint(2), uint(0)
	bar := "│ "
	heading := func(prefix string) ansi.StyleBlock {
		return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: prefix, Bold: &yes, Color: &blue}}
	}
	return ansi.StyleConfig{
		Document:      ansi.StyleBlock{Margin: &zero},
		BlockQuote:    ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &grey}, Indent: ptr(uint(1)), IndentToken: &bar},
		List:          ansi.StyleList{LevelIndent: two},
		Heading:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n", Bold: &yes, Color: &blue}},
		H1:            heading("# "),
		H2:            heading("## "),
		H3:            heading("### "),
		H4:            heading("#### "),
		H5:            heading("##### "),
		H6:            heading("###### "),
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		HorizontalRule: ansi.StylePrimitive{
			Color: &grey, Format: "\n────────\n",
		},
		Item:        ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Task:        ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},
		Link:        ansi.StylePrimitive{Color: &cyan, Underline: &yes},
		LinkText:    ansi.StylePrimitive{Color: &cyan, Bold: &yes},
		Image:       ansi.StylePrimitive{Color: &cyan, Underline: &yes},
		ImageText:   ansi.StylePrimitive{Color: &grey, Format: "image: {{.text}} →"},
		Code:        ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &yellow}},
		CodeBlock: ansi.StyleCodeBlock{
			StyleBlock: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &red}, Margin: &two},
			Theme:      codeStyle,
		},
		DefinitionDescription: ansi.StylePrimitive{BlockPrefix: "\n→ "},
	}
}

// codeStyle names the colours of code, which both light and dark terminals can show.
const codeStyle = "ramo"

func init() {
	styles.Register(chroma.MustNewStyle(codeStyle, chroma.StyleEntries{
		chroma.Comment:           "italic #ansidarkgray",
		chroma.Keyword:           "#ansiturquoise",
		chroma.KeywordType:       "#ansiteal",
		chroma.LiteralString:     "#ansidarkgreen",
		chroma.LiteralNumber:     "#ansipurple",
		chroma.NameFunction:      "#ansiblue",
		chroma.NameTag:           "#ansiblue",
		chroma.GenericDeleted:    "#ansidarkred",
		chroma.GenericInserted:   "#ansidarkgreen",
		chroma.GenericSubheading: "bold",
	}))
}

func ptr[T any](v T) *T { return &v }
