package session

import (
	"encoding/json"
	"fmt"
	"io"
)

// Logs of versions 1 and 2 are migrated as they are read; the file changes only when something is
// next appended (section 3).

// migrate gives an entry's bytes the form that version 3 has.
func (l *log) migrate(i int32, b []byte) ([]byte, error) {
	if l.version == 0 || l.version >= Version {
		return b, nil
	}
	l.mu.RLock()
	kind := l.idx.names[min(int(l.idx.at(i).kind), len(l.idx.names)-1)]
	id, given := l.idx.key(i).String(), l.idx.at(i).flags&flagGivenID != 0
	parent := ""
	if p := l.idx.at(i).parent; p != none {
		parent = l.idx.key(p).String()
	}
	ordinals := l.ordinals
	l.mu.RUnlock()

	if l.version < 2 {
		if given {
			b = setMember(b, "id", quote(id), "type")
		}
		if _, ok := locate(b, "parentId"); !ok {
			b = setMember(b, "parentId", quoteID(parent), "id")
		}
		if kind == TypeCompaction {
			b = l.keptID(b, ordinals)
		}
	}
	if kind == TypeMessage {
		b = editMember(b, "message", func(m []byte) []byte {
			if len(m) == 0 || m[0] != '{' {
				return m
			}
			return editMember(m, "role", func(role []byte) []byte {
				if string(role) == `"hookMessage"` {
					return []byte(`"custom"`)
				}
				return role
			})
		})
	}
	return b, nil
}

// keptID turns a version 1 compaction's firstKeptEntryIndex, which counts the file's lines from the
// header, into the id of that entry. An index that leads nowhere is left as it is.
func (l *log) keptID(b []byte, ordinals []int32) []byte {
	v, ok := locate(b, "firstKeptEntryIndex")
	if _, has := locate(b, "firstKeptEntryId"); !ok || has {
		return b
	}
	var f float64
	if json.Unmarshal(b[v.start:v.end], &f) != nil || f < 0 || f >= float64(len(ordinals)) || ordinals[int(f)] == none {
		return b
	}
	l.mu.RLock()
	id := l.idx.key(ordinals[int(f)]).String()
	l.mu.RUnlock()
	key := span{v.start, v.start}
	for b[key.end-1] != '"' { // back over the colon and blanks to the key's closing quote
		key.end--
	}
	key.start = key.end - 1
	for b[key.start-1] != '"' {
		key.start--
	}
	key.start--
	b = splice(b, v, quote(id))
	return splice(b, key, []byte(`"firstKeptEntryId"`))
}

// writeMigrated writes the whole log in version 3: its header and entries in their new form,
// everything else as it stands.
func (l *log) writeMigrated(w io.Writer) error {
	at := int64(0)
	copyTo := func(off int64) error {
		_, err := io.Copy(w, io.NewSectionReader(l.view, at, off-at))
		at = off
		return err
	}
	put := func(p place, b []byte) error {
		if err := copyTo(p.off); err != nil {
			return err
		}
		at = p.off + p.size
		_, err := w.Write(b)
		return err
	}
	if l.header != nil && !l.header.Inferred {
		version := fmt.Appendf(nil, "%d", Version)
		if err := put(l.header.line, setMember(l.header.raw, "version", version, "type")); err != nil {
			return err
		}
	}
	entries := newEntryReader(l)
	for i := range l.idx.n {
		e := l.entry(i)
		raw, err := entries.read(e)
		if err != nil {
			return err
		}
		if err := put(place{e.rec.off, e.rec.size}, raw); err != nil {
			return err
		}
	}
	size, err := l.view.Size()
	if err != nil {
		return err
	}
	return copyTo(size)
}
