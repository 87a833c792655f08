package importer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/session"
)

// Importer makes sessions of transcripts. It is for one goroutine; several processes may import at
// once.
type Importer struct {
	dryRun bool
	made   map[string]string // the sessions of earlier imports, by id
}

// New makes an importer that knows what the library has. With dryRun it writes nothing, but tells
// what it would.
func New(ctx context.Context, lib *library.Library, dryRun bool) (*Importer, error) {
	i := &Importer{dryRun: dryRun, made: map[string]string{}}
	for item := range lib.List(library.ListOptions{}).Sessions(ctx) {
		if item.Tool == "ramo" && i.made[item.ID] == "" {
			i.made[item.ID] = item.Path
		}
	}
	return i, ctx.Err()
}

// Result is what an import did.
type Result struct {
	Tool    string         `json:"tool"`
	ID      string         `json:"id"`
	Files   []string       `json:"files"`
	Path    string         `json:"path"`    // of the session
	New     bool           `json:"new"`     // there was none
	Entries int            `json:"entries"` // that the transcript makes
	Added   int            `json:"added"`   // of them, those that were not there
	Skipped map[string]int `json:"skipped"` // records without a place in a session, by type
	Damaged []Damage       `json:"damaged"` // lines that cannot be read
}

// ErrEmpty is a transcript in which nothing was said.
var ErrEmpty = errors.New("nothing in it becomes an entry")

// Import makes a session of a transcript, or adds to the one that was made of it earlier. A transcript
// in which nothing is said is ErrEmpty, and makes none.
func (i *Importer) Import(ctx context.Context, t Transcript) (Result, error) {
	result := Result{Tool: t.Tool, ID: t.ID, Files: t.Files, Damaged: []Damage{}}
	path, there := i.made[t.ID]
	if !there {
		c, err := read(ctx, t, func(string) bool { return false })
		if err != nil {
			return result, err
		}
		result.take(c)
		if len(c.nodes) == 0 {
			return result, fmt.Errorf("%s: %w", t.Files[0], ErrEmpty)
		}
		path = session.NewPath(library.DirFor(c.cwd), session.Header{ID: c.id, Timestamp: stamp(c.started)})
		result.Path, result.New, result.Added = path, true, len(c.nodes)
		if i.dryRun {
			return result, nil
		}
		err = create(path, c)
		if err == nil {
			i.made[t.ID] = path
		}
		if !errors.Is(err, fs.ErrExist) { // another process imports the same
			return result, err
		}
	}
	result.Path, result.New = path, false
	return result, i.extend(ctx, path, t, &result)
}

func (r *Result) take(c *conversation) {
	r.Entries, r.Skipped = len(c.nodes), c.skipped
	r.Damaged = append([]Damage{}, c.damaged...)
}

func read(ctx context.Context, t Transcript, known func(string) bool) (*conversation, error) {
	reader := readClaude
	if t.Tool == Codex {
		reader = readCodex
	}
	c, err := reader(ctx, t, known)
	if err != nil {
		return nil, err
	}
	if c.started.IsZero() {
		info, err := os.Stat(t.Files[0])
		if err != nil {
			return nil, err
		}
		c.started = info.ModTime()
	}
	for _, n := range c.nodes {
		if n.time.IsZero() {
			n.time = c.started
		}
	}
	return c, nil
}

// create writes the session's file.
func create(path string, c *conversation) error {
	store, err := session.NewFileStore(path)
	if err != nil {
		return err
	}
	err = store.Create(func(w io.Writer) error {
		header, err := c.header()
		if err != nil {
			return err
		}
		b := bufio.NewWriter(w)
		b.Write(append(header, '\n')) // its error comes with Flush
		if _, err := c.write(b, ids{}, nil); err != nil {
			return err
		}
		return b.Flush()
	}, true)
	if err != nil {
		return err
	}
	// Lists show a session by when it was last used, which was not now. If that fails, it was.
	last := c.started
	for _, n := range c.nodes {
		if n.time.After(last) {
			last = n.time
		}
	}
	_ = os.Chtimes(path, last, last)
	return nil
}

