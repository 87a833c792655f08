package treeview

import (
	"fmt"
	"slices"

	"github.com/ramo-dev/ramo/session"
)

// Filter says which entries have rows (section 12).
type Filter uint8

// The filters, in the order in which the keys go through them.
const (
	Default     Filter = iota // no labels, custom data, model and mode changes or other bookkeeping
	NoTools                   // nor tool results
	UserOnly                  // the user's messages
	LabeledOnly               // what has a label
	All                       // everything
)

var filterNames = []string{"default", "no-tools", "user-only", "labeled-only", "all"}

// String is the filter's name: default, no-tools, user-only, labeled-only or all.
func (f Filter) String() string {
	if int(f) < len(filterNames) {
		return filterNames[f]
	}
	return fmt.Sprintf("Filter(%d)", uint8(f))
}

// ParseFilter is the filter with a name.
func ParseFilter(name string) (Filter, error) {
	if i := slices.Index(filterNames, name); i >= 0 {
		return Filter(i), nil
	}
	return Default, fmt.Errorf("no filter %q: use default, no-tools, user-only, labeled-only or all", name)
}

// Next is the filter that comes after this one; after the last comes the first.
func (f Filter) Next() Filter { return (f + 1) % Filter(len(filterNames)) }

// Previous is the filter that comes before this one.
func (f Filter) Previous() Filter {
	return (f + Filter(len(filterNames)) - 1) % Filter(len(filterNames))
}

// Filter is the filter in use.
func (t *Tree) Filter() Filter { return t.filter }

// SetFilter uses another filter. When that hides the selected entry, the nearest ancestor with a
// row takes the selection, until the entry has a row again or the reader moves.
func (t *Tree) SetFilter(f Filter) {
	if f == t.filter {
		return
	}
	t.filter = f
	t.flatten()
}

// Shows tells whether the filter shows an entry, which has that label ("" for none) and is the leaf or
// not.
func (f Filter) Shows(e session.Entry, label string, leaf bool) bool {
	return f.shows(classify(e), label != "", leaf)
}

func (f Filter) shows(c class, labelled, leaf bool) bool {
	if f == All {
		return true
	}
	if c == classCallsOnly && !leaf {
		return false
	}
	switch f {
	case NoTools:
		return c < classBookkeeping && c != classToolResult
	case UserOnly:
		return c == classUser
	case LabeledOnly:
		return labelled
	}
	return c < classBookkeeping
}

// visible tells whether an entry has a row, if no fold hides it.
func (t *Tree) visible(i int32) bool {
	return t.filter.shows(t.class[i], t.labels[i] != "", i == t.leaf) && (!t.query.active() || t.query.hits.has(i))
}
