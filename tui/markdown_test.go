package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// whole draws a text as one part.
func whole(text string) []string {
	var m markdown
	m.lines("", 60, true)
	return m.draw(tabs(text))
}

func TestMarkdownInPartsLooksAsInOnePiece(t *testing.T) {
	for name, text := range map[string]string{
		"an answer":                         longAnswer,
		"two answers":                       longAnswer + longAnswer,
		"a loose list":                      "Three things:\n\n- one\n\n- two\n\n  with more\n\n- three\n\nThat is all.\n",
		"a numbered list":                   "1. one\n2. two\n\n3. three\n\nEnd\n",
		"code in a list":                    "- so:\n\n  ```go\n  a := 1\n\n  b := 2\n  ```\n\n- and\n\nEnd\n",
		"a fence with empty lines":          "A\n\n```\na\n\nb\n```\n\nB\n",
		"a fence without lines around it":   "A\n```go\nfunc f() {}\n```\nB\n",
		"a fence in a fence":                "````\n```\n\nx\n```\n````\n\nend\n",
		"a fence that is not closed":        "A\n\n```go\nfunc f() {\n\n\treturn\n",
		"tildes":                            "~~~sh\nls\n\ncd\n~~~\n\nend\n",
		"indented code":                     "A\n\n    b\n\n    c\n\nD\n",
		"quotations":                        "> a\n>\n> b\n\nc\n\n> d\n",
		"a table":                           "| a | b |\n| - | - |\n| 1 | 2 |\n\ntext\n",
		"a link that is defined at the end": "See [this][1] and\n\nmore.\n\n[1]: https://example.com/x\n",
		"headings and rules":                "# A\n\ntext\n\n---\n\n## B\nmore\n\nSetext\n======\n\nend\n",
		"empty":                             "",
		"only empty lines":                  "\n\n  \n",
	} {
		t.Run(name, func(t *testing.T) {
			var m markdown
			got, want := m.lines(text, 60, true), whole(text)
			if !slices.Equal(got, want) {
				t.Errorf("in parts:\n%s\nin one piece:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if again := m.lines(text, 60, true); !slices.Equal(again, got) {
				t.Error("the second time it looks otherwise")
			}
		})
	}
}

// What is too long for one part loses no line.
func TestLongMarkdownLosesNothing(t *testing.T) {
	var code, list, prose strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&code, "line%d := %d\n", i, i)
		fmt.Fprintf(&list, "- item %d.\n", i)
		fmt.Fprintf(&prose, "word%d. ", i)
	}
	for name, text := range map[string]string{
		"code": "Before\n\n```go\n" + code.String() + "```\nAfter\n", "a list": list.String() + "\nAfter\n", "a paragraph": prose.String(),
	} {
		var m markdown
		lines := m.lines(text, 60, true)
		plain := ansi.Strip(strings.Join(lines, "\n"))
		for i := range 3000 {
			form := map[string]string{"code": "line%d := %[1]d", "a list": "• item %d.", "a paragraph": "word%d."}[name]
			if s := fmt.Sprintf(form, i); !strings.Contains(plain, s) {
				t.Fatalf("%s: %q is not there", name, s)
			}
		}
		if strings.Contains(plain, "```") {
			t.Errorf("%s: a fence is seen", name)
		}
		if name != "a paragraph" && slices.Contains(lines[2:len(lines)-2], "") {
			t.Errorf("%s: there is a gap", name)
		}
	}
}

func FuzzMarkdownParts(f *testing.F) {
	f.Add(longAnswer)
	f.Add("- a\n\n1) b\n```\n\n~~~\nc")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > longMarkdown {
			return
		}
		var all strings.Builder
		for _, p := range markdownParts(text) {
			all.WriteString(p.text)
		}
		if got, want := strings.Join(strings.Fields(all.String()), " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}
