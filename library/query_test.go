package library

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.FixedZone("", 3600))

func TestParseQuery(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`parser`, `"parser"`},
		{`  the  parser `, `"the" AND "parser"`},
		{`"the parser" fails`, `"the parser" AND "fails"`},
		{`pars*`, `"pars" *`},
		{`"the pars"*`, `"the pars" *`},
		{`"no end`, `"no end"`},
		{`apply_coupon`, `"apply coupon"`},
		{`file:src/parser.go`, `files : "src parser go"`},
		{`file:"my file.txt" tool:bash`, `files : "my file txt" AND tools : "bash"`},
		{`File:pars*`, `files : "pars" *`},
		{`https://example.org`, `"https example org"`},
		{`std::vector foo:bar`, `"std vector" AND "foo bar"`},
		{`a && b`, `"a" AND "b"`},
		{`a OR b`, `"a" AND "OR" AND "b"`},
		{`NEAR(a b) text:x ^y -z (q)`, `"NEAR a" AND "b" AND "text x" AND "y" AND "z" AND "q"`},
		{`修正`, `"修 正"`},
		{`Straße`, `"Straße"`},
		{`label:first`, ` labels[first]`},
		{`label:"First Try" x`, `"x" labels[first try]`},
		{`role:Assistant`, ` roles[assistant]`},
		{`role:tool role:TOOLRESULT role:bash`, ` roles[toolResult toolResult bashExecution]`},
		{`cwd:/srv/demo`, ` dirs[/srv/demo]`},
		{`since:2026-03-01`, ` since 2026-03-01T00:00:00+01:00`},
		{`since:7d x`, `"x" since 2026-03-02T12:00:00+01:00`},
		{`"role:user"`, `"role user"`},
		{`a"b c"d`, `"a b" AND "c d"`},

		{``, "has no word in it"},
		{`""`, "has no word in it"},
		{`&& --`, "has no word in it"},
		{`label:`, "label: without what"},
		{`role: user`, "role: without what"},
		{`file:/`, "has no letter or number"},
		{`since:soon`, `"soon" is no time`},
	} {
		q, err := parseQuery(c.text, noon)
		got := q.match()
		for name, list := range map[string][]string{"labels": q.labels, "roles": q.roles, "dirs": q.dirs} {
			if len(list) > 0 {
				got += fmt.Sprintf(" %s%v", name, list)
			}
		}
		if !q.since.IsZero() {
			got += " since " + q.since.Format(time.RFC3339)
		}
		if err != nil {
			if got = err.Error(); !errors.Is(err, ErrQuery) {
				t.Errorf("%s: %v is not ErrQuery", c.text, err)
			}
			if !contains(got, c.want) {
				t.Errorf("%s: %s, want %s", c.text, got, c.want)
			}
		} else if got != c.want {
			t.Errorf("%s\nis   %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"today": "2026-03-09T00:00:00+01:00", "Yesterday": "2026-03-08T00:00:00+01:00", "2026": "2026-01-01T00:00:00+01:00",
		"2026-02": "2026-02-01T00:00:00+01:00", "2026-02-03": "2026-02-03T00:00:00+01:00", "2026-02-03T04:05": "2026-02-03T04:05:00+01:00",
		"2026-02-03T04:05:06Z": "2026-02-03T04:05:06Z", "36h": "2026-03-08T00:00:00+01:00", "2w": "2026-02-23T12:00:00+01:00",
		"1m": "2026-02-09T12:00:00+01:00", "1Y": "2025-03-09T12:00:00+01:00", "0d": "2026-03-09T12:00:00+01:00",
	} {
		if got, err := ParseTime(text, noon); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %v %v, want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	for _, text := range []string{"", "d", "-3d", "7x", "2026-13-01", "99999d", "3.5h", "7 d"} {
		if got, err := ParseTime(text, noon); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestAbout: cwd: with a path means that directory and those in it, with anything else a part of the
// path.
func TestAbout(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("USERPROFILE", "/home/ada")
	for _, c := range []struct {
		cwd, dir string
		want     bool
	}{
		{"/srv/demo", "/srv/demo", true}, {"/srv/demo/sub", "/srv/demo", true}, {"/srv/demo", "/srv/demo/", true},
		{"/srv/demo2", "/srv/demo", false}, {"/srv", "/srv/demo", false}, {"/srv/..demo", "/srv", true},
		{"/srv/Demo", "demo", true}, {"/srv/demo", "other", false},
		{"/home/ada/x", "~/x", true}, {"/home/ada/x", "~", true}, {"/srv/x", "~", false},
		{"", "/srv", false},
	} {
		if got := about(c.cwd, c.dir); got != c.want {
			t.Errorf("about(%q, %q) is %v", c.cwd, c.dir, got)
		}
	}
}

// FuzzQuery: whatever is typed, the index understands what it is asked, and a snippet's ranges lie in
// it.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{`parser`, `"the parser" pars*`, `file:a.go role:user since:7d`, `label:"x`, `a"b*c`, "\x00\xff", `修正 Ünïcode*`, `""*`, `cwd:.`, "a\u0301b"} {
		f.Add(s, "The parser is mended: 修正 of ünicode in a.go")
	}
	x, err := OpenIndex(f.TempDir() + "/x")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := x.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, text, said string) {
		q, err := parseQuery(text, noon)
		if err != nil {
			if !errors.Is(err, ErrQuery) {
				t.Fatal(err)
			}
			return
		}
		if _, err := x.find(t.Context(), q, SearchOptions{}); err != nil {
			t.Fatalf("%q: %q: %v", text, q.match(), err)
		}
		line, at, _ := snippet(said, q.terms)
		end := 0
		for _, m := range at {
			if m[0] < end || m[1] <= m[0] || m[1] > len(line) {
				t.Fatalf("%q in %q: ranges %v in %q", text, said, at, line)
			}
			end = m[1]
		}
	})
}
