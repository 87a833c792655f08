package library

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// SearchOptions narrow a search.
type SearchOptions struct {
	// Limit is how many hits there may be; 0 means 20.
	Limit int
	// Dir leaves out the sessions that are not about this directory.
	Dir string
}

// Hit is something found: an entry, an entry that has a label, or a session by its name, which has no
// entry.
type Hit struct {
	Item    Item
	EntryID string
	Role    string // the message's, or RoleSummary, RoleLabel, RoleSession
	Time    time.Time
	Label   string // that stands on the entry

	// Snippet is one line, safe to show, of what is said there; Matches are the ranges of bytes in it
	// that match.
	Snippet string
	Matches [][2]int
}

// Search answers from what the index holds; Update brings it up to date. The best hits come first:
// those with rarer words, and more of them, and newer ones before older ones; without any words, the
// newest first. An entry that a fork copied is found once.
//
// The query is words, "phrases" and pref*, and, with a word or a phrase behind them, label:, file:,
// tool:, cwd:, role: and since:. All of it must hold, in one entry. Case and the marks on letters do
// not count. One that asks for nothing, or in a wrong way, is ErrQuery. What is shown is read from
// the session; an entry that is gone from there is left out.
func (x *Index) Search(ctx context.Context, text string, o SearchOptions) ([]Hit, error) {
	q, err := parseQuery(text, time.Now())
	if err != nil {
		return nil, err
	}
	var found []candidate
	shelf := hitReader{terms: q.terms, items: map[string]*Item{}}
	err = x.query(func() (err error) {
		if found, err = x.find(ctx, q, o); err == nil {
			shelf.figures, err = x.figures(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	defer shelf.close()
	type same struct {
		entry string
		time  int64
		role  string
	}
	seen := map[same]bool{}
	var hits []Hit
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if this := (same{c.entry, c.time, c.role}); c.copied == 0 || !seen[this] {
			seen[this] = true
			if h, ok := shelf.read(c); ok {
				hits = append(hits, h)
			}
		}
		if len(hits) == cmp.Or(o.Limit, 20) {
			break
		}
	}
	return hits, nil
}

// candidate is a document that the index found.
type candidate struct {
	path, tool         string
	entry, role, label string
	time, at, size     int64
	copied             int     // 1: from another session
	score              float64 // less is better
}

// ranked is how many of the documents with all the words, the newest, are looked at for the best: a
// word that is everywhere tells little, and ranking all of them would take long.
const ranked = 2000

func (x *Index) find(ctx context.Context, q query, o SearchOptions) ([]candidate, error) {
	release, err := x.current()
	if err != nil {
		return nil, err
	}
	defer release()
	var where []string
	var args []any
	score, from, order, lead := "0.0", "entries AS e", "e.id", ""
	if m := q.match(); m != "" {
		from, order, lead = "words JOIN entries AS e ON e.id = words.rowid", "words.rowid", "+"
		// A label or a name says more than a word in passing; a tool's name less.
		score = "bm25(words, 1.0, 4.0, 0.7, 0.4)"
		where, args = append(where, "words MATCH ?"), append(args, m)
	}
	if len(q.dirs) > 0 || o.Dir != "" {
		ids, err := x.sessionsAbout(ctx, q.dirs, o.Dir)
		if err != nil {
			return nil, err
		}
		where, args = append(where, "e.session IN (SELECT value FROM json_each(?))"), append(args, ids)
	}
	for _, role := range q.roles {
		where, args = append(where, "e.role = ?"), append(args, role)
	}
	for _, label := range q.labels {
		// Words lead to few entries, which are then looked up among those with the label; without words
		// the labels lead. A + keeps SQLite from doing it the other way round.
		where = append(where, lead+"e.id IN (SELECT x.id FROM labels CROSS JOIN entries AS x ON x.session = labels.session AND x.entry = labels.entry WHERE instr(folded, ?))")
		args = append(args, label)
	}
	if !q.since.IsZero() {
		where, args = append(where, "e.time >= ?"), append(args, q.since.UnixMilli())
	}
	rows, err := x.db.QueryContext(ctx, `
		SELECT s.path, s.tool, e.entry, e.role, e.time, e.at, e.size, e.time < s.copied,
			coalesce((SELECT label FROM labels WHERE labels.session = e.session AND labels.entry = e.entry), ''), `+score+`
		FROM `+from+` JOIN sessions AS s ON s.id = e.session
		WHERE `+strings.Join(where, " AND ")+` ORDER BY `+order+` DESC LIMIT ?`, append(args, ranked)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []candidate
	now := float64(time.Now().UnixMilli())
	for rows.Next() {
		var c candidate
		if err := rows.Scan(&c.path, &c.tool, &c.entry, &c.role, &c.time, &c.at, &c.size, &c.copied, &c.label, &c.score); err != nil {
			return nil, err
		}
		const month = 30 * 24 * 3600 * 1000
		c.score *= 1 + 0.5/(1+max(0, now-float64(c.time))/month) // of today half as much again
		list = append(list, c)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	list = withoutLabels(list)
	slices.SortStableFunc(list, func(a, b candidate) int {
		// What was copied has the score of where it was copied from, and comes behind it.
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.time, a.time), cmp.Compare(a.copied, b.copied))
	})
	return list, nil
}

// withoutLabels leaves out the labels on entries that were found themselves, which then count for as
// much as the label does.
func withoutLabels(list []candidate) []candidate {
	type place struct{ path, entry string }
	scores := map[place]float64{}
	for _, c := range list {
		if c.role == RoleLabel {
			scores[place{c.path, c.entry}] = c.score
		}
	}
	if len(scores) == 0 {
		return list
	}
	found := map[place]bool{}
	for i := range list {
		if c := &list[i]; c.role != RoleLabel {
			at := place{c.path, c.entry}
			found[at] = true
			c.score = min(c.score, scores[at])
		}
	}
	return slices.DeleteFunc(list, func(c candidate) bool { return c.role == RoleLabel && found[place{c.path, c.entry}] })
}

// sessionsAbout are the numbers of the sessions about some directories, as JSON.
func (x *Index) sessionsAbout(ctx context.Context, dirs []string, only string) (string, error) {
	rows, err := x.db.QueryContext(ctx, "SELECT id, cwd FROM sessions WHERE NOT skipped")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	ids := []int64{}
	same := dirMatcher(only)
	for rows.Next() {
		var id int64
		var cwd string
		if err := rows.Scan(&id, &cwd); err != nil {
			return "", err
		}
		ok := only == "" || same(cwd)
		for _, d := range dirs {
			ok = ok && about(cwd, d)
		}
		if ok {
			ids = append(ids, id)
		}
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return "", err
	}
	return string(b), rows.Err()
}

// hitReader reads what is shown of a hit from the sessions, of which it keeps one open.
type hitReader struct {
	terms   []term
	items   map[string]*Item // nil for one that cannot be read
	figures map[string]figures

	path string
	file *os.File
}

func (r *hitReader) close() {
	if r.file != nil {
		_ = r.file.Close() // it was only read
	}
	r.file, r.path = nil, ""
}

func (r *hitReader) read(c candidate) (Hit, bool) {
	item, ok := r.items[c.path]
	if !ok {
		if i, err := Read(c.path); err == nil {
			i.Tool = cmp.Or(i.Tool, c.tool)
			r.figures[c.path].addTo(&i)
			item = &i
		}
		r.items[c.path] = item
	}
	if item == nil {
		return Hit{}, false
	}
	h := Hit{Item: *item, EntryID: c.entry, Role: c.role, Time: time.UnixMilli(c.time).UTC(), Label: c.label}
	switch c.role {
	case RoleSession:
		h.Snippet, h.Matches, _ = snippet(Mask(item.Name), r.terms)
		return h, true
	case RoleLabel:
		h.Snippet, h.Matches, _ = snippet(c.label, r.terms)
		return h, true
	}
	if r.path != c.path {
		r.close()
		f, err := os.Open(c.path)
		if err != nil {
			return Hit{}, false
		}
		r.path, r.file = c.path, f
	}
	raw := make([]byte, c.size)
	if _, err := r.file.ReadAt(raw, c.at); err != nil && err != io.EOF {
		return Hit{}, false
	}
	m := membersOf(raw)
	id := m.str("id")
	if m["type"] == nil || id != "" && id != c.entry && !strings.HasPrefix(c.entry, id+"~") {
		return Hit{}, false // the session is not what it was
	}
	d := readDocument(m.str("type"), raw, true)
	for _, text := range []string{d.text, strings.Join(d.files, "  "), strings.Join(d.tools, "  ")} {
		if line, at, found := snippet(text, r.terms); found || h.Snippet == "" {
			h.Snippet, h.Matches = line, at
			if found {
				break
			}
		}
	}
	return h, true
}
