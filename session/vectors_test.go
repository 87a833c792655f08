package session_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// A vector is a log with one oddity, NAME.jsonl, and beside it in NAME.expected.json the right
// answer as SPEC gives it. The first keys are those of the corpus's wild cases; a key that is
// absent is not checked.
type vector struct {
	Rule     string          `json:"rule"` // what the vector is about
	Nodes    [][2]*string    `json:"nodes"`
	Leaf     json.RawMessage `json:"leaf"`     // an id or null
	Problems json.RawMessage `json:"problems"` // true, false, or the kinds in file order
	ReadOnly bool            `json:"read_only"`
	Labels   map[string]string
	Title    *string

	ContextIDs           []string `json:"context_ids"`
	BranchAt             string   `json:"branch_at"`
	BranchedContextTexts []string `json:"branched_context_texts"`
	ThenAppend           string   `json:"then_append"` // checked for every vector

	Error         string              `json:"error"` // opening fails and says this
	New           bool                `json:"new"`   // opens as a session that has nothing yet
	Version       int                 `json:"version"`
	Order         []string            `json:"order"`    // of the tree, depth first
	Children      map[string][]string `json:"children"` // of "": the roots
	Texts         map[string]string   `json:"texts"`    // a message's text
	Raw           map[string]string   `json:"raw"`      // an entry's exact bytes
	Types         map[string]string   `json:"types"`
	Times         map[string]int64    `json:"times"` // ms
	ContextTexts  []string            `json:"context_texts"`
	ThinkingLevel *string             `json:"thinking_level"`
	Models        map[string]string   `json:"models"`
	Mode          *string             `json:"mode"`
	ModeData      json.RawMessage     `json:"mode_data"`
	InjectedRules []string            `json:"injected_rules"`
}

func TestVectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "vectors", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in testdata/vectors: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) { checkVector(t, file) })
	}
}

