package treeview

import (
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// block holds the texts of neighbouring entries, each with a line break behind it. It never
// changes once it is in texts.
type block struct {
	from int32
	text string
	ends []int32 // where each entry's text ends in text, its line break included

	bytes [256]int32 // how often each byte stands in text
}

func newBlock(from int32, text string, ends []int32) *block {
	b := &block{from: from, text: text, ends: ends}
	for i := range len(text) {
		b.bytes[text[i]]++
	}
	return b
}

// snapshot is the texts as they are now.
func (x *texts) snapshot() snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	return snapshot{x.blocks[:len(x.blocks):len(x.blocks)], x.low, x.high}
}

type snapshot struct {
	blocks    []*block
	low, high int32
}

// text is the folded text of an entry, and "" when it is not prepared.
func (s snapshot) text(i int32) string {
	if i < s.low || i >= s.high {
		return ""
	}
	k := sort.Search(len(s.blocks), func(k int) bool { return s.blocks[k].from > i }) - 1
	return s.blocks[k].entry(int(i - s.blocks[k].from))
}

func (b *block) entry(k int) string {
	start := int32(0)
	if k > 0 {
		start = b.ends[k-1]
	}
	return b.text[start:b.ends[k]]
}

// find lists the entries that hold every word. One of them is looked for in all texts at once: it
// cannot run over a line break.
func (b *block) find(words []string) (hits []int32) {
	words = slices.Clone(words)
	key := b.rarest(words)
	for at, k := 0, 0; ; {
		found := b.index(at, words[0], key)
		if found < 0 {
			return hits
		}
		at = found
		k += sort.Search(len(b.ends)-k, func(j int) bool { return int(b.ends[k+j]) > at })
		if containsAll(b.entry(k), words[1:]) {
			hits = append(hits, b.from+int32(k))
		}
		at = int(b.ends[k])
		k++
	}
}

// rarest brings the word with the byte that the block has least of to the front, and returns that
// byte's place in the word.
func (b *block) rarest(words []string) (key int) {
	word, least := 0, int32(math.MaxInt32)
	for w := range words {
		for i := range len(words[w]) {
			if n := b.bytes[words[w][i]]; n < least {
				word, key, least = w, i, n
			}
		}
	}
	words[0], words[word] = words[word], words[0]
	return key
}

// index is where a word starts, at or after a place; -1: nowhere. Jumping from one rare byte to the
// next is several times faster than strings.Index, which looks for the first byte, in text where that
// is a common letter.
func (b *block) index(at int, word string, key int) int {
	const common = 16 // one in so many is too common for jumps
	if int(b.bytes[word[key]]) > len(b.text)/common {
		if k := strings.Index(b.text[at:], word); k >= 0 {
			return at + k
		}
		return -1
	}
	for i := at + key; i < len(b.text); i++ {
		k := strings.IndexByte(b.text[i:], word[key])
		if k < 0 {
			break
		}
		i += k
		if strings.HasPrefix(b.text[i-key:], word) {
			return i - key
		}
	}
	return -1
}

// findIn calls hit with each entry of the blocks that holds every word. The blocks are looked
// through by all processors, hit is called by the caller's goroutine.
func findIn(blocks []*block, words []string, hit func(int32)) {
	hits := make([][]int32, len(blocks))
	var next atomic.Int64
	look := func() {
		for k := next.Add(1) - 1; int(k) < len(blocks); k = next.Add(1) - 1 {
			hits[k] = blocks[k].find(words)
		}
	}
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(blocks)) - 1 {
		work.Go(look)
	}
	look()
	work.Wait()
	for _, list := range hits {
		for _, i := range list {
			hit(i)
		}
	}
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
