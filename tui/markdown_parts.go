package tui

import (
	"regexp"
	"strings"
)

// markdownPart is a piece of a text that means the same alone as in its place.
type markdownPart struct {
	text   string
	joined bool // it goes on with what the part before began: no empty line between them
}

// linkDefinition is what other parts may refer to.
var linkDefinition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]+\]:[ \t]*\S`)

// markdownParts cuts a text at empty lines between blocks: not within a fence, and not before what may
// belong to the list above it. Code that is very long is cut between its lines, a list between its items.
func markdownParts(text string) (parts []markdownPart) {
	if linkDefinition.MatchString(text) {
		return []markdownPart{{text: text}}
	}
	var part strings.Builder
	var open, mark string // the line that opened the fence, and its sign
	inList, blank, joined, pending := false, false, false, false
	cut := func(goesOn bool) {
		if strings.TrimSpace(part.String()) != "" {
			parts = append(parts, markdownPart{part.String(), joined})
			joined = goesOn
		}
		part.Reset()
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		if mark != "" {
			part.WriteString(line)
			switch {
			case closesFence(trimmed, mark):
				mark = ""
				pending = true
			case part.Len() > longMarkdown && strings.TrimSpace(line) != "" && !inList:
				part.WriteString(mark + "\n")
				cut(true)
				part.WriteString(open)
			}
			continue
		}
		if strings.TrimSpace(line) == "" {
			blank = true
			part.WriteString(line)
			continue
		}
		item := isListItem(trimmed)
		if blank && indent == 0 && !(inList && item) || pending && !inList && indent == 0 {
			cut(false)
			inList = false
		}
		if inList && indent == 0 && isBullet(line) && part.Len() > longMarkdown {
			cut(true)
		}
		blank, pending = false, false
		inList = inList || item
		if sign := fenceSign(trimmed); sign != "" && indent < 4 {
			open, mark = line, sign
			if !strings.HasSuffix(open, "\n") {
				open += "\n"
			}
		}
		part.WriteString(line)
	}
	cut(false)
	return parts
}

// fenceSign is the row of ` or ~ that a fence opens with, or nothing.
func fenceSign(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 && !(c == "`" && strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

func closesFence(line, mark string) bool {
	line = strings.TrimRight(line, " \n")
	return len(line) >= len(mark) && strings.Trim(line, mark[:1]) == ""
}

func isListItem(line string) bool {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if rest := line[digits:]; digits > 0 && digits < 10 {
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return isBullet(line)
}

func isBullet(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}
