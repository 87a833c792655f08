package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodes: 0 fine, 1 the answer is "no", 2 wrong use, 3 refused or failed. What is not fine is
// told in one line on standard error, but for "no", which is an answer.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		args string
		in   string
		code int
		says string // on standard error
	}{
		{"no arguments: help", "", "", 0, ""},
		{"version", "--version", "", 0, ""},
		{"sound", "doctor tour.jsonl", "", 0, ""},
		{"nothing to append", "append tour.jsonl", "\n\n", 0, ""},

		{"problems found", "doctor damaged.jsonl", "", 1, ""},
		{"nothing matches", "tree tour.jsonl --search nothing-like-it", "", 1, ""},
		{"nothing matches, JSON", "tree tour.jsonl --json --search nothing-like-it", "", 1, ""},
		{"no label there", "label tour.jsonl e94903e2", "", 1, ""},
		{"no session here", "ls", "", 1, ""},

		{"unknown command", "frobnicate", "", 2, `no command "frobnicate"`},
		{"unknown flag", "tree tour.jsonl --frobnicate", "", 2, "ramo tree --help"},
		{"missing argument", "show tour.jsonl", "", 2, "usage: ramo show SESSION ENTRY"},
		{"too many arguments", "info tour.jsonl tour.jsonl", "", 2, "usage: ramo info SESSION"},
		{"unknown filter", "tree tour.jsonl --filter nice", "", 2, "labeled-only"},
		{"unknown format", "context tour.jsonl --format xml", "", 2, "agent or model"},
		{"flag without its command", "doctor tour.jsonl --in-place", "", 2, "--repair"},
		{"completion for no shell", "completion bash extra", "", 2, "extra"},
		{"no session named", "doctor", "", 2, "usage: ramo doctor SESSION..."},

		{"missing file", "info nosuch.jsonl", "", 3, "nosuch.jsonl: no such file"},
		{"missing id", "info nosuch", "", 3, "ramo ls --all"},
		{"no latest here", "info -", "", 3, "none here"},
		{"no latest here, alone", "-", "", 3, "none here"},
		{"missing file, alone", "nosuch.jsonl", "", 3, "nosuch.jsonl: no such file"},
		{"missing entry", "show tour.jsonl nosuch", "", 3, `"nosuch"`},
		{"ambiguous entry", "show tour.jsonl 9", "", 3, "could be"},
		{"a directory", "info .", "", 3, "is a directory"},
		{"not a session", "info notes.txt", "", 3, "notes.txt"},
		{"a branch at no request", "branch tour.jsonl diagnosis", "", 3, "--filter user-only"},
		{"a file that is there", "fork tour.jsonl --output notes.txt", "", 3, "exists already"},
		{"append: no JSON", "append tour.jsonl", "\nhello\n", 3, "line 2 of standard input"},
		{"append: no type", "append tour.jsonl", `{"message":{}}`, 3, "line 1 of standard input"},
		{"append without a header", "append headless.jsonl", `{"type":"custom","customType":"x"}`, 3, "doctor --repair"},
		{"label with a line break", "label tour.jsonl diagnosis a\nb", "", 3, "one line"},
		{"one of several is missing", "doctor nosuch.jsonl tour.jsonl", "", 3, "nosuch.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.tour()
			m.file("damaged.jsonl", damaged)
			m.file("notes.txt", "Buy milk.\n")
			_, entries, _ := strings.Cut(damaged, "\n")
			m.file("headless.jsonl", entries)
			o := m.run(c.in, strings.FieldsFunc(c.args, func(r rune) bool { return r == ' ' })...)
			if o.code != c.code {
				t.Errorf("exit %d, want %d; %s", o.code, c.code, o.err)
			}
			if !strings.Contains(o.err, c.says) || (c.says == "") != (o.err == "") {
				t.Errorf("standard error is %q, want %q in it", o.err, c.says)
			}
			if o.code >= 2 && (strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "ramo: ")) {
				t.Errorf("standard error is not one line: %q", o.err)
			}
		})
	}
}

func TestOneBadFileDoesNotKeepDoctorFromTheOthers(t *testing.T) {
	m := newMachine(t)
	m.tour()
	o := m.run("", "doctor", "nosuch.jsonl", "tour.jsonl", "neither.jsonl")
	if o.code != 3 || !strings.Contains(o.out, "tour.jsonl: 53 entries, nothing wrong") {
		t.Errorf("exit %d, %q", o.code, o.out)
	}
	if !strings.Contains(o.err, "nosuch.jsonl") || !strings.Contains(o.err, "neither.jsonl") {
		t.Errorf("standard error is %q", o.err)
	}
}

func TestAmbiguousSession(t *testing.T) {
	m := newMachine(t)
	var ids []string
	for range 2 {
		path := strings.TrimSpace(m.ok("new"))
		_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
		ids = append(ids, id)
	}
	o := m.run("", "info", ids[0][:4])
	if o.code != 3 || !strings.Contains(o.err, ids[0]) || !strings.Contains(o.err, ids[1]) {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	if alone := m.run("", ids[0][:4]); alone != o {
		t.Errorf("alone: exit %d: %s", alone.code, alone.err)
	}
	for _, id := range ids {
		if out := m.ok("info", id); !strings.Contains(out, id) {
			t.Errorf("info %s: %s", id, out)
		}
	}
}
