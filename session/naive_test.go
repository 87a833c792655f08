package session_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The naive model reads a whole log with encoding/json, maps and slices, slowly and simply. It
// follows SPEC, sections 2, 4, 6 and 7, for logs that have a version 3 header in their first line.

type naiveEntry struct {
	id       string // as in the log
	address  string // unique: id, or id~2
	typ      string
	raw      string
	fields   map[string]any
	parentID string
	parent   *naiveEntry
	time     int64
	children []*naiveEntry
	label    string
	n        int
}

type naiveLog struct {
	entries []*naiveEntry
	roots   []*naiveEntry
	byID    map[string][]*naiveEntry
	labels  []*naiveEntry // entries with a label, in the order in which the labels were set
}

func readNaive(b []byte) *naiveLog {
	l := &naiveLog{byID: map[string][]*naiveEntry{}}
	last := int64(0)
	for line := range bytes.Lines(b) {
		for _, raw := range objectsOn(bytes.Trim(line, " \t\r\n\x00"), bytes.HasSuffix(line, []byte("\n"))) {
			var fields map[string]any
			if json.Unmarshal([]byte(raw), &fields) != nil {
				continue
			}
			id, _ := fields["id"].(string)
			typ, _ := fields["type"].(string)
			if typ == "session" || id == "" {
				continue
			}
			if slices.ContainsFunc(l.byID[id], func(e *naiveEntry) bool { return e.raw == raw }) {
				continue
			}
			e := &naiveEntry{id: id, address: id, typ: typ, raw: raw, fields: fields, n: len(l.entries)}
			if k := len(l.byID[id]); k > 0 {
				e.address = id + "~" + strconv.Itoa(k+1)
			}
			e.parentID, _ = fields["parentId"].(string)
			if at, err := time.Parse(time.RFC3339Nano, stringOf(fields["timestamp"])); err == nil {
				last = at.UnixMilli()
			}
			e.time = last // an unreadable one is that of the entry before
			l.byID[id] = append(l.byID[id], e)
			l.entries = append(l.entries, e)
		}
	}
	for _, e := range l.entries {
		e.parent = l.named(e.parentID, e)
	}
	l.breakCycles()
	for _, e := range l.entries {
		if e.parent == nil {
			l.roots = append(l.roots, e)
		} else {
			e.parent.children = append(e.parent.children, e)
		}
	}
	for _, e := range l.entries {
		slices.SortStableFunc(e.children, func(a, b *naiveEntry) int { return cmp.Compare(a.time, b.time) })
	}
	l.setLabels()
	return l
}

// objectsOn finds the objects on a line: one, or those that can be recovered when there is more.
// An object that may be part of a torn one is none: it must reach to where the torn one stops making
// sense, and where that is the end of the line, the line must have ended.
func objectsOn(line []byte, ended bool) []string {
	var whole map[string]json.RawMessage
	if json.Unmarshal(line, &whole) == nil {
		return []string{string(line)}
	}
	var out []string
	reach := 0
	for at := 0; ; {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			return out
		}
		at += next
		var raw json.RawMessage
		err := json.NewDecoder(bytes.NewReader(line[at:])).Decode(&raw)
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			reach = max(reach, at+int(syntax.Offset)-1)
			at++
			continue
		case err != nil && !ended:
			return out
		case err != nil:
			reach = len(line)
			at++
			continue
		}
		var fields map[string]any
		_ = json.Unmarshal(raw, &fields)
		_, time := fields["timestamp"]
		_, parent := fields["parentId"]
		at += len(raw)
		if stringOf(fields["id"]) != "" && stringOf(fields["type"]) != "" && time && parent && at >= reach {
			out = append(out, string(raw))
		}
	}
}

func stringOf(v any) string { s, _ := v.(string); return s }

