package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ramo-dev/ramo/internal/display"
)

// How many of each an extract lists.
const (
	shownTurns     = 12
	shownRuns      = 12
	shownQuestions = 5
)

// markdown writes the facts as a summary. goesOn: what the facts are of continues behind it.
func (f facts) markdown(files Files, goesOn bool) string {
	var b strings.Builder
	b.WriteString("(Extracted from the log without a model: quotations, not conclusions.)")
	section := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			b.WriteString("\n\n## " + title + "\n\n" + text)
		}
	}
	section("Summary of what came before", f.before)
	f.goal(section)
	section("Asked since", f.since())
	section("Earlier side branches and summaries", bullets(last(f.Earlier, carriedEarlier)))
	b.WriteString(files.section())
	section("Commands", f.commands())
	section("Where it ended", f.end(goesOn))
	section("Open questions", bullets(f.questions()))
	return b.String()
}

func (f facts) goal(section func(title, text string)) {
	switch {
	case len(f.Turns) > 0 && f.Turns[0].Asked != "":
		section("Goal", quote(f.Turns[0].Asked))
	case f.above != "":
		section("The request it worked on", quote(f.above))
	}
}

// since lists the later requests, each with what came of it. The last one's answer stands under
// "Where it ended".
func (f facts) since() string {
	if len(f.Turns) < 2 {
		return ""
	}
	turns, more := f.Turns[1:], f.MoreTurns
	if n := len(turns) - shownTurns; n > 0 {
		turns, more = turns[n:], more+n
	}
	var b strings.Builder
	if more > 0 {
		fmt.Fprintf(&b, "- (%s not shown)\n", count(more, "earlier request"))
	}
	for i, t := range turns {
		b.WriteString("- " + t.Asked)
		if t.Answered != "" && i < len(turns)-1 {
			b.WriteString(" → " + t.Answered)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// commands lists what failed first, then what failed and worked in the end, then the rest in a line.
// A failure without a word, as of a search that found nothing, says least.
func (f facts) commands() string {
	var failed, silent, mended, fine []string
	for _, r := range slices.Backward(f.Runs) {
		switch {
		case r.How != "":
			line := r.name() + " failed (" + r.how() + ")"
			if r.Error != "" {
				failed = append(failed, line+": "+code(r.Error))
			} else {
				silent = append(silent, line)
			}
		case r.Failed > 0:
			mended = append(mended, fmt.Sprintf("%s worked in the end, after it failed %s", r.name(), times(r.Failed)))
		default:
			fine = append(fine, r.name())
		}
	}
	lines := slices.Concat(failed, mended, silent)
	left := len(lines) - shownRuns
	lines = lines[:min(len(lines), shownRuns)]
	if left > 0 {
		lines = append(lines, fmt.Sprintf("(%s that failed not shown)", count(left, "other command")))
	}
	if len(fine) > 0 {
		shown := fine[:min(len(fine), shownRuns)]
		line := "Worked: " + strings.Join(shown, ", ")
		if n := len(fine) - len(shown) + f.MoreRuns; n > 0 {
			line += fmt.Sprintf(", and %d more", n)
		}
		lines = append(lines, line)
	}
	return bullets(lines)
}

// name is the run as code in one line: of a script, its first line.
func (r run) name() string {
	text, _, more := strings.Cut(r.Text, "\n")
	text = display.Line(text, 0)
	if short := ellipsis(text, 120); short != text {
		text = short
	} else if more {
		text += " …"
	}
	if r.Tool == "" {
		return code(text)
	}
	return code(strings.TrimSpace(r.Tool + " " + text))
}

func (r run) how() string {
	if r.Failed > 1 {
		return fmt.Sprintf("%s; %d of %d times", r.How, r.Failed, r.Times)
	}
	return r.How
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (f facts) end(goesOn bool) string {
	var parts []string
	if f.last != "" && !f.waiting {
		parts = append(parts, quote(shorten(firstParagraph(f.last), 900)))
	}
	if f.stopped != "" {
		parts = append(parts, "The last answer is not whole: "+f.stopped+".")
	} else if f.waiting && !goesOn {
		parts = append(parts, "The last request has no answer.")
	}
	return strings.Join(parts, "\n\n")
}

// questions are those of the last answer that no one answered.
func (f facts) questions() []string {
	if f.waiting {
		return nil
	}
	all := questions(f.last)
	return last(all, shownQuestions)
}

var (
	fencedCode = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?(^[ \t]*(```|~~~)[ \t]*$|\\z)")
	listMark   = regexp.MustCompile(`^[ \t>#]*([-*+]|\d+[.)])?[ \t]+`)
	sentence   = regexp.MustCompile(`.*?(?:[.!?]+[*_"')\]]*(?:\s+|$)|[。？！]|$)`)
	asks       = regexp.MustCompile(`[?？][*_"')\]]*\s*$`)
)

// questions are the sentences of a text that ask, without those in code.
func questions(text string) (out []string) {
	text = fencedCode.ReplaceAllString(text, "")
	for line := range strings.Lines(text) {
		line = listMark.ReplaceAllString(strings.TrimRight(" "+line, "\n"), "")
		for _, s := range sentence.FindAllString(line, -1) {
			if asks.MatchString(s) && strings.ContainsFunc(s, unicode.IsLetter) {
				out = append(out, ellipsis(strings.Trim(display.Line(s, 0), "*_ "), 300))
			}
		}
	}
	return out
}

// firstParagraph is a text's first paragraph that is no heading; one that announces what follows
// with a colon comes with what follows.
func firstParagraph(text string) string {
	var out []string
	for p := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if p = withoutHeadings(p); p == "" {
			continue
		}
		if out = append(out, p); !strings.HasSuffix(p, ":") {
			break
		}
	}
	return strings.Join(out, "\n\n")
}

var heading = regexp.MustCompile(`(?m)^#{1,6}[ \t].*$`)

func withoutHeadings(text string) string {
	return strings.TrimSpace(heading.ReplaceAllString(text, ""))
}

// quote puts a text into a Markdown quotation, so that no heading in it breaks the summary.
func quote(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "- " + strings.Join(lines, "\n- ")
}

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }
