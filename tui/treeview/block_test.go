package treeview

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A block finds the entries that hold every word, whether the words' bytes are rare in it or not.
func TestBlockFindsWhatHoldsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[ab]{0,30}[a-e ]{0,5}[ab]{0,30}`), 1, 20).Draw(t, "texts")
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-e]{1,4}`), 1, 3, rapid.ID).Draw(t, "words")
		var ends []int32
		var want []int32
		all := ""
		for i, text := range texts {
			all += text + "\n"
			ends = append(ends, int32(len(all)))
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
				want = append(want, int32(100+i))
			}
		}
		if got := newBlock(100, all, ends).find(words); !slices.Equal(got, want) {
			t.Fatalf("found %v, want %v", got, want)
		}
	})
}
