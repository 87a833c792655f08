package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
)

// ErrNone and ErrAmbiguous are what naming a session fails with.
var (
	ErrNone      = errors.New("no such session")
	ErrAmbiguous = errors.New("ambiguous session")
)

// Resolve finds the file of the session that a person names (section 15): a path, an id, the unique
// start of an id, a file's name, or "-" for the one last used in the directory dir.
func (l *Library) Resolve(ctx context.Context, name, dir string) (string, error) {
	if name == "-" {
		item, err := l.newest(ctx, dir)
		return item.Path, err
	}
	if _, err := os.Lstat(name); err == nil || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl") {
		return name, nil
	}
	items, err := l.all(ctx)
	if err != nil {
		return "", err
	}
	item, err := one(name, byID(items, name))
	return item.Path, err
}

// Find is Resolve for someone who remembers less: a session's name, a part of it, or a label in it
// will do too, and what is about dir goes before what is not. Labels are known as far as x is up to
// date; it may be nil.
func (l *Library) Find(ctx context.Context, name, dir string, x *Index) (Item, error) {
	if name == "-" {
		return l.newest(ctx, dir)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return Read(name)
	} else if err != nil && (strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl")) {
		return Item{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	items, err := l.all(ctx)
	if err != nil {
		return Item{}, err
	}
	labelled := func() []Item {
		if x == nil {
			return nil
		}
		paths, err := x.labelled(ctx, name)
		if err != nil {
			return nil // the index is a cache: without it there are no labels to go by
		}
		return pick(items, func(i Item) bool { return paths[i.Path] })
	}
	folded := display.Fold(name)
	same := dirMatcher(dir)
	for _, matches := range []func() []Item{
		func() []Item { return byID(items, name) },
		func() []Item { return pick(items, func(i Item) bool { return display.Fold(i.Name) == folded }) },
		labelled,
		func() []Item {
			return pick(items, func(i Item) bool { return strings.Contains(display.Fold(i.Title()), folded) })
		},
	} {
		found := matches()
		if here := pick(found, func(i Item) bool { return same(i.Cwd) }); len(here) > 0 {
			found = here
		}
		if len(found) > 0 {
			return one(name, found)
		}
	}
	return one(name, nil)
}

func (l *Library) all(ctx context.Context) ([]Item, error) {
	list := l.List(ListOptions{})
	var items []Item
	for i := range list.Sessions(ctx) {
		items = append(items, i)
	}
	return items, list.Err()
}

// newest is the session about a directory that was used last.
func (l *Library) newest(ctx context.Context, dir string) (Item, error) {
	list := l.List(ListOptions{Dir: dir, Only: true})
	for i := range list.Sessions(ctx) {
		return i, nil
	}
	if err := list.Err(); err != nil {
		return Item{}, err
	}
	return Item{}, fmt.Errorf("%w: none here in %s: 'ramo ls --all' lists those of every directory", ErrNone, dir)
}

func pick(items []Item, wanted func(Item) bool) (out []Item) {
	for _, i := range items {
		if wanted(i) {
			out = append(out, i)
		}
	}
	return out
}

// byID finds the sessions with an id or a file name, else those whose id starts so.
func byID(items []Item, name string) []Item {
	exact := pick(items, func(i Item) bool {
		return i.ID == name || strings.TrimSuffix(filepath.Base(i.Path), ".jsonl") == name
	})
	if len(exact) > 0 || name == "" {
		return exact
	}
	return pick(items, func(i Item) bool { return strings.HasPrefix(i.ID, name) })
}

// one is the only one of the sessions that a name may mean.
func one(name string, found []Item) (Item, error) {
	switch len(found) {
	case 0:
		return Item{}, fmt.Errorf("%w: %q is no file, and no session has an id that starts so: 'ramo ls --all' lists them", ErrNone, name)
	case 1:
		return found[0], nil
	}
	var list []string
	for _, i := range found[:min(len(found), 8)] {
		list = append(list, i.ID+" ("+i.Path+")")
	}
	if more := len(found) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return Item{}, fmt.Errorf("%w: %q could be %s", ErrAmbiguous, name, strings.Join(list, ", "))
}
