package config

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// The toml package parses, but does not tell on which line a key stands. positions finds out, in a text
// that the package has accepted: it reads headers and keys, and skips values. What is inside a value (an inline
// table) has no line of its own; its key's counts.

// positions maps keys as join and index spell them to lines, from 1.
func positions(text string) map[string]int {
	s := &positionScanner{text: text, line: 1, found: map[string]int{}, tables: map[string]int{}}
	for s.next() {
	}
	return s.found
}

func join(key, name string) string {
	name = toml.Key{name}.String()
	if key == "" {
		return name
	}
	return key + "." + name
}

func index(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

type positionScanner struct {
	text   string
	at     int
	line   int
	header string // the table that keys are in
	found  map[string]int
	tables map[string]int // arrays of tables: how many so far
}

// next reads one header or one key with its value, and tells whether there may be more.
func (s *positionScanner) next() bool {
	s.skipSpace()
	if s.at >= len(s.text) {
		return false
	}
	line := s.line
	switch {
	case s.take("[["):
		names := s.names()
		key := s.resolve(names[:len(names)-1], line)
		list := join(key, names[len(names)-1])
		s.header = index(list, s.tables[list])
		s.tables[list]++
		s.add(list, line)
		s.add(s.header, line)
		s.skipValue()
	case s.take("["):
		s.header = s.resolve(s.names(), line)
		s.skipValue()
	default:
		names := s.names()
		s.take("=")
		key := s.header
		for _, n := range names {
			key = join(key, n)
			s.add(key, line)
		}
		s.skipValue()
	}
	return true
}

// resolve spells a header's key, where a list of tables means its last element.
func (s *positionScanner) resolve(names []string, line int) (key string) {
	for _, n := range names {
		key = join(key, n)
		s.add(key, line) // a table that no header names begins with the first below it
		if count := s.tables[key]; count > 0 {
			key = index(key, count-1)
			s.add(key, line)
		}
	}
	return key
}

func (s *positionScanner) add(key string, line int) {
	if _, ok := s.found[key]; !ok {
		s.found[key] = line
	}
}

func (s *positionScanner) take(prefix string) bool {
	if !strings.HasPrefix(s.text[s.at:], prefix) {
		return false
	}
	s.at += len(prefix)
	return true
}

// skipSpace goes on to what is neither space, comment nor the end of a line.
func (s *positionScanner) skipSpace() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '#':
			s.skipComment()
			continue
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		s.at++
	}
}

func (s *positionScanner) skipComment() {
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		s.at++
	}
}

// names reads a dotted key; there is always at least one name.
func (s *positionScanner) names() (names []string) {
	for {
		s.skipBlanks()
		names = append(names, s.name())
		s.skipBlanks()
		if !s.take(".") {
			return names
		}
	}
}

func (s *positionScanner) skipBlanks() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

func (s *positionScanner) name() string {
	from := s.at
	if s.at < len(s.text) && (s.text[s.at] == '"' || s.text[s.at] == '\'') {
		s.skipString()
		return unquote(s.text[from:s.at])
	}
	for s.at < len(s.text) && !strings.ContainsRune(" \t.=]\r\n", rune(s.text[s.at])) {
		s.at++
	}
	return s.text[from:s.at]
}

// unquote leaves the escapes of TOML to the package that knows them.
func unquote(quoted string) string {
	var m map[string]int
	if _, err := toml.Decode(quoted+"=0", &m); err != nil {
		return quoted
	}
	for name := range m {
		return name
	}
	return quoted
}

// skipValue goes to the end of the line on which the value, or header, ends.
func (s *positionScanner) skipValue() {
	for depth := 0; s.at < len(s.text); {
		switch s.text[s.at] {
		case '"', '\'':
			s.skipString()
			continue
		case '#':
			s.skipComment()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			if depth <= 0 {
				return // skipSpace counts it
			}
			s.line++
		}
		s.at++
	}
}

func (s *positionScanner) skipString() {
	quote := s.text[s.at : s.at+1]
	end := quote
	if strings.HasPrefix(s.text[s.at:], strings.Repeat(quote, 3)) {
		end = strings.Repeat(quote, 3)
	}
	s.at += len(end)
	for s.at < len(s.text) {
		switch {
		case quote == `"` && s.text[s.at] == '\\' && s.at+1 < len(s.text):
			if s.text[s.at+1] == '\n' {
				s.line++
			}
			s.at++
		case s.text[s.at] == '\n':
			s.line++
		case s.take(end):
			// Up to two quotes may stand right before the closing three.
			for len(end) == 3 && s.take(quote) {
			}
			return
		}
		s.at++
	}
}