func (c *conversation) header() ([]byte, error) {
	members := []member{{"type", "session"}, {"version", session.Version}, {"id", c.id}, {"timestamp", stamp(c.started)}, {"cwd", c.cwd}}
	for _, m := range []member{{"title", c.title}, {"parentSession", c.parent}} {
		if m.value != "" {
			members = append(members, m)
		}
	}
	return object(append(members, member{"tool", "ramo"}, member{"importedFrom", struct {
		Tool    string `json:"tool"`
		Session string `json:"session"`
	}{c.tool, c.id}}))
}

// extend appends what the session does not have yet. It holds the session's lock, so nobody appends
// meanwhile.
func (i *Importer) extend(ctx context.Context, path string, t Transcript, result *Result) error {
	store, err := session.NewFileStore(path)
	if err != nil {
		return err
	}
	if !i.dryRun {
		unlock, err := store.Lock(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		defer func() { _ = unlock() }() // what was to be written is
	}
	s, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.ReadOnly(); err != nil {
		return err
	}
	used, known, err := imported(s, t)
	if err != nil {
		return err
	}
	c, err := read(ctx, t, func(key string) bool { return known[key] != "" })
	if err != nil {
		return err
	}
	result.take(c)
	var lines bytes.Buffer
	written, err := c.write(&lines, used, known)
	if err != nil {
		return err
	}
	result.Added = len(written)
	if i.dryRun || len(written) == 0 {
		return nil
	}
	if open, err := endsOpen(path); err != nil {
		return err
	} else if open {
		lines = *bytes.NewBuffer(append([]byte{'\n'}, lines.Bytes()...)) // never merge with what a crash left
	}
	if err := store.Append(lines.Bytes(), true); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if written[len(written)-1].side {
		return stay(ctx, s)
	}
	return nil
}

// stay has a session open where it stood before a subagent's entries were appended.
func stay(ctx context.Context, s *session.Session) error {
	if _, err := s.Refresh(ctx); err != nil { // what is appended leaves the leaf alone
		return err
	}
	return s.SavePosition()
}

// endsOpen tells whether a file's last line has no end.
func endsOpen(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// ids are those that a session's entries have.
type ids map[string]bool

// imported finds the ids of a session's entries, and the entries of earlier imports by the records
// that they were made of.
func imported(s *session.Session, t Transcript) (ids, map[string]string, error) {
	used, known := ids{}, map[string]string{}
	for e := range s.Entries() {
		used[e.ID()] = true
		raw, err := e.Raw()
		if err != nil {
			return nil, nil, err
		}
		var from json.RawMessage
		rawjson.Object(raw, func(key []byte, start, end int) {
			if string(key) == "importedFrom" {
				from = raw[start:end]
			}
		})
		var o origin
		if from == nil || json.Unmarshal(from, &o) != nil || o.Tool != t.Tool {
			continue
		}
		for _, key := range o.Records {
			known[key] = e.ID()
		}
	}
	return used, known, nil
}

// write writes the nodes that are not known: what is off the main conversation first, for the last
// entry of a session is where it opens; and nothing before its parent.
func (c *conversation) write(w io.Writer, used ids, known map[string]string) (written []*node, err error) {
	for _, n := range c.nodes {
		n.id = known[n.keys[len(n.keys)-1]]
	}
	for _, side := range []bool{true, false} {
		for _, n := range c.nodes {
			if n.side != side {
				continue
			}
			var way []*node
			for at := n; at != nil && at.id == ""; at = at.parent {
				way = append(way, at)
				at.id = used.fresh(c.tool, c.id, at.keys[0])
			}
			for len(way) > 0 {
				at := way[len(way)-1]
				way = way[:len(way)-1]
				line, err := at.line(c)
				if err != nil {
					return nil, err
				}
				if _, err := w.Write(append(line, '\n')); err != nil {
					return nil, err
				}
				written = append(written, at)
			}
		}
	}
	return written, nil
}

// fresh is an id for a record: the same in every import, unless something else has it.
func (used ids) fresh(tool, session, key string) string {
	for n := 0; ; n++ {
		h := sha256.Sum256([]byte(tool + "\n" + session + "\n" + key + "\n" + strconv.Itoa(n)))
		id := fmt.Sprintf("%x", h[:4])
		if !used[id] {
			used[id] = true
			return id
		}
	}
}
