package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// errTooSlow ends a call whose time is up.
var errTooSlow = errors.New("too slow")

// errGone is what the handlers of a program that has ended answer: it was reported when it ended.
var errGone = errors.New("the program has ended")

// call runs one function of an extension beside the caller, who waits until it returns, ctx is done or
// the limit, if it is not 0, is reached. A panic is an error.
func call[T any](ctx context.Context, m *member, limit time.Duration, f func(ctx context.Context, s *Session) (T, error)) (T, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := startClock(limit, func() { cancel(errTooSlow) })
	defer c.pause()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("it did not return")} // as with runtime.Goexit
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("panic: %v%s", p, panicked())
			}
			done <- o
		}()
		o.value, o.err = f(ctx, &Session{m, ctx, c})
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
	}
	var none T
	if !errors.Is(context.Cause(ctx), errTooSlow) {
		return none, ctx.Err()
	}
	m.late.Add(1)
	go func() {
		<-done
		m.late.Add(-1)
	}()
	return none, fmt.Errorf("%w: it had %v; it is skipped until it has come back", errTooSlow, limit)
}

// panicked says where, called from a deferred function.
func panicked() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// clock runs down while an extension works, and stands while it waits for the user.
type clock struct {
	mu      sync.Mutex
	timer   *time.Timer // nil: there is no limit
	left    time.Duration
	started time.Time
	paused  int
}

func startClock(limit time.Duration, end func()) *clock {
	c := &clock{left: limit, started: time.Now()}
	if limit > 0 {
		c.timer = time.AfterFunc(limit, end)
	}
	return c
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused++
	if c.paused == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.started)
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused--
	if c.paused == 0 && c.timer != nil {
		c.started = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}