// checkVector holds what the library says about a log against what is written beside it.
func checkVector(t *testing.T, file string) {
	b, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want vector
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	original, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(path, original, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Reading never writes; what is appended below goes to a copy.
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, original) {
			t.Errorf("reading changed the file (%v)", err)
		}
		if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
			t.Errorf("reading left files behind: %v", list)
		}
	})

	s, err := session.Open(t.Context(), path)
	if want.Error != "" {
		if !errors.Is(err, session.ErrNotSession) || !strings.Contains(err.Error(), want.Error) || !strings.Contains(err.Error(), path) {
			t.Fatalf("the error is %v, want one that names the file and says %q", err, want.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if want.New {
		if _, ok := s.Leaf(); s.Len() != 0 || ok || s.ReadOnly() != nil {
			t.Errorf("not a new session: %d entries, read-only: %v", s.Len(), s.ReadOnly())
		}
	}
	checkTree(t, s, want)
	checkReading(t, s, want)
	checkContext(t, s, want)
	checkBranched(t, s, want)
	checkThenAppend(t, original, s, want)
	checkGrowing(t, original, s)
}

func checkTree(t *testing.T, s *session.Session, want vector) {
	t.Helper()
	if want.Nodes != nil {
		var got [][2]string
		for e := range s.Entries() {
			got = append(got, [2]string{e.ID(), e.ParentID()})
		}
		var nodes [][2]string
		for _, n := range want.Nodes {
			nodes = append(nodes, [2]string{text(n[0]), text(n[1])})
		}
		if !slices.Equal(got, nodes) {
			t.Errorf("nodes and parents are\n%v, want\n%v", got, nodes)
		}
	}
	if want.Leaf != nil {
		var id *string
		if err := json.Unmarshal(want.Leaf, &id); err != nil {
			t.Fatal(err)
		}
		leaf, ok := s.Leaf()
		if ok != (id != nil) || leaf.ID() != text(id) {
			t.Errorf("the leaf is %q, want %q", leaf.ID(), text(id))
		}
	}
	if want.Order != nil {
		var got []string
		for n := range s.Tree() {
			got = append(got, n.ID())
		}
		if !slices.Equal(got, want.Order) {
			t.Errorf("the tree's order is %v, want %v", got, want.Order)
		}
	}
	for id, children := range want.Children {
		if got := ids(s.Children(id)); !slices.Equal(got, children) {
			t.Errorf("the children of %q are %v, want %v", id, got, children)
		}
	}
	// Whatever the log: each entry is found by its own id, stands once in the tree, and its branch
	// ends.
	seen := map[string]bool{}
	for n := range s.Tree() {
		if e, ok := s.Entry(n.ID()); !ok || e.Index() != n.Index() {
			t.Errorf("%s (number %d) is not found by its id", n.ID(), n.Index())
		}
		if seen[n.ID()] {
			t.Errorf("%s stands in the tree twice", n.ID())
		}
		seen[n.ID()] = true
		if way := branch(t, s, n.ID()); len(way) != n.Depth+1 || way[n.Depth] != n.ID() {
			t.Errorf("the branch of %s, at depth %d, is %v", n.ID(), n.Depth, way)
		}
	}
	if len(seen) != s.Len() {
		t.Errorf("%d entries are in the tree, %d in the log", len(seen), s.Len())
	}
}

func checkReading(t *testing.T, s *session.Session, want vector) {
	t.Helper()
	kinds := []string{}
	for _, p := range s.Problems() {
		kinds = append(kinds, string(p.Kind))
		if p.Line < 1 || p.Offset < 0 || p.Message == "" {
			t.Errorf("an incomplete problem: %+v", p)
		}
	}
	var some bool
	var list []string
	switch {
	case want.Problems == nil:
		if want.Error == "" && want.Rule != "" && len(kinds) > 0 {
			t.Errorf("problems where there are none: %v", s.Problems())
		}
	case json.Unmarshal(want.Problems, &some) == nil:
		if some != (len(kinds) > 0) {
			t.Errorf("problems: %v, want some: %v", s.Problems(), some)
		}
	case json.Unmarshal(want.Problems, &list) == nil:
		if !slices.Equal(kinds, list) {
			t.Errorf("problems are %v, want %v", s.Problems(), list)
		}
	default:
		t.Fatalf("problems: %s", want.Problems)
	}
	if err := s.ReadOnly(); want.ReadOnly != errors.Is(err, session.ErrReadOnly) {
		t.Errorf("read-only: %v, want %v", err, want.ReadOnly)
	}
	if want.Labels != nil {
		got := map[string]string{}
		for _, l := range s.Labels() {
			got[l.Target.ID()] = l.Text
			if s.Label(l.Target.ID()) != l.Text {
				t.Errorf("Label(%s) is %q, Labels says %q", l.Target.ID(), s.Label(l.Target.ID()), l.Text)
			}
		}
		if !maps.Equal(got, want.Labels) {
			t.Errorf("labels are %v, want %v", got, want.Labels)
		}
	}
	if want.Title != nil && s.Name() != *want.Title {
		t.Errorf("the session is called %q, want %q", s.Name(), *want.Title)
	}
	if want.Version != 0 && s.Header().Version != want.Version {
		t.Errorf("the version is %d, want %d", s.Header().Version, want.Version)
	}
	for id, text := range want.Texts {
		m, err := entry(t, s, id).Message()
		if err != nil || m.Text() != text {
			t.Errorf("the text of %s is %q (%v), want %q", id, m.Text(), err, text)
		}
	}
	for id, raw := range want.Raw {
		if got, err := entry(t, s, id).Raw(); err != nil || string(got) != raw {
			t.Errorf("the bytes of %s are\n%s (%v), want\n%s", id, got, err, raw)
		}
	}
	for id, typ := range want.Types {
		if got := entry(t, s, id).Type(); got != typ {
			t.Errorf("%s is a %q, want %q", id, got, typ)
		}
	}
	for id, ms := range want.Times {
		if got := entry(t, s, id).Time().UnixMilli(); got != ms {
			t.Errorf("the time of %s is %d, want %d", id, got, ms)
		}
	}
}

func checkContext(t *testing.T, s *session.Session, want vector) {
	t.Helper()
	c, err := s.Context("")
	if err != nil {
		t.Fatal(err)
	}
	if want.ContextIDs != nil {
		if got := ids(c.Entries); !slices.Equal(got, want.ContextIDs) {
			t.Errorf("the context comes from %v, want %v", got, want.ContextIDs)
		}
	}
	if want.ContextTexts != nil {
		if got := texts(c.Messages); !slices.Equal(got, want.ContextTexts) {
			t.Errorf("the context says %q, want %q", got, want.ContextTexts)
		}
	}
	if want.ThinkingLevel != nil && c.ThinkingLevel != *want.ThinkingLevel {
		t.Errorf("the thinking level is %q, want %q", c.ThinkingLevel, *want.ThinkingLevel)
	}
	if want.Models != nil && !maps.Equal(c.Models, want.Models) {
		t.Errorf("the models are %v, want %v", c.Models, want.Models)
	}
	if want.Mode != nil && c.Mode != *want.Mode {
		t.Errorf("the mode is %q, want %q", c.Mode, *want.Mode)
	}
	if want.ModeData != nil && !sameJSON(t, orNull(c.ModeData), want.ModeData) {
		t.Errorf("the mode's data is %s, want %s", c.ModeData, want.ModeData)
	}
	if want.InjectedRules != nil && !slices.Equal(c.InjectedRules, want.InjectedRules) {
		t.Errorf("the injected rules are %v, want %v", c.InjectedRules, want.InjectedRules)
	}
}

func checkBranched(t *testing.T, s *session.Session, want vector) {
	t.Helper()
	if want.BranchAt == "" {
		return
	}
	to := filepath.Join(t.TempDir(), "branched.jsonl")
	n, err := s.CreateBranchedSession(t.Context(), want.BranchAt, to)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	c, err := n.Context(want.BranchAt)
	if err != nil {
		t.Fatal(err)
	}
	got := texts(c.Messages)
	// The corpus leaves out, or gives, the text of the entry that the branch was taken at.
	if len(got) == len(want.BranchedContextTexts)+1 && got[len(got)-1] == "text of "+want.BranchAt {
		got = got[:len(got)-1]
	}
	if !slices.Equal(got, want.BranchedContextTexts) {
		t.Errorf("the branched session's context says %q, want %q", got, want.BranchedContextTexts)
	}
}

// checkThenAppend appends to a copy. What was there stays, byte for byte, and the entry stands on a
// line of its own, which a reader that knows nothing but JSON lines finds.
func checkThenAppend(t *testing.T, original []byte, old *session.Session, want vector) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.jsonl")
	if err := os.WriteFile(path, original, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	leaf, _ := s.Leaf()
	e, err := s.Append(t.Context(), user("then this"))
	now, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if want.ReadOnly {
		if !errors.Is(err, session.ErrReadOnly) || !bytes.Equal(now, original) {
			t.Errorf("an append to what is read-only: %v; file changed: %v", err, !bytes.Equal(now, original))
		}
		return
	}
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	if e.ParentID() != leaf.ID() {
		t.Errorf("the new entry hangs from %q, want %q", e.ParentID(), leaf.ID())
	}
	if v := s.Header().Version; v != session.Version {
		t.Errorf("after an append the version is %d", v)
	}
	if backups, _ := filepath.Glob(path + ".v*.bak"); len(backups) == 0 && !bytes.HasPrefix(now, original) {
		t.Error("the append changed what was there")
	}
	found := false
	for _, line := range bytes.Split(now, []byte("\n")) {
		var m struct{ ID string }
		found = found || json.Unmarshal(line, &m) == nil && m.ID == e.ID()
	}
	if !found || !bytes.HasSuffix(now, []byte("}\n")) {
		t.Errorf("the new entry has no line of its own:\n%q", now)
	}
	again, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if last, _ := again.Leaf(); last.ID() != e.ID() || again.Len() != old.Len()+1 || last.ParentID() != leaf.ID() {
		t.Errorf("read again: %d entries, the leaf is %s under %q; want %d, %s under %q",
			again.Len(), last.ID(), last.ParentID(), old.Len()+1, e.ID(), leaf.ID())
	}
	for i := range old.Len() {
		a, errA := old.At(i).Raw()
		b, errB := again.At(i).Raw()
		if errA != nil || errB != nil || !bytes.Equal(a, b) || old.At(i).ID() != again.At(i).ID() || old.At(i).ParentID() != again.At(i).ParentID() {
			t.Errorf("entry %d is not what it was after the append (%v, %v)", i, errA, errB)
		}
	}
}

// checkGrowing reads the log as it grows line by line, and holds it against the one read at once.
func checkGrowing(t *testing.T, original []byte, whole *session.Session) {
	t.Helper()
	first := bytes.IndexByte(original, '\n') + 1
	if first == 0 || whole.Len() == 0 || whole.Header().Inferred {
		return
	}
	store := new(session.MemoryStore)
	if err := store.Create(writes(original[:first]), false); err != nil {
		t.Fatal(err)
	}
	s, err := session.OpenStore(t.Context(), store)
	if err != nil || s.Header().ID != whole.Header().ID {
		return // the first line alone is no session
	}
	for rest := original[first:]; len(rest) > 0; {
		n := min(len(rest), 37)
		if err := store.Append(rest[:n], false); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sameTree(t, s, whole)
}

// sameTree compares all that two sessions say of their entries.
func sameTree(t testingT, got, want *session.Session) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%d entries, want %d", got.Len(), want.Len())
	}
	for i := range want.Len() {
		g, w := got.At(i), want.At(i)
		if g.ID() != w.ID() || g.ParentID() != w.ParentID() || g.Type() != w.Type() || g.Role() != w.Role() ||
			!g.Time().Equal(w.Time()) || g.Label() != w.Label() || g.Orphan() != w.Orphan() || g.Offset() != w.Offset() || g.Size() != w.Size() {
			t.Fatalf("entry %d is %s under %q (%s %s, label %q, orphan %v, at %d), want %s under %q (%s %s, label %q, orphan %v, at %d)", i,
				g.ID(), g.ParentID(), g.Type(), g.Role(), g.Label(), g.Orphan(), g.Offset(),
				w.ID(), w.ParentID(), w.Type(), w.Role(), w.Label(), w.Orphan(), w.Offset())
		}
	}
	var a, b []string
	for n := range got.Tree() {
		a = append(a, n.ID())
	}
	for n := range want.Tree() {
		b = append(b, n.ID())
	}
	if !slices.Equal(a, b) {
		t.Fatalf("the tree's order is %v, want %v", a, b)
	}
}

// testingT is what testing.T and rapid.T have in common.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

func user(text string) session.Body { return session.Message{Message: message.User(text)} }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func ids(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.ID())
	}
	return out
}

func entry(t *testing.T, s *session.Session, id string) session.Entry {
	t.Helper()
	e, ok := s.Entry(id)
	if !ok {
		t.Fatalf("there is no entry %s", id)
	}
	return e
}

func branch(t testingT, s *session.Session, id string) []string {
	t.Helper()
	out := []string{}
	for e, err := range s.Branch(id) {
		if err != nil {
			t.Fatalf("the branch of %q: %v", id, err)
		}
		out = append(out, e.ID())
	}
	return out
}

func texts(messages []message.Message) []string {
	out := []string{}
	for _, m := range messages {
		if m.Role == message.RoleCompactionSummary || m.Role == message.RoleBranchSummary {
			out = append(out, m.Summary)
			continue
		}
		out = append(out, m.Text())
	}
	return out
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// sameJSON compares what two JSON texts mean; numbers exactly.
func sameJSON(t testingT, a, b []byte) bool {
	t.Helper()
	return sameValue(decode(t, a), decode(t, b))
}

func decode(t testingT, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okX := new(big.Rat).SetString(a.String())
		y, okY := new(big.Rat).SetString(b.String())
		return okX && okY && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	}
	return a == b
}

// hasFile tells whether there is a file at path.
func hasFile(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
