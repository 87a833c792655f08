package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// RepairOptions say how Repair works.
type RepairOptions struct {
	Output   string // the new file; by default the old name with ".repaired" before its ending
	InPlace  bool   // put the new file in the old one's place, and keep that beside it as ".bak"
	Reattach bool   // hang an entry whose parent is missing from the entry before it in the file
}

// RepairReport says what Repair did.
type RepairReport struct {
	Path    string   // the repaired file
	Backup  string   // where the old file went, with InPlace
	Actions []string // in file order, one line each; empty when nothing was wrong
}

// Repair writes a sound session from a damaged one (section 2): a header first, then every entry
// that could be read, one a line, each with an id of its own. What could not be read is left out
// of the new file; the old one keeps it, for it is never changed. A log of an older version comes
// out in the present one.
func Repair(ctx context.Context, path string, o RepairOptions) (RepairReport, error) {
	if o.InPlace && o.Output != "" {
		return RepairReport{}, errors.New("repair either in place or into another file, not both")
	}
	store, err := NewFileStore(path)
	if err != nil {
		return RepairReport{}, err
	}
	if o.InPlace {
		unlock, err := store.Lock(ctx) // nobody appends while it is read and replaced
		if err != nil {
			return RepairReport{}, fmt.Errorf("cannot repair %s: %w", path, err)
		}
		defer func() { _ = unlock() }()
	}
	view, err := store.Open()
	if err != nil {
		return RepairReport{}, fmt.Errorf("cannot repair: %w", err)
	}
	defer view.Close()
	l, err := readLog(ctx, store.Name(), view, nil)
	if err != nil {
		return RepairReport{}, err
	}
	if l.header == nil {
		return RepairReport{}, fmt.Errorf("%s: is empty: there is nothing to repair", path)
	}
	if l.version > Version {
		return RepairReport{}, l.readOnly
	}
	r := repair{log: l, reattach: o.Reattach, ids: map[int32]string{}}
	r.plan()
	report := RepairReport{Actions: r.actions}
	if o.InPlace {
		report.Path, report.Backup = store.Name(), store.Name()+".bak"
		if err := store.Replace(r.write, ".bak"); err != nil {
			return RepairReport{}, fmt.Errorf("cannot repair %s: %w", path, err)
		}
		return report, nil
	}
	out := o.Output
	if out == "" {
		out = strings.TrimSuffix(path, ".jsonl") + ".repaired.jsonl"
	}
	to, err := NewFileStore(out)
	if err != nil {
		return RepairReport{}, err
	}
	err = to.Create(r.write, true)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s exists already (%w): move it away, or name another file", out, fs.ErrExist)
	}
	if err != nil {
		return RepairReport{}, fmt.Errorf("cannot repair %s: %w", path, err)
	}
	report.Path = to.Name()
	return report, nil
}

type repair struct {
	log      *log
	reattach bool
	ids      map[int32]string // the new ids of entries that shared one
	parents  map[int32]int32  // of the entries that get another parent
	forward  bool             // some parents come after their children
	actions  []string
}

func (r *repair) say(format string, args ...any) {
	r.actions = append(r.actions, fmt.Sprintf(format, args...))
}

