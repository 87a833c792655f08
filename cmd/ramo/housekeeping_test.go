package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// aged puts a session with artifacts on the machine that was last used some days ago.
func (m *machine) aged(name string, days int) (path string) {
	m.t.Helper()
	path = m.file(filepath.Join(m.home, ".omp/agent/sessions/-work", name+".jsonl"),
		`{"type":"session","version":3,"id":"`+name+`","timestamp":"2026-03-09T09:00:00.000Z","cwd":"`+filepath.ToSlash(m.dir)+`"}`+"\n"+
			`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":"about `+name+`"}}`+"\n")
	m.file(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "0.bash.log"), "ok\n")
	at := time.Now().AddDate(0, 0, -days)
	if err := os.Chtimes(path, at, at); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestRm(t *testing.T) {
	m := newMachine(t)
	one, two := m.aged("one", 0), m.aged("two", 0)
	o := m.run("y\n", "rm", one)
	if o.code != exitUsage || !strings.Contains(o.err, "--yes") || !exists(one) {
		t.Errorf("without a terminal to ask on: exit %d, %s", o.code, o.err)
	}
	for _, line := range linesOf(m.ok("rm", "--yes", "--json", "one", two)) {
		r := decode[trashed](t, line)
		if exists(r.Path) || exists(strings.TrimSuffix(r.Path, ".jsonl")) || !strings.Contains(read(t, r.Trashed), `"about `) {
			t.Errorf("%+v", r)
		}
	}
	if exists(two) {
		t.Error("one of two is still there")
	}
	for want, args := range map[string][]string{
		"no such session": {"rm", "--yes", "none"},
		"not a session":   {"rm", "--yes", m.file("notes.txt", "precious\nnotes\n")},
		"no such file":    {"rm", "--yes", "none.jsonl"},
	} {
		if o := m.run("", args...); o.code != exitFailed || !strings.Contains(o.err, want) {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
	if read(t, filepath.Join(m.dir, "notes.txt")) == "" {
		t.Error("the notes are gone")
	}
}

func TestMv(t *testing.T) {
	m := newMachine(t)
	one := m.aged("one", 0)
	if out := m.ok("mv", "one", "archive/"); out != filepath.Join(m.dir, "archive", "one.jsonl")+"\n" {
		t.Errorf("%q", out)
	}
	if exists(one) || !exists(filepath.Join(m.dir, "archive/one.jsonl")) || !exists(filepath.Join(m.dir, "archive/one/0.bash.log")) {
		t.Error("it is not where it should be")
	}
	two := m.aged("two", 0)
	want, err := json.Marshal(map[string]string{"path": filepath.Join(m.dir, "second.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	if out := m.ok("mv", "--json", two, "second.jsonl"); out != string(want)+"\n" {
		t.Errorf("%q", out)
	}
	if o := m.run("", "mv", "second.jsonl", "archive/one.jsonl"); o.code != exitFailed || !strings.Contains(o.err, "choose another name") || !exists(filepath.Join(m.dir, "second.jsonl")) {
		t.Errorf("over another: exit %d, %s", o.code, o.err)
	}
	if o := m.run("", "mv", "none.jsonl", "x.jsonl"); o.code != exitFailed || !strings.Contains(o.err, "ramo ls") {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
}

func TestRename(t *testing.T) {
	m := newMachine(t)
	path := m.aged("one", 0)
	if out := m.ok("rename", "one", "The parser"); out != "The parser\n" {
		t.Errorf("%q", out)
	}
	if !strings.Contains(m.ok("ls"), "The parser") || !strings.Contains(m.ok("search", "parser"), "session: The parser") {
		t.Error("it is not listed, or not found, by its name")
	}
	if !strings.HasSuffix(m.ok("rename", path, "--clear", "--json"), `"name":""}`+"\n") || !strings.Contains(m.ok("ls"), "about one") {
		t.Error("the name is not taken away")
	}
	for _, args := range [][]string{{"rename", "one"}, {"rename", "one", " "}, {"rename", "one", "a", "--clear"}} {
		if o := m.run("", args...); o.code != exitUsage {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
}

func TestPrune(t *testing.T) {
	m := newMachine(t)
	old, older, young := m.aged("old", 40), m.aged("older", 400), m.aged("young", 5)
	ids := func(out string) (list []string) {
		for _, line := range linesOf(out) {
			list = append(list, decode[listed](t, line).ID)
		}
		return list
	}
	if got := ids(m.ok("prune", "--older", "30d", "--dry-run", "--json")); strings.Join(got, " ") != "old older" {
		t.Errorf("older than 30 days: %q", got)
	}
	if out := m.ok("prune", "--older", "1y", "-n"); !strings.Contains(out, "about older") || !strings.Contains(out, "1 session, ") || strings.Contains(out, "young") {
		t.Errorf("older than a year:\n%s", out)
	}
	if !exists(old) || !exists(older) {
		t.Fatal("a dry run does it")
	}
	if o := m.run("", "prune", "--older", "30d"); o.code != exitUsage || !exists(old) {
		t.Errorf("without a terminal to ask on: exit %d, %s", o.code, o.err)
	}
	m.ok("prune", "--older", "30d", "--yes")
	if exists(old) || exists(older) || exists(strings.TrimSuffix(old, ".jsonl")) || !exists(young) {
		t.Error("not the right ones are gone")
	}
	if o := m.run("", "prune", "--older", "30d", "--yes"); o.code != exitNo {
		t.Errorf("nothing left: exit %d, %s", o.code, o.err)
	}
	for _, args := range [][]string{{"prune"}, {"prune", "--older", "soon"}} {
		if o := m.run("", args...); o.code != exitUsage {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
	if o := m.run("", "prune", "--older", "0h", "--dry-run", "--here", "--json"); o.code != 0 || strings.Join(ids(o.out), " ") != "young" {
		t.Errorf("here: exit %d, %s%s", o.code, o.out, o.err)
	}
	if runtime.GOOS == "linux" && !exists(filepath.Join(m.home, "data/Trash/info/old.jsonl.trashinfo")) {
		t.Error("the desktop does not know of it")
	}
}
