package export

import (
	"strings"
	"testing"
)

func TestProseStaysWithinItself(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain text", "Fix **it**.\n", "Fix **it**.\n"},
		{"a heading goes down", "# Plan\n\n##### Deep\n#hash\n", "### Plan\n\n###### Deep\n#hash\n"},
		{"an open fence is closed", "```go\nfunc", "```go\nfunc\n```\n"},
		{"a closed one stays", "~~~\na\n~~~\n", "~~~\na\n~~~\n"},
		{"a shorter run closes nothing", "````\n```\n", "````\n```\n````\n"},
		{"a fence of the other kind closes nothing", "```\n~~~\n", "```\n~~~\n```\n"},
		{"code within backticks opens no fence", "```a```\n# x", "```a```\n### x\n"},
		{"code is left alone", "```\n# not a heading <b>\n```\n", "```\n# not a heading <b>\n```\n"},
		{"a tag is text", "</details> and <!-- so -->", "\\</details> and \\<!-- so -->\n"},
		{"a tag in code is code", "use `<b>` or ``<i>`</i>``", "use `<b>` or ``<i>`</i>``\n"},
		{"a backtick alone is no code", "` <b>", "` \\<b>\n"},
		{"what is escaped stays so", "\\<b> \\` <b> `", "\\<b> \\` \\<b> `\n"},
		{"a link is a link", "see <https://example.org/a>", "see <https://example.org/a>\n"},
		{"less than", "a < b <3", "a < b <3\n"},
	} {
		if got := prose(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFenceIsLongerThanWhatItHolds(t *testing.T) {
	for text, want := range map[string]string{
		"a":           "```\na\n```\n",
		"``` b ```\n": "````\n``` b ```\n````\n",
		"`````":       "``````\n`````\n``````\n",
	} {
		if got := fenced("", text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzProse looks for text that leaves a fence open, which would swallow what follows, or that a
// second pass would change again.
func FuzzProse(f *testing.F) {
	for _, s := range []string{"```\n`", "~~~ a\n~~~~", "# a\n> ```\n", "    ```\n```", "`<b", "\\`<a", "``` `\n<b>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := prose(text)
		fence := ""
		for line := range strings.Lines(got) {
			switch mark, info := fenceOf(line); {
			case mark == "":
			case fence == "" && (mark[0] == '~' || !strings.Contains(info, "`")):
				fence = mark
			case fence != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.TrimSpace(info) == "":
				fence = ""
			}
		}
		if fence != "" {
			t.Errorf("%q leaves %q open: %q", text, fence, got)
		}
		if !strings.HasSuffix(got, "\n") || strings.HasSuffix(got, "\n\n") && strings.TrimSpace(got) == "" && len(got) > 1 {
			t.Errorf("%q does not end one line: %q", text, got)
		}
	})
}
