package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

// TestReadingChangesNothing runs every command that reads on files of every kind of oddity: the file's
// bytes and its time stay, and nothing appears beside it.
func TestReadingChangesNothing(t *testing.T) {
	files := []string{"../../examples/tour.jsonl"}
	vectors, err := filepath.Glob("../../session/testdata/vectors/*.jsonl")
	if err != nil || len(vectors) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	if testing.Short() { // they are many, and each is nine processes
		vectors = vectors[:len(vectors)/5]
	}
	for _, file := range append(files, vectors...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			readAll(t, file)
		})
	}
}

func TestReadingOtherToolsFilesChangesNothing(t *testing.T) {
	for _, pattern := range []string{"pi/*.jsonl", "omp/*.jsonl", "real/*.jsonl", "wild/*.jsonl"} {
		for _, file := range corpus(t, pattern) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				readAll(t, file)
			})
		}
	}
}

// wild is what is right about a file with an oddity.
type wild struct {
	Nodes           [][2]*string // id and resolved parent
	Leaf            *string
	Labels          map[string]string
	Title           *string
	Problems        bool
	ReadOnly        bool     `json:"read_only"`
	ContextIDs      []string `json:"context_ids"`
	BranchAt        string   `json:"branch_at"`
	BranchedContext []string `json:"branched_context_texts"`
	ModelContext    string   `json:"model_context"`
}

// TestTheRightAnswersAboutWildFiles holds the machine forms against the answer that goes with each file.
func TestTheRightAnswersAboutWildFiles(t *testing.T) {
	for _, file := range corpus(t, "wild/*.jsonl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := decode[wild](t, read(t, strings.TrimSuffix(file, ".jsonl")+".expected.json"))
			m := newMachine(t)
			path := m.file("session.jsonl", read(t, file))
			nodes := compareWildTree(t, m, path, want)

			i := decode[info](t, m.ok("info", path, "--json"))
			if text(i.Leaf) != text(want.Leaf) || want.Nodes != nil && i.Entries != len(want.Nodes) || (i.Problems > 0) != want.Problems {
				t.Errorf("info: %+v", i)
			}
			if want.Title != nil && i.Name != *want.Title {
				t.Errorf("the name is %q, want %q", i.Name, *want.Title)
			}
			if o := m.run("", "doctor", path); (o.code == exitNo) != want.Problems {
				t.Errorf("doctor: exit %d; are there problems: %v", o.code, want.Problems)
			}
			if want.ContextIDs != nil {
				compareWildContext(t, m, path, want)
			}
			if want.ModelContext != "" { // of the one file that says so
				compareStandIn(t, m.ok("context", path, "--format", "model", "--json"))
			}
			compareWildAppend(t, m, path, want, nodes)
		})
	}
}

func compareWildTree(t *testing.T, m *machine, path string, want wild) (nodes int) {
	t.Helper()
	got := map[string]treeNode{}
	for _, line := range linesOf(m.ok("tree", path, "--json")) {
		n := decode[treeNode](t, line)
		got[n.ID] = n
		if n.Leaf != (n.ID == text(want.Leaf)) || n.Leaf && !n.Active {
			t.Errorf("the leaf is wrong: %+v", n)
		}
		if want.Labels != nil && n.Label != want.Labels[n.ID] {
			t.Errorf("the label of %s is %q, want %q", n.ID, n.Label, want.Labels[n.ID])
		}
	}
	for _, n := range want.Nodes {
		if g, ok := got[text(n[0])]; !ok || text(g.ParentID) != text(n[1]) {
			t.Errorf("node %s hangs from %q, want %q", text(n[0]), text(g.ParentID), text(n[1]))
		}
	}
	if want.Nodes != nil && len(got) != len(want.Nodes) {
		t.Errorf("%d nodes, want %d", len(got), len(want.Nodes))
	}
	return len(got)
}

