package treeview

import (
	"runtime"
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

// find lists the entries that hold every word. The first is looked for in all texts at once: it
// cannot run over a line break.
func (b *block) find(words []string) (hits []int32) {
	for at, k := 0, 0; ; {
		found := strings.Index(b.text[at:], words[0])
		if found < 0 {
			return hits
		}
		at += found
		k += sort.Search(len(b.ends)-k, func(j int) bool { return int(b.ends[k+j]) > at })
		if containsAll(b.entry(k), words[1:]) {
			hits = append(hits, b.from+int32(k))
		}
		at = int(b.ends[k])
		k++
	}
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
