package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// keys are the names of a JSON object's members, in order.
func keys(t *testing.T, object string) (names []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("no JSON object: %q", object)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func decode[T any](t *testing.T, s string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %q", err, s)
	}
	return v
}

func linesOf(s string) []string {
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// TestKeysOfTheMachineForm holds each command's --json against the table of section 15: one object a
// line, these members, in this order.
func TestKeysOfTheMachineForm(t *testing.T) {
	const user = `{"type":"message","message":{"role":"user","content":"more"}}`
	for _, c := range []struct{ args, in, keys string }{
		{"info tour.jsonl", "", "path id name cwd tool version entries messages branches roots depth leaf labels bytes problems"},
		{"tree tour.jsonl --filter labeled-only", "", "id parentId type role timestamp label depth active leaf text"},
		{"tree tour.jsonl --search git-checkpoint", "", "id parentId type timestamp depth active leaf text"},
		{"context tour.jsonl", "", "leaf messages thinkingLevel models mode injectedRules"},
		{"context moded.jsonl", "", "leaf messages thinkingLevel models mode modeData injectedRules"},
		{"append tour.jsonl", user + "\n" + user, "id parentId"},
		{"nav tour.jsonl diagnosis", "", "oldLeaf newLeaf cancelled"},
		{"nav tour.jsonl this+branch", "", "oldLeaf newLeaf editorText cancelled"},
		{"branch tour.jsonl this+branch", "", "path editorText"},
		{"fork tour.jsonl", "", "path"},
		{"label tour.jsonl diagnosis x", "", "id targetId label"},
		{"label tour.jsonl diagnosis --clear", "", "id targetId label"},
		{"ls --all", "", "path id name cwd tool created modified messages branches bytes firstMessage"},
		{"doctor tour.jsonl", "", "path entries problems"},
		{"new", "", "path id"},
	} {
		t.Run(c.args, func(t *testing.T) {
			m := newMachine(t)
			m.tour()
			m.file("moded.jsonl", `{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T09:00:00.000Z","cwd":"/srv/demo"}
{"type":"mode_change","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-09T09:00:01.000Z","mode":"plan","data":{"n":1e3}}`)
			m.ok("new")
			args := strings.Fields(c.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "+", " ")
			}
			out := m.fed(c.in, append(args, "--json")...)
			for _, line := range linesOf(out) {
				if got := strings.Join(keys(t, line), " "); got != c.keys {
					t.Errorf("%s\nwant %s", got, c.keys)
				}
			}
		})
	}
}

// node is what a test knows of an entry from reading the file with encoding/json.
type node struct {
	ID, Type, Timestamp string
	ParentID            *string
	Message             struct{ Role string }
	TargetID, Label     string
	raw                 string
}

