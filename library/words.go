package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/ramo-dev/ramo/internal/display"
)

// The index takes a text apart at what is neither a letter nor a number, as SQLite's tokenizer does.
// Scripts that put no space between words are taken apart at each letter instead, and a word of a
// query in such a script is a phrase of letters.

// spaced puts spaces around each letter of a script that has none between words.
func spaced(text string) string {
	first := strings.IndexFunc(text, unspaced)
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) * 4 / 3)
	b.WriteString(text[:first])
	for _, r := range text[first:] {
		if unspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unspaced tells whether a letter belongs to a script that puts no space between words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// word is one word of a text: its bytes, and what it is compared by.
type word struct {
	start, end int
	folded     string
}

// wordsOf takes a text apart.
func wordsOf(text string) (list []word) {
	start := -1
	end := func(at int) {
		if start >= 0 {
			list = append(list, word{start, at, foldWord(text[start:at])})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unspaced(r) && inWord(r):
			end(i)
			start = i
			end(i + utf8.RuneLen(r))
		case inWord(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return list
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) && r != utf8.RuneError
}

// foldWord makes words equal that differ in case and in the marks on their letters.
func foldWord(w string) string {
	for i := 0; i < len(w); i++ {
		if w[i] >= utf8.RuneSelf {
			t := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
			if plain, _, err := transform.String(t, w); err == nil {
				w = plain
			}
			break
		}
	}
	return display.Fold(w)
}
