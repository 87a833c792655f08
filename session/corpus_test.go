package session_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// The corpus holds sessions that the two other tools wrote, with what these tools say about them,
// and files with oddities. RAMO_CORPUS says where it is; without it these tests are skipped.
func corpus(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("RAMO_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpus: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("the corpus has no %s (%v)", pattern, err)
	}
	return files
}

func TestCorpusOddities(t *testing.T) {
	for _, file := range corpus(t, "wild/*.jsonl") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) { checkVector(t, file) })
	}
}

// treeNode is a node as the corpus writes the tree.
type treeNode struct {
	ID       string
	Label    string
	Children []*treeNode
}

type peerContext struct {
	Leaf          string
	Branch        []string
	Messages      []json.RawMessage
	ThinkingLevel string
	Models        map[string]string
	Model         *struct{ Provider, ModelID string }
	Mode          *string
	Rules         *[]string `json:"injectedTtsrRules"`
}

func TestCorpusAgreesWithTheToolsThatWroteIt(t *testing.T) {
	for _, file := range append(corpus(t, "pi/*.jsonl"), corpus(t, "omp/*.jsonl")...) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".expected.json")
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Peer, Leaf string
				Tree       []*treeNode
				Contexts   []peerContext
			}
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if p := s.Problems(); len(p) > 0 {
				t.Errorf("problems: %v", p)
			}
			if leaf, _ := s.Leaf(); leaf.ID() != want.Leaf {
				t.Errorf("the leaf is %s, want %s", leaf.ID(), want.Leaf)
			}
			got, expected := asText(builtTree(s)), asText(want.Tree)
			if got != expected {
				t.Errorf("the tree is\n%s\nwant\n%s", got, expected)
			}
			for _, c := range want.Contexts {
				checkPeerContext(t, s, want.Peer, c)
			}
			if now, _ := os.ReadFile(file); !bytes.Equal(now, original) {
				t.Error("reading changed the file")
			}
		})
	}
}

// builtTree nests the nodes that Tree gives in a row.
func builtTree(s *session.Session) []*treeNode {
	root := &treeNode{}
	way := []*treeNode{root}
	for n := range s.Tree() {
		node := &treeNode{ID: n.ID(), Label: n.Label}
		way = append(way[:n.Depth+1], node)
		way[n.Depth].Children = append(way[n.Depth].Children, node)
	}
	return root.Children
}

func asText(nodes []*treeNode) string {
	var b strings.Builder
	var write func([]*treeNode, string)
	write = func(list []*treeNode, indent string) {
		for _, n := range list {
			b.WriteString(indent + n.ID + " " + n.Label + "\n")
			write(n.Children, indent+" ")
		}
	}
	write(nodes, "")
	return b.String()
}

func checkPeerContext(t *testing.T, s *session.Session, peer string, want peerContext) {
	t.Helper()
	if got := branch(t, s, want.Leaf); !slices.Equal(got, want.Branch) {
		t.Errorf("at %s the branch is %v, want %v", want.Leaf, got, want.Branch)
	}
	c, err := s.Context(want.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Messages) != len(want.Messages) {
		t.Errorf("at %s there are %d messages, want %d", want.Leaf, len(c.Messages), len(want.Messages))
	} else {
		for i, m := range c.Messages {
			if got := m.AppendJSON(nil); !sameJSON(t, got, want.Messages[i]) {
				t.Errorf("at %s message %d is\n%s\nwant\n%s", want.Leaf, i, got, want.Messages[i])
			}
		}
	}
	if c.ThinkingLevel != want.ThinkingLevel {
		t.Errorf("at %s the thinking level is %q, want %q", want.Leaf, c.ThinkingLevel, want.ThinkingLevel)
	}
	if peer == "pi" {
		model := ""
		if want.Model != nil {
			model = want.Model.Provider + "/" + want.Model.ModelID
		}
		if c.Models["default"] != model {
			t.Errorf("at %s the model is %q, want %q", want.Leaf, c.Models["default"], model)
		}
		return
	}
	if !maps.Equal(c.Models, want.Models) {
		t.Errorf("at %s the models are %v, want %v", want.Leaf, c.Models, want.Models)
	}
	if want.Mode != nil && c.Mode != *want.Mode {
		t.Errorf("at %s the mode is %q, want %q", want.Leaf, c.Mode, *want.Mode)
	}
	if want.Rules != nil && !slices.Equal(c.InjectedRules, *want.Rules) {
		t.Errorf("at %s the rules are %v, want %v", want.Leaf, c.InjectedRules, *want.Rules)
	}
}