func naive(t *testing.T, path string) (nodes []node) {
	t.Helper()
	for i, line := range linesOf(read(t, path)) {
		if i > 0 {
			n := decode[node](t, line)
			n.raw = line
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// TestTreeAsJSON holds the tree of examples/tour.jsonl against a plain reading of the file.
func TestTreeAsJSON(t *testing.T) {
	m := newMachine(t)
	nodes := naive(t, m.tour())
	leaf := nodes[len(nodes)-1].ID
	byID, children, labels := map[string]node{}, map[string][]string{}, map[string]string{}
	for _, n := range nodes {
		byID[n.ID] = n
		parent := ""
		if n.ParentID != nil {
			parent = *n.ParentID
		}
		children[parent] = append(children[parent], n.ID) // the file is in the order of time
		if n.Type == "label" {
			labels[n.TargetID] = n.Label
		}
	}
	active := map[string]bool{}
	for id := leaf; id != ""; {
		active[id] = true
		if p := byID[id].ParentID; p != nil {
			id = *p
		} else {
			id = ""
		}
	}
	var want []treeNode
	var walk func(id string, depth int)
	walk = func(parent string, depth int) {
		for _, id := range children[parent] {
			n := byID[id]
			want = append(want, treeNode{ID: id, ParentID: n.ParentID, Type: n.Type, Role: n.Message.Role, Timestamp: n.Timestamp,
				Label: labels[id], Depth: depth, Active: active[id], Leaf: id == leaf})
			walk(id, depth+1)
		}
	}
	walk("", 0)
	for i, line := range linesOf(m.ok("tree", "tour.jsonl", "--json")) {
		got := decode[treeNode](t, line)
		if got.Text == "" {
			t.Errorf("no text: %s", line)
		}
		got.Text = ""
		if i >= len(want) || !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("node %d: %+v", i, got)
		}
	}
}

func TestLogIsTheBytesOfThePath(t *testing.T) {
	m := newMachine(t)
	nodes := naive(t, m.tour())
	byID := map[string]node{}
	for _, n := range nodes {
		byID[n.ID] = n
	}
	for _, n := range nodes {
		var want []string
		for id := n.ID; ; {
			want = append(want, byID[id].raw)
			p := byID[id].ParentID
			if p == nil {
				break
			}
			id = *p
		}
		slices.Reverse(want)
		if n.Type != "label" && n.Type != "branch_summary" && n.Type != "custom" { // a few are enough
			continue
		}
		if got := m.ok("log", "tour.jsonl", "--leaf", n.ID); got != strings.Join(want, "\n")+"\n" {
			t.Errorf("log --leaf %s:\n%s", n.ID, got)
		}
		if got := m.ok("show", "tour.jsonl", n.ID[:7]); got != n.raw+"\n" {
			t.Errorf("show %s: %s", n.ID, got)
		}
	}
}

// corpus is where sessions that other tools wrote are, when they are there.
func corpus(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("RAMO_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	files, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(files) == 0 {
		t.Skipf("no %s: set RAMO_CORPUS to the folder of session files", pattern)
	}
	return files
}

type toolsTree struct {
	ID, Label string
	Children  []toolsTree
}

type toolsContext struct {
	Leaf          string
	Branch        []string
	Messages      json.RawMessage
	ThinkingLevel string
	Models        map[string]string
	Model         *struct{ Provider, ModelID string }
	Mode          string
	Rules         []string `json:"injectedTtsrRules"`
}

// TestTheToolsAgree holds tree, log and context against what pi and oh-my-pi themselves say about
// files that they wrote.
func TestTheToolsAgree(t *testing.T) {
	for _, file := range append(corpus(t, "pi/*.jsonl"), corpus(t, "omp/*.jsonl")...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := newMachine(t)
			path := m.file("session.jsonl", read(t, file))
			want := decode[struct {
				Peer, Leaf string
				Tree       []toolsTree
				Contexts   []toolsContext
			}](t, read(t, strings.TrimSuffix(file, ".jsonl")+".expected.json"))

			info := decode[info](t, m.ok("info", path, "--json"))
			if info.Leaf == nil || *info.Leaf != want.Leaf || info.Tool != want.Peer {
				t.Errorf("info: %+v, want the leaf %s of %s", info, want.Leaf, want.Peer)
			}
			var nodes []string
			var walk func(list []toolsTree, parent string)
			walk = func(list []toolsTree, parent string) {
				for _, n := range list {
					nodes = append(nodes, fmt.Sprintf("%s under %q [%s]", n.ID, parent, n.Label))
					walk(n.Children, n.ID)
				}
			}
			walk(want.Tree, "")
			var got []string
			for _, line := range linesOf(m.ok("tree", path, "--json")) {
				n := decode[treeNode](t, line)
				parent := ""
				if n.ParentID != nil {
					parent = *n.ParentID
				}
				got = append(got, fmt.Sprintf("%s under %q [%s]", n.ID, parent, n.Label))
			}
			if !slices.Equal(got, nodes) {
				t.Errorf("the tree is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(nodes, "\n"))
			}
			for _, w := range want.Contexts {
				compareContext(t, m, path, w)
			}
		})
	}
}

func compareContext(t *testing.T, m *machine, path string, want toolsContext) {
	t.Helper()
	leaf := want.Leaf
	if leaf == "" {
		leaf = "root"
	}
	var ids []string
	if out := m.ok("log", path, "--leaf", leaf); out != "" {
		for _, line := range linesOf(out) {
			ids = append(ids, decode[node](t, line).ID)
		}
	}
	if !slices.Equal(ids, want.Branch) {
		t.Errorf("log --leaf %s: %v, want %v", leaf, ids, want.Branch)
	}
	c := decode[struct {
		Messages      json.RawMessage
		ThinkingLevel string
		Models        map[string]string
		Mode          string
		InjectedRules []string
	}](t, m.ok("context", path, "--leaf", leaf, "--json"))
	got, expected := decode[[]map[string]any](t, string(c.Messages)), decode[[]map[string]any](t, string(want.Messages))
	if len(got) != len(expected) {
		t.Fatalf("context --leaf %s: %d messages, want %d", leaf, len(got), len(expected))
	}
	for i := range expected {
		for key, v := range expected[i] {
			if key != "timestamp" && !reflect.DeepEqual(got[i][key], v) {
				t.Errorf("context --leaf %s: message %d: %s is %v, want %v", leaf, i, key, got[i][key], v)
			}
		}
	}
	if c.ThinkingLevel != want.ThinkingLevel {
		t.Errorf("context --leaf %s: thinking %s, want %s", leaf, c.ThinkingLevel, want.ThinkingLevel)
	}
	if want.Model != nil && c.Models["default"] != want.Model.Provider+"/"+want.Model.ModelID {
		t.Errorf("context --leaf %s: models %v, want %v", leaf, c.Models, *want.Model)
	}
	if want.Models != nil && !reflect.DeepEqual(c.Models, want.Models) {
		t.Errorf("context --leaf %s: models %v, want %v", leaf, c.Models, want.Models)
	}
	if want.Mode != "" && c.Mode != want.Mode || len(c.InjectedRules) != len(want.Rules) {
		t.Errorf("context --leaf %s: mode %s and rules %v, want %s and %v", leaf, c.Mode, c.InjectedRules, want.Mode, want.Rules)
	}
}
