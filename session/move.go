package session

import (
	"context"
	"errors"
)

// BranchTo moves the leaf to an entry, so that the next one hangs from there. Nothing is written;
// SavePosition keeps the move for the next time the session is opened (section 4).
func (s *Session) BranchTo(id string) error {
	if id == "" {
		return errors.New("branch to no entry: use ResetLeaf to start a new root")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.mu.RLock()
	defer s.log.mu.RUnlock()
	i := s.log.idx.find(id)
	if i == none {
		return s.notFound(id)
	}
	s.leaf, s.lost = i, ""
	return nil
}

// ResetLeaf moves the leaf to before the first entry: the next one will be a root.
func (s *Session) ResetLeaf() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaf, s.lost = none, ""
}

// BranchWithSummary moves the leaf to an entry, or with "" to before the first one, and appends a
// summary there, whose FromID it fills in. When the append fails the leaf stays where it was.
func (s *Session) BranchWithSummary(ctx context.Context, id string, b BranchSummary) (Entry, error) {
	b.FromID = ""
	return s.append(ctx, b, &id)
}
