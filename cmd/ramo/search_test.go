package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	m := newMachine(t)
	m.shelf()
	tour := m.file(filepath.Join(m.home, "data/ramo/sessions/--srv-shop--/tour.jsonl"), read(t, "../../examples/tour.jsonl"))
	for _, c := range []struct {
		args []string
		want []string // entries, in order
	}{
		{[]string{"Coupon.Apply"}, []string{"920c5116", "bef4d0ce"}},
		{[]string{`"no such thing"`}, nil},
		{[]string{"label:diagnosis"}, []string{"b2dab5ca"}},
		{[]string{"cwd:" + filepath.Join(m.home, "nowhere"), "coupon"}, nil},
		{[]string{"coupon", "--here"}, nil},
		{[]string{"coupon", "--limit", "1"}, []string{"-"}},
	} {
		o := m.run("", append([]string{"search", "--json"}, c.args...)...)
		if o.err != "" || (o.code == 0) != (len(c.want) > 0) || len(c.want) == 0 && o.code != exitNo {
			t.Fatalf("%q: exit %d, %s", c.args, o.code, o.err)
		}
		if len(c.want) == 0 {
			continue
		}
		var got []string
		for _, line := range linesOf(o.out) {
			f := decode[foundEntry](t, line)
			if f.Path != tour || f.Entry == nil || f.Role == "" || f.Snippet == "" || f.Matches == nil {
				t.Errorf("%q: %s", c.args, line)
				continue
			}
			got = append(got, *f.Entry)
		}
		if len(c.want) == 1 && c.want[0] == "-" {
			if len(got) != 1 {
				t.Errorf("%q: %q", c.args, got)
			}
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(got, " "), want) {
				t.Errorf("%q finds %q, want %s", c.args, got, want)
			}
		}
	}
	out := m.ok("search", "Coupon.Apply")
	lines := linesOf(out)
	if !strings.HasPrefix(lines[0], "019c") || !strings.Contains(out, "  920c5116  user: [first try] ") {
		t.Errorf("for eyes:\n%s", out)
	}
	if o := m.run("", "search", "coupon", "--here"); o.code != exitNo || o.out != "Nothing found.\n" {
		t.Errorf("nothing: exit %d, %q %q", o.code, o.out, o.err)
	}
}

func TestSearchUsedWrongly(t *testing.T) {
	m := newMachine(t)
	for want, args := range map[string][]string{
		"usage: ramo search QUERY":  {"search"},
		"no word in it":             {"search", "&&"},
		`"soon" is no time`:         {"search", "since:soon"},
		"--limit must be at least ": {"search", "x", "--limit", "0"},
	} {
		if o := m.run("", args...); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
}

// TestToolOutputIsSearchedOnRequest, and from then on.
func TestToolOutputIsSearchedOnRequest(t *testing.T) {
	m := newMachine(t)
	m.file(filepath.Join(m.home, ".pi/agent/sessions/--work--/a.jsonl"), `{"type":"session","version":3,"id":"019cd1de-0000-7000-8000-000000000001","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"toolResult","toolName":"bash","content":[{"type":"text","text":"plums"}]}}
`)
	for _, c := range []struct {
		args string
		code int
	}{
		{"search plums", exitNo}, {"search plums --index-tool-output", 0}, {"search plums", 0},
		{"search --index-tool-output=false", 0}, {"search plums", exitNo},
	} {
		if o := m.run("", strings.Fields(c.args)...); o.code != c.code || o.err != "" {
			t.Errorf("%s: exit %d, %s", c.args, o.code, o.err)
		}
	}
}

// TestLsKnowsWhatTheIndexKnows: once a session is indexed, its figures are known without reading it.
func TestLsKnowsWhatTheIndexKnows(t *testing.T) {
	m := newMachine(t)
	m.shelf()
	big := filepath.Join(m.home, ".pi/agent/sessions/--work--/big.jsonl")
	m.file(big, `{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":"plums"}}
`)
	if err := os.Truncate(big, countBudget+1); err != nil { // NUL bytes
		t.Fatal(err)
	}
	known := func() string {
		for _, line := range linesOf(m.ok("ls", "--all", "--json")) {
			if strings.Contains(line, "big.jsonl") {
				return line
			}
		}
		t.Fatal("it is not listed")
		return ""
	}
	if line := known(); !strings.Contains(line, `"messages":null`) {
		t.Errorf("before: %s", line)
	}
	m.ok("search", "plums")
	if line := known(); !strings.Contains(line, `"messages":1,"branches":1`) {
		t.Errorf("after: %s", line)
	}
	databases, err := filepath.Glob(filepath.Join(m.home, ".cache/ramo/search-1/*.db"))
	if err != nil || len(databases) != 1 {
		t.Fatal(databases, err)
	}
	m.file(databases[0], "damaged")
	if line := known(); !strings.Contains(line, "big.jsonl") {
		t.Errorf("with a damaged index: %s", line)
	}
}
