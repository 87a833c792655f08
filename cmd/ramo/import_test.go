package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/importer"
)

// transcripts puts those of the importer's tests where the tools keep theirs.
func (m *machine) transcripts() {
	m.t.Helper()
	const from = "../../importer/testdata"
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(from, path)
			m.file(filepath.Join(m.home, "."+rel), read(m.t, path))
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// files are all files under a directory, with what they hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGoldenImport(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "COLUMNS=90")
	m.transcripts()
	var story strings.Builder
	for _, line := range []string{
		"import --dry-run", "import", "import", "import --from codex --json", "import --from omp", "import nosuch.jsonl",
		"ls --all", "tree 7d3c1c3e", "tree 019cd1de-2bde", "tree 5973b6c0", "doctor 7d3c1c3e 019cd1de-2bde 5973b6c0", "info 7d3c1c3e", "import --help",
	} {
		o := m.run("", strings.Fields(line)...)
		story.WriteString("$ ramo " + line + "\n" + o.out + o.err)
		if o.code != 0 {
			story.WriteString("exit " + string(rune('0'+o.code)) + "\n")
		}
	}
	got := strings.NewReplacer(m.home, "HOME", m.dir, "DIR").Replace(story.String())
	file := filepath.Join("testdata", "golden", "import")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := read(t, file); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestImportLeavesTheTranscriptsAlone(t *testing.T) {
	m := newMachine(t)
	m.transcripts()
	for _, dir := range []string{".claude", ".codex"} {
		dir = filepath.Join(m.home, dir)
		before := files(t, dir)
		m.ok("import", dir)
		m.ok("import", dir)
		after := files(t, dir)
		for path := range after {
			if before[path] != after[path] {
				t.Errorf("%s changed", path)
			}
		}
		if len(before) != len(after) || len(before) == 0 {
			t.Errorf("%d files, then %d", len(before), len(after))
		}
	}
}

func TestADryRunOfImportWritesNothingAndTellsTheSame(t *testing.T) {
	m := newMachine(t)
	m.transcripts()
	before := len(files(t, m.home))
	parse := func(out string) (list []importer.Result) {
		for line := range strings.Lines(out) {
			var r importer.Result
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
		return list
	}
	dry := parse(m.ok("import", "--dry-run", "--json"))
	if n := len(files(t, m.home)); n != before {
		t.Errorf("%d files, then %d", before, n)
	}
	wet := parse(m.ok("import", "--json"))
	if len(dry) != 3 || len(wet) != 3 {
		t.Fatalf("%d and %d sessions", len(dry), len(wet))
	}
	for i := range dry {
		if dry[i].Path != wet[i].Path || dry[i].Added != wet[i].Added || dry[i].Added == 0 {
			t.Errorf("%+v, then %+v", dry[i], wet[i])
		}
	}
}

func TestImportWithoutTranscriptsSaysSo(t *testing.T) {
	m := newMachine(t)
	if o := m.run("", "import"); o.code != exitNo || o.out != "No transcripts were found.\n" || o.err != "" {
		t.Errorf("exit %d, %q, %q", o.code, o.out, o.err)
	}
}

func TestAnImportThatFailsIsToldAndTheOthersAreMade(t *testing.T) {
	m := newMachine(t)
	m.transcripts()
	// Where the sessions about /srv/demo would go stands a file.
	m.file(filepath.Join(m.home, "data", "ramo", "sessions", "--srv-demo--"), "in the way")
	o := m.run("", "import")
	if o.code != exitFailed || !strings.Contains(o.err, "2 transcripts could not be imported") || strings.Count(o.err, "\n") != 3 {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
	if !strings.Contains(m.ok("ls", "--all"), "/srv/old") {
		t.Error("the other was not imported")
	}
}