// plan decides what changes.
func (r *repair) plan() {
	l, x := r.log, r.log.idx
	r.parents = map[int32]int32{}
	if l.header.Inferred {
		r.say("wrote a new header: the old one is missing or cannot be read")
	}
	if !l.header.Inferred && l.version < Version {
		r.say("migrated from version %d to %d", l.version, Version)
	}
	orphans := 0
	for _, p := range l.problems {
		switch p.Kind {
		case ProblemTornTail, ProblemNotJSON, ProblemNoID, ProblemRepeatedHeader, ProblemRepeatedEntry:
			r.say("line %d: left out: %s", p.Line, p.Message)
		case ProblemNUL:
			r.say("line %d: left out NUL bytes", p.Line)
		case ProblemMergedLines:
			r.say("line %d: gave each entry a line of its own; what was torn is left out", p.Line)
		case ProblemNotEntry:
			if l.header.Inferred {
				r.say("line %d: left out: %s", p.Line, p.Message)
			}
		case ProblemForwardParent:
			r.forward = true
		case ProblemParentCycle:
			r.say("line %d: made a root of an entry that was its own ancestor", p.Line)
		}
	}
	for i := range x.n {
		e := x.at(i)
		if e.flags&flagShared != 0 && x.lookup(x.key(i)) != i {
			r.ids[i] = x.freshID()
			r.say("entry %s: gave it the id %s: another entry had its own", x.address(i), r.ids[i])
		}
		if e.flags&flagOrphan == 0 {
			continue
		}
		if !r.reattach || i == 0 || r.under(i-1, i) {
			orphans++
			continue
		}
		r.parents[i] = i - 1
		r.say("entry %s: hung from %s, the entry before it: its parent is missing", x.address(i), x.address(i-1))
	}
	if orphans > 0 && !r.reattach {
		r.say("left as roots: %d whose parent is missing; --reattach hangs each from the entry before it", orphans)
	}
}

// under tells whether entry i hangs, through whatever, from entry top: hanging top from it would
// close a cycle.
func (r *repair) under(i, top int32) bool {
	if !r.forward {
		return false // every parent stands before its child: i, before top, cannot hang from it
	}
	for i != none && i != top {
		p, changed := r.parents[i]
		if !changed {
			p = r.log.idx.at(i).parent
		}
		i = p
	}
	return i == top
}

func (r *repair) id(i int32) string {
	if id, ok := r.ids[i]; ok {
		return id
	}
	return r.log.idx.key(i).String()
}

func (r *repair) write(w io.Writer) error {
	l := r.log
	if l.slot != nil {
		b := make([]byte, l.slot.size)
		if _, err := l.view.ReadAt(b, l.slot.off); err != nil && err != io.EOF {
			return err
		}
		if err := writeLine(w, b); err != nil {
			return err
		}
	}
	if err := writeLine(w, r.header()); err != nil {
		return err
	}
	entries := newEntryReader(l)
	for i := range l.idx.n {
		raw, err := entries.read(l.entry(i))
		if err != nil {
			return err
		}
		if err := writeLine(w, r.entry(i, raw)); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) header() []byte {
	h := *r.log.header
	if !h.Inferred {
		if h.Version < Version {
			return setMember(h.raw, "version", fmt.Appendf(nil, "%d", Version), "type")
		}
		return h.raw
	}
	made := time.Now()
	if r.log.idx.n > 0 {
		made = r.log.entry(0).Time()
	}
	return complete(Header{Timestamp: formatTime(made)}).marshal()
}

// entry gives an entry's bytes what changes in them, and no more.
func (r *repair) entry(i int32, raw []byte) []byte {
	x := r.log.idx
	if id, ok := r.ids[i]; ok {
		raw = setMember(raw, "id", quote(id), "type")
	}
	parent := x.at(i).parent
	if p, ok := r.parents[i]; ok {
		parent = p
	}
	switch {
	case parent != none:
		raw = rechain(raw, r.id(parent))
	case x.at(i).flags&flagOrphan == 0:
		raw = rechain(raw, "")
	}
	if len(r.ids) == 0 {
		return raw
	}
	// References to an entry that got a new id.
	switch r.log.entry(i).Type() {
	case TypeLabel:
		raw = r.follow(raw, "targetId", func(k idKey) int32 { return x.before(k, i) })
	case TypeCompaction:
		raw = r.follow(raw, "firstKeptEntryId", func(k idKey) int32 {
			for p := x.at(i).parent; p != none; p = x.at(p).parent {
				if x.same(p, k) {
					return p
				}
			}
			return none
		})
	}
	return raw
}

func (r *repair) follow(raw []byte, name string, find func(idKey) int32) []byte {
	return editMember(raw, name, func(v []byte) []byte {
		if len(v) < 2 || v[0] != '"' {
			return v
		}
		m := member{span{1, len(v) - 1}, stringValue, true}
		if id, ok := r.ids[find(m.key(v))]; ok {
			return quote(id)
		}
		return v
	})
}
