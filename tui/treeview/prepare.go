package treeview

import (
	"context"
	"sort"
	"strings"
	"sync"

	"github.com/ramo-dev/ramo/session"
)

// texts are what the search looks through: the folded text of each entry from low to high, in
// blocks. They grow at both ends, the newest entries first.
type texts struct {
	session *session.Session
	epoch   int

	working sync.Mutex // held while a block is made

	mu        sync.Mutex // guards what follows
	blocks    []*block   // in the entries' order
	low, high int32      // low is -1 until the first Update
	total     int32
}

// block holds the texts of neighbouring entries, each with a line break behind it. It never
// changes once it is in texts.
type block struct {
	from int32
	text string
	ends []int32 // where each entry's text ends in text, its line break included
}

const (
	blockEntries = 512
	// entryBytes is how much of one entry the search looks through: more than anyone types, less
	// than a log that was pasted.
	entryBytes = 64 << 10
)

// Prepare reads the entries and makes their texts ready for the search. It returns when all that
// Update has seen are ready, when ctx is done (its error), or when the log was replaced; run it
// again after an Update when Prepared says that some are missing. It is made to run in a goroutine of
// its own beside all other methods. After each step, up to a few hundred entries, it calls step, if
// that is not nil, with the numbers of entries that are ready and that there are: the next Update
// takes them into the search.
func (t *Tree) Prepare(ctx context.Context, step func(done, total int)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := t.texts.Load()
		if more := x.prepareBlock(ctx); !more {
			return ctx.Err()
		}
		if step != nil {
			step(x.progress())
		}
	}
}

// Prepared is how many entries the search can look through, and how many there are.
func (t *Tree) Prepared() (done, total int) { return t.texts.Load().progress() }

func (x *texts) progress() (done, total int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return int(x.high - x.low), int(x.total)
}

// extend says that there are n entries now.
func (x *texts) extend(n int32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.low < 0 {
		x.low, x.high = n, n
	}
	x.total = n
}

// prepareBlock makes the next block, and tells whether there was one to make.
func (x *texts) prepareBlock(ctx context.Context) bool {
	x.working.Lock()
	defer x.working.Unlock()
	x.mu.Lock()
	from, to := x.high, min(x.high+blockEntries, x.total)
	below := from == to
	if below {
		from, to = max(0, x.low-blockEntries), x.low
	}
	x.mu.Unlock()
	if from >= to {
		return false
	}
	b := x.read(ctx, from, to)
	if b == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if below {
		x.low = b.from
		x.blocks = append([]*block{b}, x.blocks...)
	} else {
		x.high = to
		x.blocks = append(x.blocks, b)
	}
	return true
}

// read makes a block; nil means that the log was replaced or ctx is done.
func (x *texts) read(ctx context.Context, from, to int32) *block {
	b := &block{from: from, ends: make([]int32, 0, to-from)}
	var text strings.Builder
	var reader textReader
	for i := from; i < to; i++ {
		e, ok := entryOf(x.session, x.epoch, i)
		if !ok || ctx.Err() != nil {
			return nil
		}
		text.WriteString(foldCase(clip(reader.searchable(e), entryBytes)))
		text.WriteByte('\n')
		b.ends = append(b.ends, int32(text.Len()))
	}
	b.text = strings.Clone(text.String())
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

// find calls hit with each entry that holds every word. The first is looked for in all texts at
// once: it cannot run over a line break.
func (b *block) find(words []string, hit func(int32)) {
	for at, k := 0, 0; ; {
		found := strings.Index(b.text[at:], words[0])
		if found < 0 {
			return
		}
		at += found
		k += sort.Search(len(b.ends)-k, func(j int) bool { return int(b.ends[k+j]) > at })
		if text := b.entry(k); containsAll(text, words[1:]) {
			hit(b.from + int32(k))
		}
		at = int(b.ends[k])
		k++
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
