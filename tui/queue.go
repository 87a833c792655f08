package tui

import tea "charm.land/bubbletea/v2"

// queue runs work beside the event loop, one piece after the other: what works on a session may take
// longer than a key press allows. What is added while a piece runs waits and is then run at once, with
// one look at the outcome: so typing, scrolling and streaming never draw more often than they can.
//
// Its fields belong to the event loop; what the work touches belongs to the work alone.
type queue struct {
	running bool
	waiting []func()
	look    func() tea.Msg // after each run; its message must come back to ended
}

// do adds a piece of work.
func (q *queue) do(work func()) tea.Cmd {
	q.waiting = append(q.waiting, work)
	return q.start()
}

// ended is to be called when look's message has come back.
func (q *queue) ended() tea.Cmd {
	q.running = false
	return q.start()
}

func (q *queue) start() tea.Cmd {
	if q.running || len(q.waiting) == 0 {
		return nil
	}
	work, look := q.waiting, q.look
	q.running, q.waiting = true, nil
	return func() tea.Msg {
		for _, w := range work {
			w()
		}
		return look()
	}
}