// said are the texts of a context's messages.
func said(t *testing.T, contextJSON string) (texts []string) {
	t.Helper()
	for _, m := range decode[struct{ Messages []message.Message }](t, contextJSON).Messages {
		if m.Summary != "" {
			texts = append(texts, m.Summary)
		} else {
			texts = append(texts, m.Text())
		}
	}
	return texts
}

func compareWildContext(t *testing.T, m *machine, path string, want wild) {
	t.Helper()
	var texts []string
	for _, id := range want.ContextIDs {
		e := decode[struct {
			Summary string
			Message message.Message
		}](t, m.ok("show", path, id))
		texts = append(texts, e.Summary+e.Message.Text())
	}
	if got := said(t, m.ok("context", path, "--json")); !slices.Equal(got, texts) {
		t.Errorf("the context says %q, want %q", got, texts)
	}
	b := decode[branched](t, m.ok("branch", path, want.BranchAt, "--json"))
	if got := said(t, m.ok("context", b.Path, "--json")); !slices.Equal(got, want.BranchedContext) {
		t.Errorf("after the branch the context says %q, want %q", got, want.BranchedContext)
	}
}

// compareStandIn: each call has one result, and before the next request.
func compareStandIn(t *testing.T, contextJSON string) {
	t.Helper()
	var order []string
	for _, m := range decode[struct{ Messages []message.Message }](t, contextJSON).Messages {
		order = append(order, m.Role+m.ToolCallID)
	}
	if got, want := strings.Join(order, " "), "user assistant toolResultcall_1 toolResultcall_2 user"; got != want {
		t.Errorf("a provider gets %s, want %s", got, want)
	}
}

// compareWildAppend: what is appended stands on a line of its own behind all that was there, or is
// refused.
func compareWildAppend(t *testing.T, m *machine, path string, want wild, nodes int) {
	t.Helper()
	before := read(t, path)
	o := m.run(userMore, "append", path, "--json")
	if want.ReadOnly {
		if o.code != exitFailed || !strings.Contains(o.err, "doctor --repair") || read(t, path) != before {
			t.Errorf("append: exit %d, %s", o.code, o.err)
		}
		return
	}
	if o.code != 0 {
		t.Fatalf("append: exit %d, %s", o.code, o.err)
	}
	a := decode[appended](t, o.out)
	if text(a.ParentID) != text(want.Leaf) {
		t.Errorf("appended at %s, want %s", text(a.ParentID), text(want.Leaf))
	}
	after := read(t, path)
	lines := linesOf(after)
	if !strings.HasPrefix(after, before) || decode[node](t, lines[len(lines)-1]).ID != a.ID {
		t.Errorf("the file ends with %q", lines[len(lines)-1])
	}
	if got := len(linesOf(m.ok("tree", path, "--json"))); got != nodes+1 {
		t.Errorf("%d nodes after the append, want %d", got, nodes+1)
	}
}

func text(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// readAll runs the commands on a copy of a file.
func readAll(t *testing.T, file string) {
	t.Helper()
	m := newMachine(t)
	content := read(t, file)
	path := m.file("shelf/session.jsonl", content)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := "none"
	if out := m.run("", "tree", path, "--json").out; out != "" {
		entry = decode[treeNode](t, linesOf(out)[0]).ID
	}
	for _, args := range [][]string{
		{"info", path}, {"tree", path, "--search", "a"}, {"log", path}, {"show", path, entry}, {"context", path, "--format", "model"},
		{"doctor", path}, {"__complete", "show", path, ""}, {"nav", path, entry}, {"fork", path, "--output", "fork.jsonl"},
	} {
		if o := m.run("", args...); o.code != 0 && o.code != exitNo && o.code != exitFailed {
			t.Errorf("%q: exit %d, %s", args, o.code, o.err)
		}
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, path) != content || !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Error("the file changed")
	}
	beside, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(beside) != 1 {
		t.Errorf("beside the file: %v %v", beside, err)
	}
}
