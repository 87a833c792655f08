package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGoldenWriting shows what the commands that write print, and `ls`: one file of testdata/golden a
// story, each command with its output. What differs from run to run is named: ID1, NEW1.jsonl, DIR.
func TestGoldenWriting(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string // + is a space in an argument; what stands after "<<" is standard input
	}{
		{"append", []string{
			"append tour.jsonl << " + userMore + "\n\n" + `{"type":"model_change","provider":"acme","modelId":"m1"}` + "\n" + `{"type":"model_change","model":"acme/m2"}`,
			"append tour.jsonl --json << " + userMore,
			"append tour.jsonl --leaf diagnosis --json << " + userMore,
			"append tour.jsonl --leaf root --json << " + userMore,
			"append tour.jsonl << " + userMore + "\n{\"type\":\"message\",\n" + userMore,
			"append tour.jsonl << " + `{"type":"message","id":"aaaaaaa1","message":{"role":"user","content":"x"}}`,
			"append tour.jsonl --leaf nosuch << " + userMore,
		}},
		{"nav", []string{
			"nav tour.jsonl diagnosis",
			"nav tour.jsonl diagnosis",
			"info tour.jsonl",
			"nav tour.jsonl this+branch",
			"nav tour.jsonl this+branch --json",
			"nav tour.jsonl f63b99e4 --json",
			"nav rooted.jsonl aaaaaaa1",
			"append rooted.jsonl << " + userMore,
			"nav rooted.jsonl aaaaaaa1",
			"tree rooted.jsonl",
			"append rooted.jsonl --json << " + userMore,
			"tree rooted.jsonl",
			"nav tour.jsonl nosuch",
			"nav tour.jsonl diagnosis --instructions x",
		}},
		{"branch", []string{
			"branch tour.jsonl this+branch",
			"branch tour.jsonl this+branch --output out.jsonl --json",
			"tree out.jsonl --filter all",
			"branch rooted.jsonl aaaaaaa1 --output root.jsonl",
			"info root.jsonl",
			"branch tour.jsonl diagnosis",
			"branch tour.jsonl first+try --output out.jsonl",
			"fork tour.jsonl",
			"fork tour.jsonl --output copy.jsonl --json",
			"fork tour.jsonl --output copy.jsonl",
		}},
		{"label", []string{
			"label tour.jsonl 0d2b81a0",
			"label tour.jsonl 0d2b81a0 all+done",
			"label tour.jsonl all+done",
			"label tour.jsonl 0d2b81a0 --json",
			"label tour.jsonl all+done over --json",
			"label tour.jsonl over --clear",
			"label tour.jsonl over",
			"label tour.jsonl diagnosis a\x1b[31mb",
			"label tour.jsonl diagnosis --clear too",
		}},
		{"doctor-repair", []string{
			"doctor --repair damaged.jsonl",
			"doctor damaged.repaired.jsonl",
			"doctor --repair damaged.jsonl",
			"doctor --repair --reattach --output mended.jsonl damaged.jsonl",
			"doctor --repair --in-place damaged.jsonl",
			"doctor --repair --in-place --json tour.jsonl",
			"doctor --reattach damaged.jsonl",
			"doctor --output x.jsonl damaged.jsonl",
			"doctor --repair --in-place --output x.jsonl damaged.jsonl",
			"doctor --repair --output x.jsonl damaged.jsonl tour.jsonl",
		}},
		{"new", []string{
			"new",
			"new --output here.jsonl --json",
			"new --output here.jsonl",
			"info here.jsonl",
			"tree here.jsonl",
		}},
		{"ls", []string{"ls", "ls --all", "ls --json", "ls extra"}},
		{"context-for-model", []string{"context tour.jsonl --leaf later:+ask+accounting --format model"}},
		{"tree-ids", []string{"tree tour.jsonl --ids --filter labeled-only", "tree tour.jsonl --ids --search refund"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.env = append(m.env, "COLUMNS=90")
			if c.name == "ls" {
				m.env = append(m.env, "COLUMNS=1000") // the folders' names vary in length
			}
			m.tour()
			m.file("damaged.jsonl", damaged)
			first, _, _ := strings.Cut(damaged, "\n{\"type\":\"message\",\"id\":\"aaaaaaa2\"")
			m.file("rooted.jsonl", first+"\n")
			if c.name == "ls" {
				m.shelf()
			}
			var story strings.Builder
			for _, step := range c.steps {
				line, in, _ := strings.Cut(step, " << ")
				args := strings.Split(line, " ")
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "+", " ")
				}
				o := m.run(in, args...)
				fmt.Fprintf(&story, "$ ramo %q", args)
				if in != "" {
					fmt.Fprintf(&story, " << %q", in)
				}
				fmt.Fprintf(&story, "\n%s%s", o.out, o.err)
				if o.code != 0 {
					fmt.Fprintf(&story, "exit %d\n", o.code)
				}
				if o.code > exitNo && strings.Count(o.err, "\n") != 1 {
					t.Errorf("ramo %q: standard error is not one line: %q", args, o.err)
				}
			}
			got := m.normalized(story.String())
			file := filepath.Join("testdata", "golden", c.name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := read(t, file); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

var (
	newFile   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl`)
	sessionID = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	entryID   = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	fileSize  = regexp.MustCompile(`"bytes":\d+| +\d[0-9.]* (bytes|kB)\b`) // with the names of folders in it
	folder    = regexp.MustCompile(`--[^/ ]*work--`)
)

// normalized names what is new in every run, each thing by one name: the machine's folders, new files,
// the ids of new sessions and entries.
func (m *machine) normalized(s string) string {
	m.t.Helper()
	names := map[string]string{}
	s = strings.ReplaceAll(strings.ReplaceAll(s, m.dir, "DIR"), m.home, "HOME")
	s = folder.ReplaceAllString(s, "--DIR--")
	fixed := read(m.t, "../../examples/tour.jsonl") + damaged
	name := func(pattern *regexp.Regexp, word, suffix string) {
		n := 0
		s = pattern.ReplaceAllStringFunc(s, func(found string) string {
			if strings.Contains(fixed, found) || strings.HasPrefix(found, "019cd1de") {
				return found
			}
			if names[found] == "" {
				n++
				names[found] = fmt.Sprintf("%s%d%s", word, n, suffix)
			}
			return names[found]
		})
	}
	name(newFile, "NEW", ".jsonl")
	name(sessionID, "SESSION", "")
	name(entryID, "ID", "")
	return fileSize.ReplaceAllString(s, " SIZE")
}
