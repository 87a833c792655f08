package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
)

const userMore = `{"type":"message","message":{"role":"user","content":"more"}}`

func TestAppendGrowsFromTheLeaf(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	before := read(t, path)
	out := linesOf(m.fed(userMore+"\n\n  "+userMore, "append", path, "--json"))
	if len(out) != 2 {
		t.Fatalf("%d lines for 2 entries: %v", len(out), out)
	}
	one, two := decode[appended](t, out[0]), decode[appended](t, out[1])
	if text(one.ParentID) != "e94903e2" || text(two.ParentID) != one.ID {
		t.Errorf("%v does not hang from the leaf, or %v not from it", out[0], out[1])
	}
	after := read(t, path)
	if !strings.HasPrefix(after, before) {
		t.Error("what was there changed")
	}
	added := linesOf(strings.TrimPrefix(after, before))
	if len(added) != 2 || decode[node](t, added[1]).ID != two.ID {
		t.Errorf("the file got %v", added)
	}

	other := decode[appended](t, m.fed(userMore, "append", path, "--leaf", "diagnosis", "--json"))
	if text(other.ParentID) != "b2dab5ca" {
		t.Errorf("--leaf diagnosis: %+v", other)
	}
	root := decode[appended](t, m.fed(userMore, "append", path, "--leaf", "root", "--json"))
	if root.ParentID != nil {
		t.Errorf("--leaf root: %+v", root)
	}
	if got := decode[info](t, m.ok("info", path, "--json")); got.Entries != 57 || text(got.Leaf) != root.ID || got.Roots != 2 {
		t.Errorf("%+v", got)
	}
}

