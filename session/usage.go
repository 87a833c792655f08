package session

import (
	"context"

	"github.com/ramo-dev/ramo/message"
)

// Usage adds up what answers and summaries cost: those on the branch that ends at the leaf, and all
// of the log's. It reads the entries that can say it, so it takes longer than opening the session.
// What providers did not count is missing. Cancelling ctx stops the reading.
func (s *Session) Usage(ctx context.Context) (branch, all message.Usage, err error) {
	l, way, err := s.path("")
	if err != nil {
		return branch, all, err
	}
	l.mu.RLock()
	n := l.idx.n
	l.mu.RUnlock()
	on := make([]bool, n)
	for _, i := range way {
		on[i] = true
	}
	r := newEntryReader(l)
	for i := range n {
		e := l.entryAt(i)
		switch {
		case e.Type() == TypeMessage && e.Role() == message.RoleAssistant:
		case e.Type() == TypeBranchSummary, e.Type() == TypeCompaction:
		default:
			continue
		}
		if err := ctx.Err(); err != nil {
			return branch, all, err
		}
		raw, err := r.read(e)
		if err != nil {
			return branch, all, err
		}
		if e.Type() == TypeMessage {
			v, _ := locate(raw, "message")
			raw = raw[v.start:v.end]
		}
		v, ok := locate(raw, "usage")
		if !ok {
			continue
		}
		var u message.Usage
		if u.UnmarshalJSON(raw[v.start:v.end]) != nil {
			continue // null, or no object: nothing was counted
		}
		all.Add(u)
		if on[i] {
			branch.Add(u)
		}
	}
	return branch, all, nil
}
