package tool

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// glob is a filter on paths with slashes. A pattern without a slash is for the file's name, one with a slash for
// the whole path. "*" and "?" stay within a name, "**" does not, "[a-z]" and "{a,b}" are as in a shell, a
// leading "!" turns it round.
type glob struct {
	re        *regexp.Regexp
	nameOnly  bool
	otherwise bool
}

func parseGlob(pattern string) (*glob, error) {
	g := &glob{}
	rest := strings.TrimPrefix(strings.ReplaceAll(pattern, `\`, "/"), "./")
	rest, g.otherwise = strings.CutPrefix(rest, "!")
	g.nameOnly = !strings.Contains(rest, "/")
	rest = strings.TrimPrefix(rest, "/")
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	braces := 0
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case strings.HasPrefix(rest[i:], "**/"):
			re.WriteString(`(?:.*/)?`)
			i += 2
		case strings.HasPrefix(rest[i:], "**"):
			re.WriteString(`.*`)
			i++
		case c == '*':
			re.WriteString(`[^/]*`)
		case c == '?':
			re.WriteString(`[^/]`)
		case c == '{':
			re.WriteString(`(?:`)
			braces++
		case c == ',' && braces > 0:
			re.WriteByte('|')
		case c == '}' && braces > 0:
			re.WriteByte(')')
			braces--
		case c == '[':
			end := strings.IndexByte(rest[i+1:], ']')
			if end < 1 {
				return nil, fmt.Errorf("glob %q: a [ is not closed", pattern)
			}
			set := rest[i+1 : i+1+end]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			re.WriteString("[" + strings.ReplaceAll(set, "[", `\[`) + "]")
			i += 1 + end
		default:
			n := 1
			for i+n < len(rest) && !strings.ContainsRune("*?{},[", rune(rest[i+n])) {
				n++
			}
			re.WriteString(regexp.QuoteMeta(rest[i : i+n]))
			i += n - 1
		}
	}
	if braces > 0 {
		return nil, fmt.Errorf("glob %q: a { is not closed", pattern)
	}
	re.WriteString(`\z`)
	var err error
	if g.re, err = regexp.Compile(re.String()); err != nil {
		return nil, fmt.Errorf("glob %q is not valid", pattern)
	}
	return g, nil
}

// match tells whether a file passes; it is named relative to the working directory or to where the search began.
func (g *glob) match(names ...string) bool {
	if g == nil {
		return true
	}
	for _, name := range names {
		if g.nameOnly {
			name = path.Base(name)
		}
		if g.re.MatchString(name) {
			return !g.otherwise
		}
	}
	return g.otherwise
}