func TestCorpusUnansweredCallHasAStandInForTheModel(t *testing.T) {
	s, err := session.Open(t.Context(), corpus(t, "wild/unanswered-call.jsonl")[0])
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.Context("")
	if err != nil {
		t.Fatal(err)
	}
	var shape []string
	for _, m := range message.ForModel(c.Messages) {
		shape = append(shape, m.Role+" "+m.ToolCallID)
	}
	// call_1 keeps its own result, call_2 gets one before the user goes on.
	want := []string{"user ", "assistant ", "toolResult call_1", "toolResult call_2", "user "}
	if !slices.Equal(shape, want) {
		t.Errorf("the model gets %q, want %q", shape, want)
	}
	if len(c.Messages) != 4 || s.Len() != 4 {
		t.Errorf("the stand-in is in the log: %d messages, %d entries", len(c.Messages), s.Len())
	}
}

// TestCorpusMigratesRealVersion1Sessions reads the oldest format (section 3): one linear chain.
func TestCorpusMigratesRealVersion1Sessions(t *testing.T) {
	for _, file := range corpus(t, "real/*.jsonl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var lines []json.RawMessage // as version 1 counts them: the header is 0
			for line := range bytes.Lines(original) {
				if line = bytes.TrimSpace(line); json.Valid(line) && len(line) > 0 && line[0] == '{' {
					lines = append(lines, line)
				}
			}
			path := filepath.Join(t.TempDir(), "old.jsonl")
			if err := os.WriteFile(path, original, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			again, err := session.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if s.Len() != len(lines)-1 || again.Len() != s.Len() {
				t.Fatalf("%d and %d entries, want %d", s.Len(), again.Len(), len(lines)-1)
			}
			seen := map[string]bool{}
			compactions := 0
			for i := range s.Len() {
				e := s.At(i)
				if id := e.ID(); seen[id] || len(id) != 8 || again.At(i).ID() != id {
					t.Fatalf("entry %d has the id %q, and %q when opened again", i, id, again.At(i).ID())
				}
				seen[e.ID()] = true
				parent := ""
				if i > 0 {
					parent = s.At(i - 1).ID()
				}
				if e.ParentID() != parent {
					t.Fatalf("entry %d hangs from %q, want %q", i, e.ParentID(), parent)
				}
				raw, err := e.Raw()
				if err != nil {
					t.Fatal(err)
				}
				compactions += checkMigrated(t, s, raw, lines[i+1], e.ID(), parent)
			}
			if bytes.Contains(original, []byte(`"type":"compaction","timestamp"`)) != (compactions > 0) {
				t.Errorf("%d compactions were checked", compactions)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, original) {
				t.Error("reading changed the file")
			}
		})
	}
}

// checkMigrated compares an entry with the line it comes from, member by member. It returns 1 for
// a compaction.
func checkMigrated(t *testing.T, s *session.Session, raw, line json.RawMessage, id, parent string) int {
	t.Helper()
	got, want := objectOf(t, raw), objectOf(t, line)
	var gotID, gotParent *string
	if json.Unmarshal(got["id"], &gotID) != nil || text(gotID) != id || json.Unmarshal(got["parentId"], &gotParent) != nil || text(gotParent) != parent {
		t.Fatalf("the entry %s is written as %s under %s", id, got["id"], got["parentId"])
	}
	delete(got, "id")
	delete(got, "parentId")
	n := 0
	if index, ok := want["firstKeptEntryIndex"]; ok && string(want["type"]) == `"compaction"` {
		var at int
		var kept string
		if json.Unmarshal(index, &at) != nil || json.Unmarshal(got["firstKeptEntryId"], &kept) != nil || s.At(at-1).ID() != kept {
			t.Errorf("the compaction keeps from %s, want entry %d of the file, %s", got["firstKeptEntryId"], at, s.At(at-1).ID())
		}
		delete(want, "firstKeptEntryIndex")
		delete(got, "firstKeptEntryId")
		n = 1
	}
	if !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Fatalf("the migration of %s changed more than it has to", id)
	}
	return n
}

func objectOf(t *testing.T, raw json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func writes(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}
