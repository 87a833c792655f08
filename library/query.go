package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
)

// ErrQuery is the error for a query that asks for nothing, or in a wrong way.
var ErrQuery = errors.New("the query")

// query is what a person asked for. Everything in it must hold.
type query struct {
	terms  []term
	labels []string
	dirs   []string
	roles  []string
	since  time.Time
}

// term is a word or a phrase.
type term struct {
	column string   // of the table of words; "" for any
	words  []string // as written
	prefix bool     // the last word is only the start of one
}

// The columns of the table of words that a query can name.
var queryColumns = map[string]string{"file": "files", "tool": "tools"}

// parseQuery reads a query: words, "phrases", pref*, and label:, file:, tool:, cwd:, role:, since:
// with a word or a phrase. Any other word with a colon is words.
func parseQuery(text string, now time.Time) (query, error) {
	var q query
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimLeftFunc(rest, unicode.IsSpace) {
		name, value := "", rest
		if at := strings.IndexFunc(rest, func(r rune) bool { return r == ':' || r == '"' || unicode.IsSpace(r) }); at > 0 && rest[at] == ':' && isFilter(rest[:at]) {
			name, value = strings.ToLower(rest[:at]), rest[at+1:]
		}
		var prefix bool
		value, prefix, rest = nextValue(value)
		if err := q.add(name, value, prefix, now); err != nil {
			return query{}, err
		}
	}
	if len(q.terms)+len(q.labels)+len(q.dirs)+len(q.roles) == 0 && q.since.IsZero() {
		return query{}, fmt.Errorf("%w has no word in it: give one, or one of the filters that 'ramo search --help' lists", ErrQuery)
	}
	return q, nil
}

func isFilter(name string) bool {
	switch strings.ToLower(name) {
	case "label", "file", "tool", "cwd", "role", "since":
		return true
	}
	return false
}

// nextValue cuts off a word or a phrase, of which a missing end is the text's.
func nextValue(text string) (value string, prefix bool, rest string) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		value, rest, _ = strings.Cut(quoted, `"`)
		rest, prefix = strings.CutPrefix(rest, "*")
		return value, prefix, rest
	}
	at := strings.IndexFunc(text, unicode.IsSpace)
	if at < 0 {
		at = len(text)
	}
	value, prefix = strings.CutSuffix(text[:at], "*")
	return value, prefix, text[at:]
}

func (q *query) add(name, value string, prefix bool, now time.Time) error {
	if name != "" && strings.TrimSpace(value) == "" {
		return fmt.Errorf("%w says %s: without what", ErrQuery, name)
	}
	switch name {
	case "label":
		q.labels = append(q.labels, display.Fold(value))
	case "cwd":
		q.dirs = append(q.dirs, value)
	case "role":
		q.roles = append(q.roles, roleNamed(value))
	case "since":
		at, err := ParseTime(value, now)
		if err != nil {
			return fmt.Errorf("%w: since:%s: %w", ErrQuery, value, err)
		}
		q.since = at
	default:
		t := term{column: queryColumns[name], prefix: prefix}
		for _, w := range wordsOf(value) {
			t.words = append(t.words, value[w.start:w.end])
		}
		if len(t.words) > 0 { // else it is only punctuation, which is not indexed
			q.terms = append(q.terms, t)
		} else if name != "" {
			return fmt.Errorf("%w: %s:%s has no letter or number in it", ErrQuery, name, value)
		}
	}
	return nil
}

// roleNamed takes a role in any case, and shorter names of some.
func roleNamed(name string) string {
	name = strings.ToLower(name)
	switch name {
	case "tool", "result":
		return message.RoleToolResult
	case "bash":
		return message.RoleBashExecution
	case "python":
		return message.RolePythonExecution
	}
	for _, role := range []string{message.RoleToolResult, message.RoleBashExecution, message.RolePythonExecution, message.RoleFileMention} {
		if name == strings.ToLower(role) {
			return role
		}
	}
	return name
}

// match is the query's terms in the language of FTS5. Words are letters and numbers only, so that
// nothing in them means anything there.
func (q query) match() string {
	var all []string
	for _, t := range q.terms {
		s := `"` + strings.Join(t.words, " ") + `"`
		if t.prefix {
			s += " *"
		}
		if t.column != "" {
			s = t.column + " : " + s
		}
		all = append(all, s)
	}
	return strings.Join(all, " AND ")
}

// about tells whether a session's directory is one that the query names: that directory or one in it
// when it is a path, else any with the text in its path.
func about(cwd, dir string) bool {
	if home, err := os.UserHomeDir(); err == nil {
		dir = expand(dir, home)
	}
	if dir == "." || dir == ".." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	if !filepath.IsAbs(dir) {
		return strings.Contains(display.Fold(cwd), display.Fold(dir))
	}
	rel, err := filepath.Rel(dir, cwd)
	return err == nil && (rel == "." || filepath.IsLocal(rel)) || SameDir(cwd, dir)
}

// ParseTime reads a point of time as people write it: a day (2026-03-09), a month or a year, a time
// (2026-03-09T10:00), today, yesterday, or how long ago: 12h, 7d, 2w, 3m (months), 1y. Without a zone
// it is local time.
func ParseTime(text string, now time.Time) (time.Time, error) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text = strings.ToLower(text); text {
	case "today":
		return today, nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02t15:04", "2006-01-02t15:04:05", "2006-01", "2006"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)); err == nil {
		return t, nil
	}
	if len(text) > 1 {
		if n, err := strconv.Atoi(text[:len(text)-1]); err == nil && n >= 0 && n < 10_000 {
			switch text[len(text)-1] {
			case 'h':
				return now.Add(-time.Duration(n) * time.Hour), nil
			case 'd':
				return now.AddDate(0, 0, -n), nil
			case 'w':
				return now.AddDate(0, 0, -7*n), nil
			case 'm':
				return now.AddDate(0, -n, 0), nil
			case 'y':
				return now.AddDate(-n, 0, 0), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write 2026-03-09, yesterday, or 12h, 7d, 2w, 3m (months), 1y", text)
}
