package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Label is a label on an entry.
type Label struct {
	Target Entry
	Text   string
	By     Entry // the label entry that put it there
}

// Label is the label that stands on an entry, and "" when there is none (section 6).
func (s *Session) Label(id string) string {
	e, ok := s.Entry(id)
	if !ok {
		return ""
	}
	return e.Label()
}

// Label is the label that stands on the entry now, and "" when there is none.
func (e Entry) Label() string {
	if e.log == nil {
		return ""
	}
	e.log.mu.RLock()
	defer e.log.mu.RUnlock()
	return e.log.idx.labels[e.n].text
}

// Labels lists the labels in the order in which they were set.
func (s *Session) Labels() []Label {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []Label
	for target, on := range l.idx.labels {
		if on.text != "" {
			out = append(out, Label{l.entry(target), on.text, l.entry(on.by)})
		}
	}
	slices.SortFunc(out, func(a, b Label) int { return cmp.Compare(a.By.n, b.By.n) })
	return out
}

// SetLabel puts a label on an entry, or with "" takes it off, by appending a label entry at the
// leaf (section 6). A label is one line of text without control characters.
func (s *Session) SetLabel(ctx context.Context, target, text string) (Entry, error) {
	e, ok := s.Entry(target)
	if !ok {
		return Entry{}, s.notFound(target)
	}
	return s.Append(ctx, LabelChange{TargetID: e.ID(), Label: text})
}

func checkLabel(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the label %q is not valid UTF-8", text)
	}
	for _, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("the label %q has a control character: a label is one line of text", text)
		}
	}
	return nil
}
