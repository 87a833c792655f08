package library

import "path/filepath"

// Placed is a session in its family: forks follow the session that they were made from.
type Placed struct {
	Item
	Depth int // 0 for one that came from none of the others
}

// Families puts sessions in the order in which families are shown: each session where it was, unless
// it is a fork of one of the others, which it then follows. A Parent that names none of them, and one
// that leads round in a circle, is as if there were none.
func Families(items []Item) []Placed {
	byName := map[string]int{}
	for n, i := range items {
		for _, name := range []string{i.ID, i.Path} {
			if _, taken := byName[name]; !taken && name != "" {
				byName[name] = n
			}
		}
	}
	children := make([][]int, len(items))
	root := make([]bool, len(items))
	for n, i := range items {
		p, ok := byName[i.Parent]
		if !ok && i.Parent != "" {
			p, ok = byName[filepath.Clean(i.Parent)]
		}
		if ok && p != n {
			children[p] = append(children[p], n)
		} else {
			root[n] = true
		}
	}
	out := make([]Placed, 0, len(items))
	done := make([]bool, len(items))
	grow := func(from int) {
		type step struct{ n, depth int }
		for stack := []step{{from, 0}}; len(stack) > 0; {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if done[s.n] {
				continue
			}
			done[s.n] = true
			out = append(out, Placed{items[s.n], s.depth})
			for c := len(children[s.n]) - 1; c >= 0; c-- {
				stack = append(stack, step{children[s.n][c], s.depth + 1})
			}
		}
	}
	for n := range items {
		if root[n] {
			grow(n)
		}
	}
	for n := range items { // those in a circle
		grow(n)
	}
	return out
}
