package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGolden shows what the commands print, each in a file of testdata/golden: the standard output,
// then the exit code where it is not 0, and the standard error.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, args string
		search     string
	}{
		{"info", "info tour.jsonl", ""},
		{"info-json", "info tour.jsonl --json", ""},
		{"info-usage", "info tour.jsonl --usage", ""},
		{"info-usage-json", "info tour.jsonl --usage --json", ""},
		{"info-damaged", "info damaged.jsonl", ""},
		{"tree", "tree tour.jsonl", ""},
		{"tree-all", "tree tour.jsonl --filter all", ""},
		{"tree-no-tools", "tree tour.jsonl --filter no-tools", ""},
		{"tree-user-only", "tree tour.jsonl --filter user-only", ""},
		{"tree-labeled-only", "tree tour.jsonl --filter labeled-only", ""},
		{"tree-search", "tree tour.jsonl", "REFUND coupon"},
		{"tree-search-nothing", "tree tour.jsonl", "no-such-word"},
		{"tree-json", "tree tour.jsonl --json", ""},
		{"tree-json-search", "tree tour.jsonl --json --filter user-only", "cents"},
		{"tree-damaged", "tree damaged.jsonl", ""},
		{"log-json", "log tour.jsonl --leaf diagnosis", ""},
		{"log-root", "log tour.jsonl --leaf root", ""},
		{"show", "show tour.jsonl diagnosis", ""},
		{"context", "context tour.jsonl", ""},
		{"context-json", "context tour.jsonl --json", ""},
		{"context-model-json", "context tour.jsonl --leaf diagnosis --format model --json", ""},
		{"context-root-json", "context tour.jsonl --leaf root --json", ""},
		{"doctor", "doctor tour.jsonl", ""},
		{"doctor-damaged", "doctor damaged.jsonl", ""},
		{"doctor-damaged-json", "doctor damaged.jsonl tour.jsonl --json", ""},
		{"label-shown", "label tour.jsonl 920c5116", ""},
		{"ls-nothing", "ls", ""},
		{"help", "help", ""},
		{"help-tree", "tree --help", ""},
		{"help-doctor", "doctor --help", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.env = append(m.env, "COLUMNS=90")
			m.tour()
			m.file("damaged.jsonl", damaged)
			args := strings.Fields(c.args)
			if c.search != "" {
				args = append(args, "--search", c.search)
			}
			o := m.run("", args...)
			got := o.out
			if o.code != 0 || o.err != "" {
				got += fmt.Sprintf("exit %d\n%s", o.code, o.err)
			}
			got = strings.ReplaceAll(got, m.dir, "DIR")
			file := filepath.Join("testdata", "golden", c.name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := read(t, file); got != want {
				t.Errorf("ramo %s\n%s\nwant\n%s", c.args, got, want)
			}
		})
	}
}

// damaged has a torn line, an orphan, a label without a target, and a last line that was cut short.
const damaged = `{"type":"session","version":3,"id":"019cd1de-0000-7000-8000-000000000001","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","message":{"role":"user","content":"one"}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaa
{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2026-03-09T09:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"three"}],"stopReason":"stop"}}
{"type":"label","id":"aaaaaaa4","parentId":"aaaaaaa3","timestamp":"2026-03-09T09:00:04.000Z","targetId":"bbbbbbbb","label":"lost"}
{"type":"message","id":"aaaaaaa5","par`
