package library

import (
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
)

// snippetSize is about how many bytes of a text are shown.
const snippetSize = 200

// spot is where a term stands in a text, in words.
type spot struct{ from, to, term int }

// spotsOf finds the terms in a text.
func spotsOf(words []word, terms []term) (spots []spot) {
	folded := make([][]string, len(terms))
	for i, t := range terms {
		for _, w := range t.words {
			folded[i] = append(folded[i], foldWord(w))
		}
	}
	for at := range words {
		for i, want := range folded {
			if at+len(want) <= len(words) && matches(words[at:at+len(want)], want, terms[i].prefix) {
				spots = append(spots, spot{at, at + len(want), i})
			}
		}
	}
	return spots
}

func matches(words []word, want []string, prefix bool) bool {
	for i, w := range want {
		if words[i].folded != w && !(prefix && i == len(want)-1 && strings.HasPrefix(words[i].folded, w)) {
			return false
		}
	}
	return true
}

// snippet is one line of a text, where the most of the terms stand, and where in it they do. It is
// safe to show. found tells whether any of them stands there.
func snippet(text string, terms []term) (line string, at [][2]int, found bool) {
	words := wordsOf(text)
	spots := spotsOf(words, terms)
	from, to := 0, len(text)
	if len(spots) > 0 {
		best, most := 0, 0
		for i, s := range spots {
			var seen []int
			for _, o := range spots[i:] {
				if words[o.to-1].end > words[s.from].start+snippetSize*3/4 {
					break
				}
				if !slices.Contains(seen, o.term) {
					seen = append(seen, o.term)
				}
			}
			if len(seen) > most {
				best, most = i, len(seen)
			}
		}
		from = words[spots[best].from].start
	}
	// A quarter stands before, from the start of a word on.
	if from = max(0, from-snippetSize/4); from > 0 {
		i, _ := slices.BinarySearchFunc(words, from, func(w word, at int) int { return w.start - at })
		from = words[i].start
	}
	if to > from+snippetSize {
		i, _ := slices.BinarySearchFunc(words, from+snippetSize, func(w word, at int) int { return w.end - at })
		switch {
		case i > 0 && words[i-1].end > from:
			to = words[i-1].end
		case i < len(words):
			to = min(words[i].end, from+2*snippetSize)
		}
	}
	line = display.Line(strings.ToValidUTF8(text[from:to], ""), 2*snippetSize)
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	words = wordsOf(line)
	for _, s := range spotsOf(words, terms) {
		start, end := words[s.from].start, words[s.to-1].end
		if n := len(at); n > 0 && start < at[n-1][1] {
			at[n-1][1] = max(at[n-1][1], end)
		} else {
			at = append(at, [2]int{start, end})
		}
	}
	return line, at, len(spots) > 0
}
