package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// shelf puts sessions of all three tools on the machine, the later ones used later.
func (m *machine) shelf() (paths []string) {
	m.t.Helper()
	header := func(id, cwd, rest string) string {
		return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-09T09:00:00.000Z","cwd":%q%s}`+"\n", id, cwd, rest)
	}
	said := func(text string) string {
		return `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":"` + text + `"}}` + "\n" +
			`{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-03-09T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"b"}]}}` + "\n" +
			`{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa1","timestamp":"2026-03-09T09:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"c"}]}}` + "\n"
	}
	title := fmt.Sprintf(`{"type":"title","v":1,"title":"The parser","pad":"%100s"}`+"\n", "")
	picture := `{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"what is \"this\"?"},{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 200_000) + `"}]}}` + "\n"
	for i, f := range []struct{ path, content string }{
		{".pi/agent/sessions/--srv-demo--/2026_1.jsonl", header("019cd1de-0000-7000-8000-000000000001", "/srv/demo", "") + said("elsewhere")},
		{".pi/agent/sessions/--work--/2026_2.jsonl", header("019cd1de-0000-7000-8000-000000000002", m.dir, "") + picture},
		{".omp/agent/sessions/-work/2026_3.jsonl", title + header("15e3a92db2c510f5", m.dir, `,"title":"old"`) + said("fix the parser")},
		{".omp/agent/sessions/-work/2026_3/0-Task.jsonl", header("25e3a92db2c510f5", m.dir, "") + said("a subagent's")},
		{".omp/profiles/me/agent/sessions/-work/2026_4.jsonl", header("35e3a92db2c510f5", m.dir, "") + said("of a profile")},
		{"data/ramo/sessions/--work--/2026_5.jsonl", header("019cd1de-0000-7000-8000-000000000005", m.dir, `,"tool":"ramo"`)},
		{"data/ramo/sessions/--work--/notes.jsonl", "{\"a\":1}\n"},
	} {
		path := m.file(filepath.Join(m.home, filepath.FromSlash(f.path)), f.content)
		at := time.Date(2026, 3, 10, 9, i, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			m.t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestLsListsTheSessionsOfThisDirectoryLastUsedFirst(t *testing.T) {
	m := newMachine(t)
	paths := m.shelf()
	want := []listed{
		{Path: paths[5], ID: "019cd1de-0000-7000-8000-000000000005", Tool: "ramo"},
		{Path: paths[4], ID: "35e3a92db2c510f5", Tool: "omp", FirstMessage: "of a profile"},
		{Path: paths[2], ID: "15e3a92db2c510f5", Tool: "omp", FirstMessage: "fix the parser", Name: "The parser"},
		{Path: paths[1], ID: "019cd1de-0000-7000-8000-000000000002", Tool: "pi", FirstMessage: `what is "this"?`},
	}
	out := linesOf(m.ok("ls", "--json"))
	if len(out) != len(want) {
		t.Fatalf("%d sessions, want %d:\n%s", len(out), len(want), strings.Join(out, "\n"))
	}
	for i, w := range want {
		got := decode[listed](t, out[i])
		if got.Path != w.Path || got.ID != w.ID || got.Tool != w.Tool || got.FirstMessage != w.FirstMessage || got.Name != w.Name || got.Cwd != m.dir {
			t.Errorf("session %d is %+v, want %+v", i, got, w)
		}
		if got.Created != "2026-03-09T09:00:00.000Z" || !strings.HasPrefix(got.Modified, "2026-03-10T09:0") || got.Messages == nil || got.Branches == nil {
			t.Errorf("session %d is %+v", i, got)
		}
	}
	if l := decode[listed](t, out[2]); *l.Messages != 3 || *l.Branches != 2 {
		t.Errorf("%d messages and %d branches, want 3 and 2", *l.Messages, *l.Branches)
	}
	if all := linesOf(m.ok("ls", "--all", "--json")); len(all) != 5 || decode[listed](t, all[4]).Cwd != "/srv/demo" {
		t.Errorf("--all: %s", strings.Join(all, "\n"))
	}
	eyes := m.ok("ls")
	for _, s := range []string{"The parser", "what is \"this\"?", "(no request yet)", "Passed over: 1 not a session"} {
		if !strings.Contains(eyes, s) {
			t.Errorf("no %q in\n%s", s, eyes)
		}
	}
	// On a narrow terminal it is the titles that stay.
	env := m.env
	m.env = append(slices.Clip(env), "COLUMNS=60")
	for i, title := range []string{"(no request yet)", "of a profile", "The parser", "what is \"this\"?"} {
		if line := linesOf(m.ok("ls"))[i]; !strings.HasSuffix(line, "  "+title) || ansi.StringWidth(line) > 60 {
			t.Errorf("on 60 columns: %q", line)
		}
	}
	m.env = env
	// The latest here is what - means, and every id finds its session.
	for name, path := range map[string]string{"-": paths[5], "15e3": paths[2], "35": paths[4], "019cd1de-0000-7000-8000-000000000001": paths[0]} {
		if i := decode[info](t, m.ok("info", name, "--json")); i.Path != path {
			t.Errorf("info %s: %s", name, i.Path)
		}
	}
	if o := m.run("", "info", "019cd1de"); o.code != exitFailed || strings.Count(o.err, "019cd1de-0000-7000-8000-00000000000") != 3 {
		t.Errorf("three candidates: exit %d, %s", o.code, o.err)
	}
}

// TestLsCountsWhatTakesNoTime: messages and branches of sessions beyond the first 64 MB are null,
// unless they are asked for.
func TestLsCountsWhatTakesNoTime(t *testing.T) {
	m := newMachine(t)
	m.shelf()
	big := filepath.Join(m.home, ".pi/agent/sessions/--work--/big.jsonl")
	m.file(big, fmt.Sprintf(`{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":%q}`+"\n", m.dir))
	if err := os.Truncate(big, countBudget+1); err != nil { // NUL bytes
		t.Fatal(err)
	}
	out := m.ok("ls", "--json")
	if !strings.Contains(linesOf(out)[0], `"messages":null,"branches":null,`) {
		t.Errorf("%s", linesOf(out)[0])
	}
	if !strings.Contains(m.ok("ls"), "–") {
		t.Error("no – for what was not counted")
	}
	if strings.Contains(m.ok("ls", "--json", "--count"), "null") {
		t.Error("--count left something uncounted")
	}
}

func TestFoldersThatTheEnvironmentNames(t *testing.T) {
	m := newMachine(t)
	header := fmt.Sprintf(`{"type":"session","version":3,"id":"%%s","timestamp":"2026-03-09T09:00:00.000Z","cwd":%q}`+"\n", m.dir)
	m.file(filepath.Join(m.home, "agent/sessions/--work--/a.jsonl"), fmt.Sprintf(header, "019cd1de-0000-7000-8000-000000000001"))
	m.file(filepath.Join(m.home, "flat/b.jsonl"), fmt.Sprintf(header, "019cd1de-0000-7000-8000-000000000002"))
	m.file(filepath.Join(m.home, "data/omp/sessions/-work/c.jsonl"), fmt.Sprintf(header, "15e3a92db2c510f5"))
	m.file(filepath.Join(m.home, ".config-omp/agent/sessions/-work/d.jsonl"), fmt.Sprintf(header, "not of any known shape"))
	m.env = append(m.env, "PI_CODING_AGENT_DIR=~/agent", "PI_CODING_AGENT_SESSION_DIR="+filepath.Join(m.home, "flat"), "PI_CONFIG_DIR=.config-omp")
	tools := map[string]string{}
	for _, line := range linesOf(m.ok("ls", "--json")) {
		l := decode[listed](t, line)
		tools[filepath.Base(l.Path)] = l.Tool
	}
	if len(tools) != 4 || tools["a.jsonl"] != "pi" || tools["b.jsonl"] != "pi" || tools["c.jsonl"] != "omp" || tools["d.jsonl"] != "omp" {
		t.Errorf("%v", tools)
	}
}

func TestCompletion(t *testing.T) {
	m := newMachine(t)
	m.shelf()
	m.tour()
	for _, c := range []struct {
		args       string
		want, miss string
	}{
		{"info |", "15e3a92db2c510f5\tThe parser", "000000000001"}, // only those of this directory
		{"info |019cd1de", "019cd1de-0000-7000-8000-000000000001\telsewhere", "15e3"},
		{"doctor |15", "15e3a92db2c510f5\t", "35e3"},
		{"show tour.jsonl |", "first try\tuser: Fix it in Coupon.Apply", "b2dab5ca"},
		{"nav tour.jsonl |dia", "diagnosis\tassistant: The discount", "first try"},
		{"branch tour.jsonl |b2", "b2dab5ca\tassistant: The discount", "diagnosis"},
		{"log tour.jsonl --leaf |th", "this branch\t", "diagnosis"},
		{"tree tour.jsonl --filter |", "labeled-only", "tour.jsonl"},
		{"context tour.jsonl --format |", "model", "tour.jsonl"},
		{"|do", "doctor\t", "info"},
	} {
		before, last, _ := strings.Cut(c.args, "|")
		out := m.run("", append(append([]string{"__complete"}, strings.Fields(before)...), last)...).out
		if !strings.Contains(out, c.want) || strings.Contains(out, c.miss) {
			t.Errorf("%s completes to\n%s\nwant %q and not %q", c.args, out, c.want, c.miss)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := m.ok("completion", shell); !strings.Contains(out, "__complete") {
			t.Errorf("completion %s: %d bytes", shell, len(out))
		}
	}
}
