package treeview

import (
	"context"
	"strings"
	"sync"

	"github.com/ramo-dev/ramo/internal/display"
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

const blockEntries = 512

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
	ends := make([]int32, 0, to-from)
	var text strings.Builder
	var lines display.Lines
	for i := from; i < to; i++ {
		e, ok := entryOf(x.session, x.epoch, i)
		if !ok || ctx.Err() != nil {
			return nil
		}
		text.WriteString(lines.Search(e))
		text.WriteByte('\n')
		ends = append(ends, int32(text.Len()))
	}
	return newBlock(from, strings.Clone(text.String()), ends)
}
