package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// spending puts sessions on the machine that cost something.
func (m *machine) spending() {
	m.t.Helper()
	answer := func(id, day, model, cost string) string {
		return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-03-` + day + `T09:00:01.000Z","message":{"role":"assistant","content":[],"provider":"acme","model":"` + model +
			`","usage":{"input":1000,"output":200,"cacheRead":30,"cacheWrite":4,"cost":{"total":` + cost + `}}}}` + "\n"
	}
	header := `{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/a-directory-with-a-name-that-is-longer-than-any-terminal-is-wide-and-goes-on/demo"}` + "\n"
	m.file(filepath.Join(m.home, ".pi/agent/sessions/--srv-demo--/a.jsonl"), header+answer("a", "09", "m1", "0.25")+answer("b", "09", "m2", "0.5")+answer("c", "12", "m1", "1"))
}

func TestStatsJSON(t *testing.T) {
	m := newMachine(t)
	m.spending()
	s := decode[statsJSON](t, m.ok("stats", "--json"))
	if s.spentJSON != (spentJSON{1, 3, 3000, 600, 90, 12, 1.75}) {
		t.Errorf("in all %+v", s.spentJSON)
	}
	if len(s.Days) != 2 || s.Days[0] != (dayJSON{"2026-03-09", spentJSON{1, 2, 2000, 400, 60, 8, 0.75}}) || s.Days[1].Day != "2026-03-12" {
		t.Errorf("days: %+v", s.Days)
	}
	if len(s.Models) != 2 || s.Models[0] != (modelJSON{"acme/m1", spentJSON{1, 2, 2000, 400, 60, 8, 1.25}}) {
		t.Errorf("models: %+v", s.Models)
	}
	if len(s.Directories) != 1 || !strings.HasPrefix(s.Directories[0].Directory, "/srv/a-directory") {
		t.Errorf("directories: %+v", s.Directories)
	}
	if s := decode[statsJSON](t, m.ok("stats", "--json", "--since", "2026-03-10")); s.Cost != 1 || len(s.Days) != 1 {
		t.Errorf("since: %+v", s)
	}
	o := m.run("", "stats", "--json", "--here")
	if o.code != exitNo || o.out != `{"sessions":0,"messages":0,"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"cost":0,"days":[],"models":[],"directories":[]}`+"\n" {
		t.Errorf("nothing here: exit %d, %s", o.code, o.out)
	}
	if o := m.run("", "stats", "--since", "soon"); o.code != exitUsage || !strings.Contains(o.err, "is no time") {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
}

// TestStatsForEyes: tables and plots, however narrow the terminal is.
func TestStatsForEyes(t *testing.T) {
	m := newMachine(t)
	m.spending()
	m.env = append(m.env, "COLUMNS=80")
	want := `1 session, 3 messages, 4k tokens, $1.75

tokens a day  2026-03-09 █··▅ 2026-03-12

day            sessions messages  tokens      cost
2026-03-09 Mon        1        2      2k     $0.75  ████████████████████████
2026-03-12 Thu        1        1      1k     $1.00  ████████████

model          sessions messages  tokens      cost
acme/m1               1        2      2k     $1.25  ████████████████████████
acme/m2               1        1      1k     $0.50  ████████████

directory                          sessions messages  tokens      cost
…terminal-is-wide-and-goes-on/demo        1        3      4k     $1.75  ████████
`
	got := m.ok("stats")
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

func TestPlots(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{{0, ""}, {1, "▏"}, {500, "██"}, {1000, "████"}, {250, "█"}, {281, "█▏"}} {
		if got := bars(c.n, 1000, 4); got != c.want {
			t.Errorf("%d of 1000: %q, want %q", c.n, got, c.want)
		}
	}
	if got := sparkline([]int64{0, 1, 500, 999, 1000}); got != "·▁▅██" {
		t.Errorf("%s", got)
	}
}
