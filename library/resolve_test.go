package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	b := newBookcase(t)
	folder := ".pi/agent/sessions/x"
	one := b.put(folder, "019cd1de-aaaa", "/srv/demo", 2)
	two := b.put(folder, "019cd1de-bbbb", "/srv/other", 1)
	three := b.put(folder, "77", "/srv/demo", 3)
	for _, c := range []struct{ name, dir, want string }{
		{"019cd1de-aaaa", "", one}, {"019cd1de-a", "", one}, {"7", "", three},
		{"-", "/srv/demo", one}, {"-", "/srv/other", two},
		{two, "", two}, {"some/where.jsonl", "", "some/where.jsonl"}, {"none.jsonl", "", "none.jsonl"},
	} {
		if got, err := b.lib.Resolve(context.Background(), c.name, c.dir); err != nil || got != c.want {
			t.Errorf("%s in %s is %s, want %s: %v", c.name, c.dir, got, c.want, err)
		}
	}
	for _, c := range []struct {
		name, dir string
		want      error
		says      string
	}{
		{"zz", "", ErrNone, `"zz" is no file`},
		{"", "", ErrNone, ""},
		{"-", "/nowhere", ErrNone, "none here in /nowhere"},
		{"019c", "", ErrAmbiguous, one},
	} {
		if got, err := b.lib.Resolve(context.Background(), c.name, c.dir); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q in %s is %s: %v", c.name, c.dir, got, err)
		}
	}
	for i := range 20 {
		b.put(folder, fmt.Sprint("many", i), "/srv/demo", 5)
	}
	if _, err := b.lib.Resolve(context.Background(), "many", ""); err == nil || !strings.Contains(err.Error(), "and 12 more") {
		t.Errorf("%v", err)
	}
}

// TestFind: an id before a name, that before a label, that before a part of a name; and what is here
// before what is not.
func TestFind(t *testing.T) {
	b := newBookcase(t)
	folder := ".pi/agent/sessions/x"
	named := func(name string) string { return entry("session_info", "n", "", `"name":"`+name+`"`) }
	one := b.put(folder, "aa1", "/srv/demo", 1, named("Parser"))
	two := b.put(folder, "bb2", "/srv/other", 2, named("Parser"), user("u", "n", "x"), label("l", "u", "u", "First Try"))
	three := b.put(folder, "cc3", "/srv/demo", 3, user("u", "", "mend the lexer"), label("l", "u", "u", "aa"))
	b.update()
	for _, c := range []struct {
		name, dir, want string
		x               *Index
	}{
		{"aa", "", one, b.x}, {"parser", "/srv/other", two, b.x}, {"PARSER", "/srv/demo", one, b.x},
		{"first try", "/srv/demo", two, b.x}, {"LEXER", "", three, b.x}, {"lexer", "", three, nil},
		{"-", "/srv/other", two, b.x}, {three, "", three, b.x},
	} {
		if got, err := b.lib.Find(context.Background(), c.name, c.dir, c.x); err != nil || got.Path != c.want {
			t.Errorf("%s in %s is %s, want %s: %v", c.name, c.dir, got.Path, c.want, err)
		}
	}
	for name, want := range map[string]error{"parser": ErrAmbiguous, "zebra": ErrNone, "none.jsonl": ErrNone, "first try": ErrNone} {
		if got, err := b.lib.Find(context.Background(), name, "/nowhere", nil); !errors.Is(err, want) {
			t.Errorf("%s is %s: %v", name, got.Path, err)
		}
	}
}

func TestFamilies(t *testing.T) {
	item := func(id, parent string) Item { return Item{ID: id, Path: "/s/" + id + ".jsonl", Parent: parent} }
	for _, c := range []struct {
		name  string
		items []Item
		want  string
	}{
		{"forks follow", []Item{item("fork", "a"), item("a", ""), item("b", "")}, "a0 fork1 b0"},
		{"by path", []Item{item("a", ""), item("b", ""), item("fork", "/s/../s/a.jsonl")}, "a0 fork1 b0"},
		{"forks of forks, in order", []Item{item("a", ""), item("x", "a"), item("y", "a"), item("z", "x")}, "a0 x1 z2 y1"},
		{"of what is not there", []Item{item("a", "gone"), item("b", "b")}, "a0 b0"},
		{"round in a circle", []Item{item("a", "b"), item("b", "a"), item("c", "")}, "c0 a0 b1"},
	} {
		var got []string
		for _, p := range Families(c.items) {
			got = append(got, fmt.Sprint(p.ID, p.Depth))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
