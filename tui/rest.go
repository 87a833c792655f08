package tui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// rest slows the renderer down while nothing happens. It looks sixty times a second whether there is
// something to draw, which costs about one percent of a processor in every terminal that is left open, and
// has no switch for that: so rest takes hold of its ticker. Where it finds none, all is as it was.
type rest struct {
	mu     sync.Mutex
	ticker *time.Ticker
	last   time.Time // when something happened
	asleep bool
}

const (
	restAfter = time.Second // of which the last frame needs a few hundredths
	restFor   = time.Hour
)

// newRest is for a program that runs.
func newRest(p *tea.Program) *rest {
	r := &rest{}
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if field.IsValid() && field.Type() == reflect.TypeFor[*time.Ticker]() {
		r.ticker = *(**time.Ticker)(unsafe.Pointer(field.UnsafeAddr()))
	}
	if r.ticker != nil {
		r.last = time.Now()
		time.AfterFunc(restAfter, r.fallAsleep)
	}
	return r
}

// wake has the next frame drawn in time; it is to be called before each.
func (r *rest) wake() {
	if r.ticker == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = time.Now()
	if r.asleep {
		r.asleep = false
		r.ticker.Reset(frameTime)
		time.AfterFunc(restAfter, r.fallAsleep)
	}
}

func (r *rest) fallAsleep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := restAfter - time.Since(r.last); left > 0 {
		time.AfterFunc(left, r.fallAsleep)
		return
	}
	r.asleep = true
	r.ticker.Reset(restFor)
}
