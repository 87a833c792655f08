package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestExportToStandardOutput(t *testing.T) {
	m := newMachine(t)
	m.tour()
	want := read(t, "../../export/testdata/tour.md")
	for _, args := range [][]string{{"export", "tour.jsonl"}, {"export", "tour.jsonl", "-"}, {"export", "tour.jsonl", "--format", "md"}} {
		if got := m.ok(args...); got != want {
			t.Errorf("ramo %q:\n%s", args, got)
		}
	}
	entries := strings.Split(strings.TrimSuffix(m.ok("export", "tour.jsonl", "--format", "jsonl", "--leaf", "diagnosis"), "\n"), "\n")
	var h struct{ Type, ParentSession string }
	if err := json.Unmarshal([]byte(entries[0]), &h); err != nil || h.Type != "session" || h.ParentSession != filepath.Join(m.dir, "tour.jsonl") {
		t.Errorf("header %s: %v", entries[0], err)
	}
	branch := strings.Split(strings.TrimSuffix(m.ok("log", "tour.jsonl", "--leaf", "diagnosis"), "\n"), "\n")
	// Behind the branch stands a fresh label entry.
	if got := entries[1:]; len(got) != len(branch)+1 || strings.Join(got[:len(branch)], "\n") != strings.Join(branch, "\n") || !strings.Contains(got[len(branch)], `"label":"diagnosis"`) {
		t.Errorf("got %d entries, want those of the branch and its label:\n%s", len(got), strings.Join(got, "\n"))
	}
	if got := m.ok("export", "tour.jsonl", "--leaf", "root"); strings.Contains(got, "\n## ") || !strings.HasPrefix(got, "# Two coupons, wrong total\n") {
		t.Errorf("from the root: %s", got)
	}
}

func TestExportToAFile(t *testing.T) {
	m := newMachine(t)
	m.tour()
	want := m.ok("export", "tour.jsonl")
	if got := m.ok("export", "tour.jsonl", "out/talk.md"); !strings.HasPrefix(got, "Exported to "+filepath.Join(m.dir, "out", "talk.md")+" (") {
		t.Errorf("says %q", got)
	}
	if got := read(t, filepath.Join(m.dir, "out", "talk.md")); got != want {
		t.Errorf("the file differs from standard output:\n%s", got)
	}
	var done exported
	if err := json.Unmarshal([]byte(m.ok("export", "tour.jsonl", "talk.JSONL", "--json")), &done); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(m.dir, "talk.JSONL")
	if size := int64(len(read(t, path))); done != (exported{path, "jsonl", size}) {
		t.Errorf("%+v, and the file has %d bytes", done, size)
	}
	if o := m.run("", "doctor", path); o.code != 0 {
		t.Errorf("doctor: exit %d: %s", o.code, o.out+o.err)
	}
	if got := m.ok("export", "tour.jsonl", "talk.txt", "--format", "md"); !strings.Contains(got, "talk.txt") {
		t.Errorf("says %q", got)
	}
	if rest, err := filepath.Glob(filepath.Join(m.dir, ".*")); err != nil || len(rest) > 0 {
		t.Errorf("left behind: %v, %v", rest, err)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: a conversation is for nobody else to read", info.Mode(), err)
		}
	}
}

func TestExportOverwritesOnlyWithForce(t *testing.T) {
	m := newMachine(t)
	m.tour()
	path := m.file("talk.md", "mine")
	o := m.run("", "export", "tour.jsonl", "talk.md")
	if o.code != exitFailed || !strings.Contains(o.err, "talk.md exists already: choose another name, or --force") {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
	if got := read(t, path); got != "mine" {
		t.Errorf("the file was changed: %q", got)
	}
	m.ok("export", "tour.jsonl", "talk.md", "--force")
	m.ok("export", "tour.jsonl", "new.md", "--force")
	if a, b := read(t, path), read(t, filepath.Join(m.dir, "new.md")); a != b || a == "mine" {
		t.Errorf("forced: %q and %q", a, b)
	}
}

func TestExportRefuses(t *testing.T) {
	m := newMachine(t)
	session := m.tour()
	before := read(t, session)
	if err := os.Mkdir(filepath.Join(m.dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"export", exitUsage, "usage"},
		{"export tour.jsonl a.md b.md", exitUsage, "usage"},
		{"export tour.jsonl talk.txt", exitUsage, "end it in .md or .jsonl"},
		{"export tour.jsonl talk.md --format html", exitUsage, "--format is md or jsonl"},
		{"export tour.jsonl --leaf nosuch", exitFailed, "no such entry"},
		{"export tour.jsonl folder.md --force", exitFailed, "is a directory"},
		{"export tour.jsonl tour.jsonl --force", exitFailed, "is the session itself"},
	} {
		o := m.run("", strings.Fields(c.args)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) || strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("ramo %s: exit %d, %q, %q", c.args, o.code, o.err, o.out)
		}
	}
	if read(t, session) != before {
		t.Error("the session was changed")
	}
}

func TestEscapingWritesJSONThatDoesNothingToATerminal(t *testing.T) {
	var b strings.Builder
	w := &escaping{to: &b}
	for _, part := range []string{"{\"a\":\"\xc2", "\x9b2J\x7f é\"}\n{}", "\n"} { // a character cut in two
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if want := "{\"a\":\"\\u009b2J\\u007f é\"}\n{}\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
