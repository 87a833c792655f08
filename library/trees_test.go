package library

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTheLayoutOfEachTool: the sessions of each are listed, as its own, and found; what lies beside
// them is not.
func TestTheLayoutOfEachTool(t *testing.T) {
	b := newBookcase(t)
	files := toolTrees(t, b.dir)
	b.update()
	list := b.lib.List(ListOptions{Index: b.x})
	listed := map[string]string{}
	for i := range list.Sessions(context.Background()) {
		listed[i.Path] = i.Tool
		if !i.Known || i.Messages != 2 || i.Branches != 1 || i.Cwd != "/srv/demo" {
			t.Errorf("%+v", i)
		}
	}
	if len(listed) != 3 || listed[files[0]] != "pi" || listed[files[1]] != "omp" || listed[files[2]] != "ramo" {
		t.Errorf("listed: %v", listed)
	}
	if s := list.Skipped(); len(s) != 1 || s[SkippedOther] != 1 {
		t.Errorf("passed over: %v", s)
	}
	hits, err := b.x.Search(context.Background(), "mended role:assistant", SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, h := range hits {
		if h.Item.Tool != listed[h.Item.Path] {
			t.Errorf("%s is of %q", h.Item.Path, h.Item.Tool)
		}
		found = append(found, h.Item.Path)
	}
	slices.Sort(found)
	slices.Sort(files)
	if !slices.Equal(found, files) {
		t.Errorf("found in %v", found)
	}
}

// toolTrees makes folders as the three tools leave them, with what lies beside sessions, and returns
// the sessions.
func toolTrees(t *testing.T, home string) (sessions []string) {
	t.Helper()
	write := func(path, content string) string {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	body := user("aaaaaaa1", "", "mend the parser") + "\n" + answer("aaaaaaa2", "aaaaaaa1", "The parser is mended.") + "\n"
	header := func(id, rest string) string {
		return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"%s}`+"\n", id, rest)
	}
	pi, omp, ramo := "019cd1de-0000-7000-8000-000000000001", "15e3a92db2c510f5", "019cd1de-0000-7000-8000-000000000002"
	sessions = []string{
		write(".pi/agent/sessions/--srv-demo--/2026-03-09T09-00-00-000Z_"+pi+".jsonl", header(pi, "")+body),
		write(".omp/agent/sessions/-srv-demo/2026-03-09T09-00-00-000Z_"+omp+".jsonl", fmt.Sprintf(`{"type":"title","v":1,"title":"The parser","pad":"%180s"}`+"\n", "")+header(omp, "")+body),
		write("data/ramo/sessions/--srv-demo--/2026-03-09T09-00-00-000Z_"+ramo+".jsonl", header(ramo, `,"tool":"ramo"`)+body),
	}
	// The artifacts of omp's session: output of tools, and the log of a subagent, which is no session
	// of the shelf.
	artifacts := ".omp/agent/sessions/-srv-demo/2026-03-09T09-00-00-000Z_" + omp
	write(artifacts+"/0.bash.log", "ok\n")
	write(artifacts+"/Reviewer.jsonl", header("deeper", "")+body)
	write(".omp/agent/blobs/"+fmt.Sprintf("%064x", 1), "picture")
	write(".pi/agent/settings.json", "{}")
	write(".pi/agent/sessions/--srv-demo--/notes.txt", "not a session")
	write(".pi/agent/sessions/--srv-demo--/other.jsonl", "{\"a\":1}\n")
	return sessions
}

// snapshot is what can be seen of the files and folders below some folders.
func snapshot(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			state := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
			if d.Type().IsRegular() {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				state += fmt.Sprintf(" %d %x", info.Size(), sha256.Sum256(b))
			}
			all[path] = state
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