// named is the entry that an id means where e stands: the nearest earlier one, else the first later.
func (l *naiveLog) named(id string, e *naiveEntry) *naiveEntry {
	all := l.byID[id]
	for _, p := range slices.Backward(all) {
		if p.n < e.n {
			return p
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// breakCycles makes a root of the first entry in the file of each cycle.
func (l *naiveLog) breakCycles() {
	for _, e := range l.entries {
		steps := 0
		for p := e.parent; p != nil && steps <= len(l.entries); p = p.parent {
			if p == e {
				e.parent = nil // every other of this cycle stands later, or it would be broken by now
				break
			}
			steps++
		}
	}
}

func (l *naiveLog) setLabels() {
	for _, e := range l.entries {
		target := stringOf(e.fields["targetId"])
		if e.typ != "label" || target == "" {
			continue
		}
		t := l.named(target, e)
		if t == nil {
			continue
		}
		l.labels = slices.DeleteFunc(l.labels, func(x *naiveEntry) bool { return x == t })
		if t.label = stringOf(e.fields["label"]); t.label != "" {
			l.labels = append(l.labels, t)
		}
	}
}

func (l *naiveLog) at(address string) *naiveEntry {
	for _, e := range l.entries {
		if e.address == address {
			return e
		}
	}
	return nil
}

func (l *naiveLog) path(e *naiveEntry) []*naiveEntry {
	var out []*naiveEntry
	for ; e != nil; e = e.parent {
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}

func addresses(entries []*naiveEntry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.address)
	}
	return out
}

// naiveContext is what section 7 says of a path: the entries whose messages the model gets, and the
// state.
type naiveContext struct {
	from           []string
	thinking, mode string
	models         map[string]string
	rules          []string
}

func (l *naiveLog) context(leaf *naiveEntry) naiveContext {
	c := naiveContext{from: []string{}, thinking: "off", mode: "none", models: map[string]string{}}
	path := l.path(leaf)
	hidden, compaction := -1, -1
	for i, e := range path {
		switch e.typ {
		case "thinking_level_change":
			c.thinking = cmp.Or(stringOf(e.fields["thinkingLevel"]), "off")
		case "mode_change":
			c.mode = stringOf(e.fields["mode"])
		case "model_change":
			model := stringOf(e.fields["model"])
			if model == "" {
				model = stringOf(e.fields["provider"]) + "/" + stringOf(e.fields["modelId"])
			}
			c.models[cmp.Or(stringOf(e.fields["role"]), "default")] = model
		case "ttsr_injection":
			list, _ := e.fields["injectedRules"].([]any)
			for _, r := range list {
				if !slices.Contains(c.rules, stringOf(r)) {
					c.rules = append(c.rules, stringOf(r))
				}
			}
		case "message":
			if m, _ := e.fields["message"].(map[string]any); stringOf(m["role"]) == "assistant" && stringOf(m["model"]) != "" {
				c.models["default"] = stringOf(m["provider"]) + "/" + stringOf(m["model"])
			}
		case "reset_boundary":
			hidden, compaction = i, -1
		case "compaction":
			compaction = i
		}
	}
	kept := 0
	if compaction >= 0 {
		c.from = append(c.from, path[compaction].address)
		first := stringOf(path[compaction].fields["firstKeptEntryId"])
		kept = slices.IndexFunc(path[:compaction], func(e *naiveEntry) bool { return e.id == first })
		if kept < 0 {
			kept = compaction
		}
	}
	for i, e := range path {
		said := e.typ == "message" || e.typ == "custom_message" || e.typ == "branch_summary" && stringOf(e.fields["summary"]) != ""
		if said && i > hidden && i >= kept {
			c.from = append(c.from, e.address)
		}
	}
	return c
}

func TestNaiveModelReadsAnExample(t *testing.T) {
	l := readNaive([]byte(strings.Join([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/"}`,
		`{"type":"message","id":"a","parentId":"b","timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"x"}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-01T10:00:02.000Z","message":{"role":"user","content":"x"}}`,
		`{"type":"cust{"type":"label","id":"c","parentId":"a","timestamp":"2026-02-01T10:00:00.000Z","targetId":"b","label":"here"}`,
	}, "\n")))
	if got := addresses(l.entries); !slices.Equal(got, []string{"a", "b", "c"}) || len(l.roots) != 1 || l.roots[0].address != "a" ||
		!slices.Equal(addresses(l.roots[0].children), []string{"c", "b"}) || l.at("b").label != "here" {
		t.Fatalf("the model reads %v", got)
	}
}
