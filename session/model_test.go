package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"pgregory.net/rapid"
)

// world is a log and the sessions that are open on it, and what the model knows of them.
type world struct {
	dir   string
	store func() session.Store // for one more session
	bytes func() []byte        // the log's content
	views []*view
	made  int // files
	read  map[int]*naiveLog
}

// log is what the model reads in the log's first n bytes, which never change.
func (w *world) log(n int) *naiveLog {
	if w.read[n] == nil {
		w.read[n] = readNaive(w.bytes()[:n])
	}
	return w.read[n]
}

// view is one session, how much of the log it has seen, and where the model says its leaf is.
type view struct {
	s    *session.Session
	seen int
	leaf string // an address, or ""
}

func TestRandomOperationsAgreeWithTheNaiveModel(t *testing.T) {
	for name, make := range map[string]func(dir string) *world{"file": fileWorld, "memory": memoryWorld} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			rapid.Check(t, func(t *rapid.T) {
				dir, err := os.MkdirTemp(root, "")
				if err != nil {
					t.Fatal(err)
				}
				w := make(dir)
				defer func() {
					for _, v := range w.views {
						_ = v.s.Close()
					}
					_ = os.RemoveAll(dir)
				}()
				w.open(t)
				w.open(t)
				t.Repeat(map[string]func(*rapid.T){
					"append":           w.append,
					"append at once":   w.append,
					"label":            w.label,
					"branch to":        w.branchTo,
					"reset leaf":       w.resetLeaf,
					"branch summary":   w.branchWithSummary,
					"refresh":          w.refresh,
					"reopen":           w.reopen,
					"branched session": w.branched,
					"fork":             w.fork,
					"refused":          w.refused,
					"":                 w.check,
				})
			})
		})
	}
}

func fileWorld(dir string) *world {
	path := filepath.Join(dir, "session.jsonl")
	return &world{dir: dir, read: map[int]*naiveLog{},
		store: func() session.Store { s, _ := session.NewFileStore(path); return s },
		bytes: func() []byte { b, _ := os.ReadFile(path); return b },
	}
}

func memoryWorld(dir string) *world {
	store := new(session.MemoryStore)
	return &world{dir: dir, read: map[int]*naiveLog{},
		store: func() session.Store { return store },
		bytes: func() []byte {
			v, err := store.Open()
			if err != nil {
				return nil
			}
			n, _ := v.Size()
			b := make([]byte, n)
			_, _ = v.ReadAt(b, 0)
			return b
		},
	}
}