func TestWhatStoodBeforeABadLineStays(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	o := m.run(userMore+"\n"+userMore+"\n{\"type\":\n"+userMore+"\n", "append", path)
	if o.code != exitFailed || !strings.Contains(o.err, "line 3 of standard input") || len(linesOf(o.out)) != 2 {
		t.Errorf("exit %d, %q, %q", o.code, o.out, o.err)
	}
	if got := decode[info](t, m.ok("info", path, "--json")); got.Entries != 55 || got.Problems != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAMoveWithoutAnAppendSurvives(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	before := read(t, path)
	var got navigated
	nav := func(target string) navigated {
		t.Helper()
		return decode[navigated](t, m.ok("nav", path, target, "--json"))
	}
	// An entry that is no request: the leaf is the entry.
	if got = nav("diagnosis"); text(got.OldLeaf) != "e94903e2" || text(got.NewLeaf) != "b2dab5ca" || got.EditorText != nil || got.Cancelled {
		t.Errorf("nav diagnosis: %+v", got)
	}
	if i := decode[info](t, m.ok("info", path, "--json")); text(i.Leaf) != "b2dab5ca" {
		t.Errorf("the next command is at %s", text(i.Leaf))
	}
	// The same again: nothing happens.
	if got = nav("b2dab5ca"); text(got.OldLeaf) != "b2dab5ca" || text(got.NewLeaf) != "b2dab5ca" {
		t.Errorf("nav to the leaf: %+v", got)
	}
	if out := m.ok("nav", path, "diagnosis"); out != "Already at this point\n" {
		t.Errorf("nav to the leaf says %q", out)
	}
	// A request: the leaf is what it answers, and its text comes back.
	if got = nav("this branch"); text(got.NewLeaf) == "d697b8bb" || got.EditorText == nil || !strings.HasPrefix(*got.EditorText, "Fix it in Total() then.") {
		t.Errorf("nav this branch: %+v", got)
	}
	// A message of an extension too.
	note := ""
	for _, n := range naive(t, path) {
		if n.Type == "custom_message" {
			note = n.ID
		}
	}
	if got = nav(note); got.EditorText == nil || *got.EditorText != "The provider was overloaded; asking again." {
		t.Errorf("nav to a custom message: %+v", got)
	}
	if read(t, path) != before {
		t.Error("a move wrote to the session")
	}
	// An append goes on from there.
	where := text(got.NewLeaf)
	if a := decode[appended](t, m.fed(userMore, "append", path, "--json")); text(a.ParentID) != where {
		t.Errorf("appended at %s, not at %s", text(a.ParentID), where)
	}
}

func TestARequestWithNothingBeforeItLeadsToBeforeTheFirstEntry(t *testing.T) {
	m := newMachine(t)
	path := m.file("s.jsonl", damaged)
	if got := decode[navigated](t, m.ok("nav", path, "aaaaaaa1", "--json")); got.NewLeaf != nil || *got.EditorText != "one" {
		t.Errorf("%+v", got)
	}
	if got := m.ok("nav", path, "aaaaaaa3", "--json"); !strings.HasPrefix(got, `{"oldLeaf":null,`) {
		t.Errorf("%s", got)
	}
}

func TestLabel(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	l := decode[labelled](t, m.ok("label", path, "first try", "dead", "end", "--json"))
	if l.TargetID != "920c5116" || l.Label != "dead end" {
		t.Errorf("%+v", l)
	}
	if e := decode[node](t, m.ok("show", path, l.ID)); e.Type != "label" || text(e.ParentID) != "e94903e2" {
		t.Errorf("the label entry is %+v", e)
	}
	if got := m.ok("label", path, "dead end"); got != "dead end\n" {
		t.Errorf("%q", got)
	}
	if l = decode[labelled](t, m.ok("label", path, "dead end", "--clear", "--json")); l.Label != "" || l.TargetID != "920c5116" {
		t.Errorf("%+v", l)
	}
	if o := m.run("", "show", path, "dead end"); o.code != exitFailed {
		t.Errorf("a cleared label still names its entry: exit %d", o.code)
	}
}

func TestBranchCopiesTheWayToARequest(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	before := read(t, path)
	b := decode[branched](t, m.ok("branch", path, "this branch", "--json"))
	if filepath.Dir(b.Path) != m.dir || !strings.HasPrefix(b.EditorText, "Fix it in Total() then.") {
		t.Errorf("%+v", b)
	}
	kept := []string{}
	for _, n := range naive(t, b.Path) {
		kept = append(kept, n.Type)
	}
	// The way to the request without its label entry, and a fresh label entry for what was labelled.
	want := "model_change thinking_level_change session_info message message message message message message message message message branch_summary label"
	if got := strings.Join(kept, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if h := linesOf(read(t, b.Path))[0]; decode[struct{ ParentSession string }](t, h).ParentSession != path {
		t.Errorf("the header is %s", h)
	}
	if out := m.ok("label", b.Path, "diagnosis"); out != "diagnosis\n" {
		t.Errorf("the label is %q", out)
	}
	m.ok("doctor", b.Path)
	if read(t, path) != before {
		t.Error("the session changed")
	}
}

func TestBranchAtTheFirstRequestIsANewSession(t *testing.T) {
	m := newMachine(t)
	path := m.file("s.jsonl", damaged)
	b := decode[branched](t, m.ok("branch", path, "aaaaaaa1", "--output", "deeper/new.jsonl", "--json"))
	if b.Path != filepath.Join(m.dir, "deeper", "new.jsonl") || b.EditorText != "one" {
		t.Errorf("%+v", b)
	}
	lines := linesOf(read(t, b.Path))
	if h := decode[struct{ ParentSession, Cwd string }](t, lines[0]); len(lines) != 1 || h.ParentSession != path || h.Cwd != "/srv/demo" {
		t.Errorf("%v", lines)
	}
}

func TestForkCopiesTheWholeTree(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	f := decode[struct{ Path string }](t, m.ok("fork", path, "--json"))
	_, entries, _ := strings.Cut(read(t, path), "\n")
	header, copied, _ := strings.Cut(read(t, f.Path), "\n")
	if copied != entries || !strings.Contains(header, `"parentSession":`) {
		t.Errorf("%s\n%s", header, copied)
	}
	if a, b := m.ok("tree", path, "--json"), m.ok("tree", f.Path, "--json"); a != b {
		t.Error("the trees differ")
	}
	// Never over another file.
	if o := m.run("", "fork", path, "--output", f.Path); o.code != exitFailed || !strings.Contains(o.err, "exists already") {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
}

func TestNewSessionIsFoundByTheNextCommand(t *testing.T) {
	m := newMachine(t)
	n := decode[struct{ Path, ID string }](t, m.ok("new", "--json"))
	if own := filepath.Join(m.home, "data", "ramo", "sessions"); !strings.HasPrefix(n.Path, own) {
		t.Errorf("%s is not in %s", n.Path, own)
	}
	for _, name := range []string{"-", n.ID, n.ID[:18], n.Path} {
		if i := decode[info](t, m.ok("info", name, "--json")); i.ID != n.ID || i.Cwd != m.dir || i.Tool != "ramo" || i.Entries != 0 || i.Leaf != nil {
			t.Errorf("info %s: %+v", name, i)
		}
	}
	m.fed(userMore, "append", "-")
	if out := m.ok("tree", "-"); out != "• user: more  ← here\n" {
		t.Errorf("%q", out)
	}
	other := decode[struct{ Path string }](t, m.ok("new", "--cwd", "..", "--output", "here.jsonl", "--json"))
	if i := decode[info](t, m.ok("info", "here.jsonl", "--json")); other.Path != filepath.Join(m.dir, "here.jsonl") || i.Cwd != filepath.Dir(m.dir) {
		t.Errorf("%+v, %+v", other, i)
	}
}

func TestDoctorRepairs(t *testing.T) {
	m := newMachine(t)
	path := m.file("s.jsonl", damaged)
	out := m.ok("doctor", "--repair", "--reattach", path)
	fixed := filepath.Join(m.dir, "s.repaired.jsonl")
	if !strings.Contains(out, fixed) || !strings.Contains(out, "aaaaaaa3: hung from aaaaaaa1") {
		t.Errorf("%s", out)
	}
	if read(t, path) != damaged {
		t.Error("the damaged file changed")
	}
	s, err := session.Open(t.Context(), fixed)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if e, ok := s.Entry("aaaaaaa3"); !ok || e.ParentID() != "aaaaaaa1" {
		t.Errorf("aaaaaaa3 hangs from %q", e.ParentID())
	}

	r := decode[repaired](t, m.ok("doctor", "--repair", "--in-place", path, "--json"))
	if r.Path != path || r.Backup != path+".bak" || len(r.Actions) == 0 || read(t, r.Backup) != damaged {
		t.Errorf("%+v", r)
	}
	if o := m.run("", "doctor", path, "--json"); strings.Contains(o.out, "torn-tail") || strings.Contains(o.out, "not-json") {
		t.Errorf("still damaged: %s", o.out)
	}
}

// TestRefusedWritesChangeNothing holds what cannot be written to against what was there.
func TestRefusedWritesChangeNothing(t *testing.T) {
	m := newMachine(t)
	newer := m.file("newer.jsonl", strings.Replace(damaged, `"version":3`, `"version":4`, 1))
	before := read(t, newer)
	for _, args := range [][]string{{"append", newer}, {"label", newer, "aaaaaaa1", "x"}, {"doctor", "--repair", newer}} {
		if o := m.run(userMore, args...); o.code != exitFailed || strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("%q: exit %d, %q %q", args, o.code, o.out, o.err)
		}
	}
	if read(t, newer) != before {
		t.Error("the file changed")
	}
	if os.Getuid() > 0 {
		path := m.tour()
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		if o := m.run(userMore, "append", path); o.code != exitFailed || !strings.Contains(o.err, "permission denied") {
			t.Errorf("exit %d, %s", o.code, o.err)
		}
	}
}
