package tui

import "testing"

// The golden screens show that frames come in time; this shows that they do after a rest too.
func TestAFrameComesInTimeAfterARest(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	for range 2 {
		m.until("the renderer rests", func() bool { return resting(m.app) })
		m.typed("x")
		m.see("› x")
		m.press("backspace")
	}
}

func resting(a *app) bool {
	r := a.rest.Load()
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asleep
}