// open opens one more session; the first makes the log.
func (w *world) open(t *rapid.T) {
	if len(w.views) == 0 {
		s, err := session.CreateStore(w.store(), session.NewHeader("/srv/demo"), session.WithoutSync())
		if err == nil {
			err = s.WriteHeader(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		w.views = append(w.views, &view{s: s, seen: len(w.bytes())})
		return
	}
	s, err := session.OpenStore(context.Background(), w.store(), session.WithoutSync(), session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	v := &view{s: s, seen: len(w.bytes())}
	if all := w.log(len(w.bytes())).entries; len(all) > 0 {
		v.leaf = all[len(all)-1].address
	}
	w.views = append(w.views, v)
}

func (w *world) view(t *rapid.T) *view {
	return w.views[rapid.IntRange(0, len(w.views)-1).Draw(t, "session")]
}

// known draws an entry that the session has seen.
func (w *world) known(t *rapid.T, v *view) string {
	all := w.log(v.seen).entries
	if len(all) == 0 {
		t.SkipNow()
	}
	return rapid.SampledFrom(addresses(all)).Draw(t, "entry")
}

// appended checks an acknowledged entry against the log and moves the model on.
func (w *world) appended(t *rapid.T, v *view, e session.Entry, err error, parent, typ string) *naiveEntry {
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	all := w.log(len(w.bytes())).entries
	last := all[len(all)-1]
	if last.address != e.ID() || last.parentID != parent || last.typ != typ || e.Type() != typ || e.ParentID() != parent {
		t.Fatalf("appended %s (%s) under %q; the log ends with %s; want a %s under %q", e.ID(), e.Type(), e.ParentID(), last.raw, typ, parent)
	}
	if raw, err := e.Raw(); err != nil || string(raw) != last.raw {
		t.Fatalf("the new entry's bytes are %s (%v), the log has %s", raw, err, last.raw)
	}
	v.leaf, v.seen = e.ID(), len(w.bytes())
	return last
}

func (w *world) append(t *rapid.T) {
	v := w.view(t)
	body := w.body(t, v)
	e, err := v.s.Append(context.Background(), body)
	last := w.appended(t, v, e, err, v.leaf, body.EntryType())
	if raw, ok := body.(session.RawBody); ok {
		for name, value := range asMap(t, []byte(raw)) {
			if got := asMap(t, []byte(last.raw))[name]; string(got) != string(value) {
				t.Fatalf("the member %s was %s and is %s", name, value, got)
			}
		}
	}
}

func asMap(t testingT, b []byte) (m map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return m
}

func (w *world) body(t *rapid.T, v *view) session.Body {
	text := rapid.StringN(0, 12, -1).Draw(t, "text")
	word := rapid.SampledFrom([]string{"alpha", "beta", "x/y"}).Draw(t, "word")
	quoted, _ := json.Marshal(text)
	bodies := []func() session.Body{
		func() session.Body { return user(text) },
		func() session.Body {
			return session.Message{Message: message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text(text)},
				Provider: "acme", Model: word, StopReason: message.StopEnd}}
		},
		func() session.Body { return session.CustomMessage{CustomType: word, Content: quoted, Display: true} },
		func() session.Body {
			return session.ModelChange{Model: "acme/" + word, Role: rapid.SampledFrom([]string{"", "smol"}).Draw(t, "role")}
		},
		func() session.Body {
			return session.ThinkingLevelChange{Level: rapid.SampledFrom([]string{"", "low", "high"}).Draw(t, "level")}
		},
		func() session.Body {
			return session.ModeChange{Mode: rapid.SampledFrom([]string{"none", "plan"}).Draw(t, "mode"), Data: quoted}
		},
		func() session.Body { return session.TTSRInjection{Rules: []string{word, "gamma"}} },
		func() session.Body { return session.Custom{CustomType: word, Data: quoted} },
		func() session.Body { return session.SessionInfo{Name: text} },
		func() session.Body {
			return session.Compaction{Summary: text, FirstKeptEntryID: w.known(t, v), TokensBefore: 7}
		},
		func() session.Body {
			return session.RawBody(fmt.Sprintf(`{"type":"reset_boundary","note":%s}`, quoted))
		},
		func() session.Body {
			return session.RawBody(fmt.Sprintf(`{"n":1e3, "type":"future_thing" , "data":{"id":%s}}`, quoted))
		},
		func() session.Body {
			return session.RawBody(fmt.Sprintf(`{"message":{"role":"user","content":%s},"type":"message"}`, quoted))
		},
	}
	return rapid.SampledFrom(bodies).Draw(t, "body")()
}

func (w *world) label(t *rapid.T) {
	v := w.view(t)
	target := w.known(t, v)
	text := rapid.SampledFrom([]string{"", "here", "there ✓"}).Draw(t, "label")
	e, err := v.s.SetLabel(context.Background(), target, text)
	w.appended(t, v, e, err, v.leaf, session.TypeLabel)
	if got := v.s.Label(target); got != text {
		t.Fatalf("the label of %s is %q, want %q", target, got, text)
	}
}

func (w *world) branchTo(t *rapid.T) {
	v := w.view(t)
	id := w.known(t, v)
	before := w.bytes()
	if err := v.s.BranchTo(id); err != nil {
		t.Fatal(err)
	}
	v.leaf = id
	if !bytes.Equal(before, w.bytes()) {
		t.Fatal("a move wrote something")
	}
}

func (w *world) resetLeaf(t *rapid.T) {
	v := w.view(t)
	before := w.bytes()
	v.s.ResetLeaf()
	v.leaf = ""
	if !bytes.Equal(before, w.bytes()) {
		t.Fatal("a move wrote something")
	}
}

func (w *world) branchWithSummary(t *rapid.T) {
	v := w.view(t)
	id, from := "", "root"
	if rapid.Bool().Draw(t, "at an entry") {
		id = w.known(t, v)
		from = id
	}
	e, err := v.s.BranchWithSummary(context.Background(), id, session.BranchSummary{Summary: rapid.SampledFrom([]string{"", "learnt"}).Draw(t, "summary")})
	last := w.appended(t, v, e, err, id, session.TypeBranchSummary)
	if got := stringOf(last.fields["fromId"]); got != from {
		t.Fatalf("fromId is %q, want %q", got, from)
	}
}

func (w *world) refresh(t *rapid.T) {
	v := w.view(t)
	want := len(w.log(len(w.bytes())).entries) - len(w.log(v.seen).entries)
	n, err := v.s.Refresh(context.Background())
	if err != nil || n != want {
		t.Fatalf("Refresh found %d entries (%v), want %d", n, err, want)
	}
	v.seen = len(w.bytes())
}

// reopen closes one of the sessions and opens another in its place.
func (w *world) reopen(t *rapid.T) {
	i := rapid.IntRange(0, len(w.views)-1).Draw(t, "which")
	old := w.views[i]
	if err := old.s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := old.s.Append(context.Background(), user("late")); !errors.Is(err, session.ErrClosed) {
		t.Fatalf("an append after Close: %v", err)
	}
	w.views = slices.Delete(w.views, i, i+1)
	if len(w.views) == 0 {
		t.Fatal("there must be one session")
	}
	w.open(t)
}

// refused does what must be refused and change nothing.
func (w *world) refused(t *rapid.T) {
	v := w.view(t)
	before := w.bytes()
	for what, err := range map[string]error{
		"unknown entry": v.s.BranchTo("nowhere"),
		"unknown target": func() error {
			_, err := v.s.SetLabel(context.Background(), "nowhere", "x")
			return err
		}(),
		"unknown place": func() error {
			_, err := v.s.BranchWithSummary(context.Background(), "nowhere", session.BranchSummary{Summary: "x"})
			return err
		}(),
	} {
		if !errors.Is(err, session.ErrNotFound) {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if v.s.BranchTo("") == nil {
		t.Fatal("a branch to the empty id")
	}
	if !bytes.Equal(before, w.bytes()) {
		t.Fatal("what was refused wrote something")
	}
	v.seen = int(v.s.Size()) // what was refused under the lock may have read on
}

// branched extracts a branch and holds the new session against section 10.
func (w *world) branched(t *rapid.T) {
	v := w.view(t)
	leaf := w.known(t, v)
	old := w.log(v.seen)
	w.made++
	path := ""
	if rapid.Bool().Draw(t, "to a file") {
		path = filepath.Join(w.dir, fmt.Sprintf("branched%d.jsonl", w.made))
	}
	before := w.bytes()
	n, err := v.s.CreateBranchedSession(context.Background(), leaf, path, session.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if !bytes.Equal(before, w.bytes()) || n.Path() != path {
		t.Fatalf("the old log changed, or the new one is at %q", n.Path())
	}
	if h := n.Header(); h.ParentSession == "" || h.ID == v.s.Header().ID || h.Cwd != v.s.Header().Cwd {
		t.Fatalf("the new header is %+v", h)
	}
	var kept []*naiveEntry
	want := []string{}
	for _, e := range old.path(old.at(leaf)) {
		if e.typ != "label" {
			kept = append(kept, e)
			want = append(want, e.address)
		}
	}
	labels := []string{} // in the order in which they were set
	for _, e := range old.labels {
		if slices.Contains(kept, e) {
			labels = append(labels, e.address+" "+e.label)
		}
	}
	if n.Len() != len(kept)+len(labels) {
		t.Fatalf("%d entries, want %d and %d labels", n.Len(), len(kept), len(labels))
	}
	parent := ""
	var got []string
	for e := range n.Entries() {
		if e.ParentID() != parent {
			t.Fatalf("%s hangs from %q, want %q", e.ID(), e.ParentID(), parent)
		}
		parent = e.ID()
		if e.Type() != session.TypeLabel {
			got = append(got, e.ID())
		}
	}
	if !slices.Equal(append([]string{}, got...), want) {
		t.Fatalf("the branch is %v, want %v", got, want)
	}
	gotLabels := []string{}
	for _, l := range n.Labels() {
		gotLabels = append(gotLabels, l.Target.ID()+" "+l.Text)
	}
	if !slices.Equal(gotLabels, labels) {
		t.Fatalf("labels are %q, want %q", gotLabels, labels)
	}
	// The context is what it was, but for the labels, which are in none.
	a, errA := v.s.Context(leaf)
	b, errB := n.Context("")
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ids(a.Entries), ids(b.Entries)) {
		t.Fatalf("the context was %v and is %v", ids(a.Entries), ids(b.Entries))
	}
}

func (w *world) fork(t *rapid.T) {
	v := w.view(t)
	w.made++
	path := ""
	if rapid.Bool().Draw(t, "to a file") {
		path = filepath.Join(w.dir, fmt.Sprintf("fork%d.jsonl", w.made))
	}
	n, err := v.s.Fork(context.Background(), path, session.WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	old := w.log(v.seen)
	if n.Len() != len(old.entries) || n.Path() != path || n.Header().ID == v.s.Header().ID || n.Header().ParentSession == "" {
		t.Fatalf("the fork at %q has %d entries and the header %+v", n.Path(), n.Len(), n.Header())
	}
	for i, e := range old.entries {
		if raw, err := n.At(i).Raw(); err != nil || string(raw) != e.raw {
			t.Fatalf("entry %d is %s (%v), want %s", i, raw, err, e.raw)
		}
	}
}

// check compares everything that every session says with the model.
func (w *world) check(t *rapid.T) {
	for _, v := range w.views {
		l := w.log(v.seen)
		checkAgainst(t, v.s, l)
		leaf, ok := v.s.Leaf()
		if leaf.ID() != v.leaf || ok != (v.leaf != "") {
			t.Fatalf("the leaf is %q, want %q", leaf.ID(), v.leaf)
		}
		checkContextAgainst(t, v.s, l, "", l.at(v.leaf))
		if len(l.entries) > 0 {
			e := l.entries[len(l.entries)/2]
			checkContextAgainst(t, v.s, l, e.address, e)
		}
		if p := v.s.Problems(); len(p) > 0 {
			t.Fatalf("problems: %v", p)
		}
	}
}

// checkAgainst compares what a session says of its tree with the model.
func checkAgainst(t testingT, s *session.Session, l *naiveLog) {
	t.Helper()
	if s.Len() != len(l.entries) {
		t.Fatalf("%d entries, want %d", s.Len(), len(l.entries))
	}
	if got, want := ids(s.Roots()), addresses(l.roots); !slices.Equal(got, want) {
		t.Fatalf("the roots are %v, want %v", got, want)
	}
	for i, want := range l.entries {
		e := s.At(i)
		parent := ""
		if want.parent != nil {
			parent = want.parent.address
		}
		if e.ID() != want.address || e.ParentID() != parent || e.Type() != want.typ || e.Label() != want.label || e.Time().UnixMilli() != want.time {
			t.Fatalf("entry %d is %s under %q, a %s with the label %q at %d; want %s under %q, a %s with %q at %d", i,
				e.ID(), e.ParentID(), e.Type(), e.Label(), e.Time().UnixMilli(), want.address, parent, want.typ, want.label, want.time)
		}
		if raw, err := e.Raw(); err != nil || string(raw) != want.raw {
			t.Fatalf("entry %d is %s (%v), want %s", i, raw, err, want.raw)
		}
		if got, ok := s.Entry(want.address); !ok || got.Index() != i {
			t.Fatalf("%s is not found by its id", want.address)
		}
		if got, children := ids(s.Children(want.address)), addresses(want.children); !slices.Equal(got, children) {
			t.Fatalf("the children of %s are %v, want %v", want.address, got, children)
		}
		if got, path := branch(t, s, want.address), addresses(l.path(want)); !slices.Equal(got, path) {
			t.Fatalf("the branch of %s is %v, want %v", want.address, got, path)
		}
	}
	var labels []string
	for _, lab := range s.Labels() {
		labels = append(labels, lab.Target.ID())
	}
	if !slices.Equal(append([]string{}, labels...), addresses(l.labels)) {
		t.Fatalf("labels stand on %v, want %v", labels, addresses(l.labels))
	}
	checkTreeOrder(t, s, l)
}

// checkTreeOrder compares Tree and Counts with a walk of the model, which recurses.
func checkTreeOrder(t testingT, s *session.Session, l *naiveLog) {
	t.Helper()
	var want []string
	var c session.Counts
	var walk func(e *naiveEntry, depth int)
	walk = func(e *naiveEntry, depth int) {
		want = append(want, fmt.Sprintf("%s %d %s", e.address, depth, e.label))
		c.Depth = max(c.Depth, depth+1)
		if len(e.children) == 0 {
			c.Branches++
		}
		for _, child := range e.children {
			walk(child, depth+1)
		}
	}
	for _, r := range l.roots {
		c.Roots++
		walk(r, 0)
	}
	active := map[string]bool{}
	if _, ok := s.Leaf(); ok {
		for _, id := range branch(t, s, "") {
			active[id] = true
		}
	}
	var got []string
	for n := range s.Tree() {
		got = append(got, fmt.Sprintf("%s %d %s", n.ID(), n.Depth, n.Label))
		if n.Active != active[n.ID()] {
			t.Fatalf("%s is active: %v, want %v", n.ID(), n.Active, active[n.ID()])
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the tree is %q, want %q", got, want)
	}
	if s.Counts() != c {
		t.Fatalf("the counts are %+v, want %+v", s.Counts(), c)
	}
}

func checkContextAgainst(t testingT, s *session.Session, l *naiveLog, at string, leaf *naiveEntry) {
	t.Helper()
	want := l.context(leaf)
	c, err := s.Context(at)
	if err != nil {
		t.Fatalf("the context at %q: %v", at, err)
	}
	if got := ids(c.Entries); !slices.Equal(got, want.from) {
		t.Fatalf("the context at %q comes from %v, want %v", at, got, want.from)
	}
	if c.ThinkingLevel != want.thinking || c.Mode != want.mode || !maps.Equal(c.Models, want.models) || !slices.Equal(c.InjectedRules, want.rules) {
		t.Fatalf("the state at %q is %q %q %v %v, want %q %q %v %v", at, c.ThinkingLevel, c.Mode, c.Models, c.InjectedRules,
			want.thinking, want.mode, want.models, want.rules)
	}
}

// TestRandomDamageReadsTheSameAtOnceAndGrowing reads logs of random lines: whole, and as they grow
// step by step, and holds both against the model.
func TestRandomDamageReadsTheSameAtOnceAndGrowing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/srv/demo"}` + "\n")
		header := len(log)
		lines := rapid.SliceOfN(rapid.Custom(damagedLine), 0, 25).Draw(t, "lines")
		for i, line := range lines {
			log = append(log, line...)
			if i < len(lines)-1 || rapid.Bool().Draw(t, "ends") {
				log = append(log, '\n')
			}
		}
		whole := inMemory(t, log)
		checkAgainst(t, whole, readNaive(log))

		store := new(session.MemoryStore)
		if err := store.Create(writes(log[:header]), false); err != nil {
			t.Fatal(err)
		}
		growing, err := session.OpenStore(context.Background(), store)
		if err != nil {
			t.Fatal(err)
		}
		for at := header; at < len(log); {
			n := min(len(log)-at, rapid.IntRange(1, 400).Draw(t, "step"))
			if err := store.Append(log[at:at+n], false); err != nil {
				t.Fatal(err)
			}
			at += n
			if _, err := growing.Refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		sameTree(t, growing, whole)
		checkAgainst(t, growing, readNaive(log))
	})
}

func inMemory(t testingT, log []byte) *session.Session {
	t.Helper()
	store := new(session.MemoryStore)
	if err := store.Create(writes(log), false); err != nil {
		t.Fatalf("%v", err)
	}
	s, err := session.OpenStore(context.Background(), store)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// damagedLine draws a line of a log that much has happened to. The ids are few, so that they meet
// again: as parents, as duplicates, in cycles.
func damagedLine(t *rapid.T) []byte {
	whole := rapid.Custom(randomEntry)
	switch rapid.SampledFrom([]string{"entry", "entry", "entry", "entry", "entry", "torn", "NUL", "merged", "torn and merged", "no JSON", "blank", "spaces", "header"}).Draw(t, "line") {
	case "torn":
		b := whole.Draw(t, "entry")
		return b[:rapid.IntRange(1, len(b)-1).Draw(t, "cut")]
	case "NUL":
		nul := make([]byte, rapid.IntRange(1, 9).Draw(t, "NULs"))
		return slices.Concat(nul, rapid.SampledFrom([][]byte{nil, whole.Draw(t, "entry")}).Draw(t, "beside"), nul)
	case "merged":
		return slices.Concat(whole.Draw(t, "entry"), whole.Draw(t, "entry"))
	case "torn and merged":
		b := whole.Draw(t, "entry")
		return slices.Concat(b[:rapid.IntRange(1, len(b)-1).Draw(t, "cut")], whole.Draw(t, "entry"))
	case "no JSON":
		return []byte(rapid.SampledFrom([]string{"text", "[1]", "17", `{"type":"message"`, `{"no":"id"}`, "}{", `{"id":""}`}).Draw(t, "text"))
	case "blank":
		return []byte(rapid.SampledFrom([]string{"", "  ", "\r", "\t\r"}).Draw(t, "blank"))
	case "spaces":
		return slices.Concat([]byte("  "), whole.Draw(t, "entry"), []byte(" \r"))
	case "header":
		return []byte(`{"type":"session","version":3,"id":"s2","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/"}`)
	}
	return whole.Draw(t, "entry")
}

func randomEntry(t *rapid.T) []byte {
	id := rapid.SampledFrom([]string{"aaaaaaa1", "bbbbbbb2", "ccccccc3", "ddddddd4", "eeeeeee5", "x", "é", "0123456789abcdef", "long-long-id"})
	b := fmt.Appendf(nil, `{"type":%%s,"id":%q,"parentId":%s`, id.Draw(t, "id"),
		rapid.OneOf(rapid.Just("null"), rapid.Map(id, func(s string) string { return `"` + s + `"` })).Draw(t, "parent"))
	b = fmt.Appendf(b, `,"timestamp":%s`, rapid.SampledFrom([]string{`"2026-02-01T10:00:01.000Z"`, `"2026-02-01T10:00:02.000Z"`, `"2026-02-01T10:00:03.000Z"`, `"?"`}).Draw(t, "time"))
	if rapid.Bool().Draw(t, "a label") {
		return fmt.Appendf(nil, string(b)+`,"targetId":%q,"label":%s}`, `"label"`, id.Draw(t, "target"), rapid.SampledFrom([]string{"null", `""`, `"one"`, `"two"`}).Draw(t, "label"))
	}
	return fmt.Appendf(nil, string(b)+`,"message":{"role":"user","content":%q}}`, `"message"`, rapid.SampledFrom([]string{"", "text", "{}", `{\"id\"`}).Draw(t, "text"))
}
