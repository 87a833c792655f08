package session

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Node is an entry's place in the tree.
type Node struct {
	Entry
	Depth  int    // 0 for a root
	Label  string // that stands on the entry, or ""
	Active bool   // on the way from a root to the leaf
}

// Roots are the entries that hang from nothing, in file order.
func (s *Session) Roots() []Entry {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]Entry, len(l.idx.roots))
	for i, r := range l.idx.roots {
		out[i] = l.entry(r)
	}
	return out
}

// Children are the entries that hang from one, oldest first; of "", the roots. An unknown id has
// none.
func (s *Session) Children(id string) []Entry {
	if id == "" {
		return s.Roots()
	}
	e, _ := s.Entry(id)
	return slices.Collect(e.Children())
}

// Tree yields the whole tree, depth first: each root and what hangs from it, oldest first. It holds
// no more than the way it has come, and no recursion, however deep the tree is (section 4).
func (s *Session) Tree() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		s.mu.RLock()
		l, leaf := s.log, s.leaf
		s.mu.RUnlock()

		l.mu.RLock()
		active := make([]uint64, l.idx.n/64+1) // a bit for each entry
		for i := leaf; i != none; i = l.idx.at(i).parent {
			active[i/64] |= 1 << (i % 64)
		}
		isActive := func(i int32) bool { // an entry that arrived meanwhile is not
			return int(i/64) < len(active) && active[i/64]&(1<<(i%64)) != 0
		}
		roots := slices.Clone(l.idx.roots)
		l.mu.RUnlock()

		for _, root := range roots {
			depth := 0
			for i := root; ; {
				l.mu.RLock()
				n := Node{Entry: l.entry(i), Depth: depth, Label: l.idx.labels[i].text, Active: isActive(i)}
				l.mu.RUnlock()
				if !yield(n) {
					return
				}
				l.mu.RLock()
				if first := l.idx.at(i).first; first != none {
					i = first
					depth++
					l.mu.RUnlock()
					continue
				}
				for i != root && l.idx.at(i).next == none {
					i = l.idx.at(i).parent
					depth--
				}
				done := i == root
				if !done {
					i = l.idx.at(i).next
				}
				l.mu.RUnlock()
				if done {
					break
				}
			}
		}
	}
}

// Branch yields the entries on the way from the root to an entry, which come first and last. ""
// means the leaf; a session without a leaf has an empty branch. The error is ErrNotFound.
func (s *Session) Branch(from string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		l, path, err := s.path(from)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		l.each(path, func(e Entry) bool { return yield(e, nil) })
	}
}

// path is the branch as numbers, and the log they are of.
func (s *Session) path(from string) (*log, []int32, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.log.mu.RLock()
	defer s.log.mu.RUnlock()
	i := s.leaf
	if from != "" {
		if i = s.log.idx.find(from); i == none {
			return nil, nil, s.notFound(from)
		}
	}
	return s.log, s.log.idx.path(i), nil
}

func (s *Session) notFound(id string) error {
	return fmt.Errorf("%w: %q in %s", ErrNotFound, id, cmp.Or(s.store.Name(), "the session"))
}

// Counts are figures about the shape of the tree.
type Counts struct {
	Roots    int
	Branches int // entries that nothing hangs from
	Depth    int // entries on the longest way from a root
}

// Counts walks the index once, without reading entries.
func (s *Session) Counts() Counts {
	l := s.current()
	l.mu.RLock()
	defer l.mu.RUnlock()
	c := Counts{Roots: len(l.idx.roots)}
	depths := make([]int32, l.idx.n) // 0: not known yet
	var way []int32
	for i := range l.idx.n {
		if l.idx.at(i).first == none {
			c.Branches++
		}
		// Parents nearly always stand before their children; where one does not, go up to what is
		// known and come down again.
		for k := i; k != none && depths[k] == 0; k = l.idx.at(k).parent {
			way = append(way, k)
		}
		for len(way) > 0 {
			k := way[len(way)-1]
			way = way[:len(way)-1]
			depths[k] = 1
			if p := l.idx.at(k).parent; p != none {
				depths[k] = depths[p] + 1
			}
			c.Depth = max(c.Depth, int(depths[k]))
		}
	}
	return c
}

// CommonAncestor is the deepest entry that two entries have above or at them; ok is false when
// they have none.
func (s *Session) CommonAncestor(a, b string) (common Entry, ok bool, err error) {
	l, pathA, err := s.path(a)
	if err != nil {
		return Entry{}, false, err
	}
	_, pathB, err := s.path(b)
	if err != nil {
		return Entry{}, false, err
	}
	n := 0
	for n < len(pathA) && n < len(pathB) && pathA[n] == pathB[n] {
		n++
	}
	if n == 0 {
		return Entry{}, false, nil
	}
	return l.entryAt(pathA[n-1]), true, nil
}

// Find finds an entry as a person names it: by its ID, by a label, or by the unique start of an
// ID, in this order (section 15). The error is ErrNotFound, or ErrAmbiguous with the candidates.
func (s *Session) Find(name string) (Entry, error) {
	if e, ok := s.Entry(name); ok {
		return e, nil
	}
	var found []Entry
	for _, lab := range s.Labels() {
		if lab.Text == name {
			found = append(found, lab.Target)
		}
	}
	if len(found) == 0 && name != "" {
		for e := range s.Entries() {
			if strings.HasPrefix(e.ID(), name) {
				found = append(found, e)
			}
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, s.notFound(name)
	case 1:
		return found[0], nil
	}
	ids := make([]string, 0, 8)
	for _, e := range found[:min(len(found), 8)] {
		ids = append(ids, e.ID())
	}
	more := ""
	if len(found) > len(ids) {
		more = fmt.Sprintf(" and %d more", len(found)-len(ids))
	}
	return Entry{}, fmt.Errorf("%w: %q could be %s%s", ErrAmbiguous, name, strings.Join(ids, ", "), more)
}
