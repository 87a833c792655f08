package library

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/internal/display"
)

// Update brings the index up to date with the library's sessions. Of one that was appended to, what
// is new is read; of one that is new or was changed otherwise, all. Sessions whose files are gone are
// forgotten. A file that cannot be read is left for the next time. When ctx ends, what was done stays, but for the last seconds.
//
// progress, which may be nil, is told how many bytes of how many have been read. It is called from
// this goroutine, and first, with 0, once it is known how much there is to do.
//
// While another process updates the index this waits, and then does what is left. A damaged index is
// made anew.
func (x *Index) Update(ctx context.Context, l *Library, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	for attempt := 1; ; attempt++ {
		was := x.count()
		err := x.update(ctx, l, progress)
		if !damaged(err) || attempt == attempts {
			return err
		}
		if _, err := x.renew(was); err != nil && !damaged(err) {
			return err
		}
	}
}

// SetToolOutput makes the index hold the output of tools too, or no more. It changes what the next
// Update reads: everything, when this is not how it was.
func (x *Index) SetToolOutput(ctx context.Context, on bool) error {
	unlock, err := x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	release, err := x.current()
	if err != nil {
		return err
	}
	defer release()
	if was, err := x.toolOutput(ctx); err != nil || was == on {
		return err
	}
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, do := range []string{"DELETE FROM sessions", "DELETE FROM entries", "DELETE FROM labels", "DELETE FROM spent",
		"INSERT INTO words (words) VALUES ('delete-all')"} {
		if _, err := tx.ExecContext(ctx, do); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO settings VALUES ('tool output', ?)", on); err != nil {
		return err
	}
	return tx.Commit()
}

func (x *Index) toolOutput(ctx context.Context) (on bool, err error) {
	err = x.db.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = 'tool output'").Scan(&on)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return on, err
}

// work is what an update has to do.
type work struct {
	output  bool
	changed []*survey // those used last come last, and so get the highest numbers
	gone    []int64
	total   int64 // bytes to read
}

func (w *work) none() bool { return len(w.changed)+len(w.gone) == 0 }

func (x *Index) update(ctx context.Context, l *Library, progress func(done, total int64)) error {
	files, err := l.walk(ctx, Skipped{})
	if err != nil {
		return err
	}
	slices.Reverse(files)
	if w, err := x.work(ctx, files); err != nil || w.none() {
		return err
	}
	unlock, err := x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	w, err := x.work(ctx, files) // another process may have done some of it
	if err != nil || w.none() {
		return err
	}
	release, err := x.current()
	if err != nil {
		return err
	}
	defer release()
	progress(0, w.total)
	return x.do(ctx, w, progress)
}

// work compares what is known with what is there.
func (x *Index) work(ctx context.Context, files []file) (work, error) {
	release, err := x.current()
	if err != nil {
		return work{}, err
	}
	defer release()
	all, err := x.known(ctx)
	if err != nil {
		return work{}, err
	}
	var w work
	if w.output, err = x.toolOutput(ctx); err != nil {
		return work{}, err
	}
	for _, f := range files {
		k, ok := all[f.path]
		delete(all, f.path)
		if size := f.info.Size(); !ok || k.settled != size || k.modified != f.info.ModTime().UnixNano() {
			v := &survey{file: f, output: w.output, known: k}
			w.changed = append(w.changed, v)
			w.total += size - v.from()
		}
	}
	for path, k := range all {
		// One that is there belongs to another library.
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			w.gone = append(w.gone, k.id)
		}
	}
	return w, nil
}

func (x *Index) known(ctx context.Context) (map[string]known, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT path, id, settled, modified, inode, print, odd, skipped, cwd, tool, name, copied,
		messages, branches, leaves FROM sessions`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]known{}
	for rows.Next() {
		var path, leaves string
		var k known
		if err := rows.Scan(&path, &k.id, &k.settled, &k.modified, &k.inode, &k.print, &k.odd, &k.skipped, &k.cwd, &k.tool, &k.name, &k.copied,
			&k.messages, &k.branches, &leaves); err != nil {
			return nil, err
		}
		if leaves != "" {
			k.leaves = strings.Split(leaves, "\n")
		}
		all[path] = k
	}
	return all, rows.Err()
}

// do reads sessions, a few at once, and puts them into the database one after the other.
func (x *Index) do(ctx context.Context, w work, progress func(done, total int64)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type reading struct {
		path     string
		id, from int64
		batches  chan batch
		survey   *survey // with err, once batches is closed
		err      error
	}
	workers := min(runtime.GOMAXPROCS(0), 4)
	order := make(chan *reading, workers) // bounds how far the reading runs ahead
	slots := make(chan struct{}, workers)
	go func() {
		defer close(order)
		for _, v := range w.changed {
			r := &reading{path: v.file.path, id: v.id, from: v.from(), batches: make(chan batch, 2), survey: v}
			v.hand = func(b batch) error {
				select {
				case r.batches <- b:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			go func() {
				defer func() { <-slots }()
				defer close(r.batches)
				r.err = v.run(ctx)
			}()
			select {
			case order <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	in, err := x.newIntake(ctx)
	if err != nil {
		return err
	}
	defer in.rollback()
	for _, id := range w.gone {
		if err := in.forget(id); err != nil {
			return err
		}
		if err := in.run("DELETE FROM sessions WHERE id = ?", id); err != nil {
			return err
		}
	}
	done := int64(0)
	for r := range order {
		if err := in.begin(r.path, r.id); err != nil {
			return err
		}
		for b := range r.batches {
			if err := in.add(b); err != nil {
				return err
			}
			progress(min(done+max(0, b.read-r.from), w.total), w.total)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		done += r.survey.file.info.Size() - r.from
		if r.err != nil {
			// Gone, or not to be read just now: as it was before.
			if err := in.undo(); err != nil {
				return err
			}
			continue
		}
		if err := in.finish(r.survey); err != nil {
			return err
		}
		progress(min(done, w.total), w.total)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return in.commit()
}

// intake puts sessions into the database, several in one transaction.
type intake struct {
	ctx        context.Context
	db         *sql.DB
	tx         *sql.Tx
	statements map[string]*sql.Stmt
	since      time.Time // the transaction began
	bytes      int       // that it holds
	next       int64     // free number in entries

	session int64
	anew    bool // all that was known of the session is forgotten
}

func (x *Index) newIntake(ctx context.Context) (*intake, error) {
	in := &intake{ctx: ctx, db: x.db}
	return in, in.start()
}

func (in *intake) start() error {
	tx, err := in.db.BeginTx(in.ctx, nil)
	if err != nil {
		return err
	}
	in.tx, in.statements, in.since, in.bytes = tx, map[string]*sql.Stmt{}, time.Now(), 0
	return tx.QueryRow("SELECT coalesce(max(id), 0) + 1 FROM entries").Scan(&in.next)
}

func (in *intake) rollback() { _ = in.tx.Rollback() } // after a commit it does nothing

func (in *intake) commit() error { return in.tx.Commit() }

// run executes a statement, which is prepared once.
func (in *intake) run(query string, args ...any) error {
	s := in.statements[query]
	if s == nil {
		var err error
		if s, err = in.tx.Prepare(query); err != nil {
			return err
		}
		in.statements[query] = s // the end of the transaction closes it
	}
	_, err := s.Exec(args...)
	return err
}

// begin starts on a session. A number of 0 is a new one.
func (in *intake) begin(path string, id int64) error {
	const large, long = 16 << 20, 2 * time.Second
	if in.bytes > large || time.Since(in.since) > long {
		if err := in.commit(); err != nil {
			return err
		}
		if err := in.start(); err != nil {
			return err
		}
	}
	if err := in.run("SAVEPOINT session"); err != nil {
		return err
	}
	in.session, in.anew = id, false
	if id != 0 {
		return nil
	}
	return in.tx.QueryRow(`INSERT INTO sessions (path, settled, modified, inode, print, odd, skipped, cwd, tool, name, copied, messages, branches, leaves)
		VALUES (?, 0, 0, 0, '', 1, 1, '', '', '', 0, 0, 0, '') RETURNING id`, path).Scan(&in.session)
}

// undo takes back what was done since begin.
func (in *intake) undo() error {
	if err := in.run("ROLLBACK TO session"); err != nil {
		return err
	}
	return in.run("RELEASE session")
}

// forget takes out all that is known of a session's entries.
func (in *intake) forget(session int64) error {
	for _, q := range []string{
		"DELETE FROM words WHERE rowid IN (SELECT id FROM entries WHERE session = ?)",
		"DELETE FROM entries WHERE session = ?", "DELETE FROM labels WHERE session = ?", "DELETE FROM spent WHERE session = ?",
	} {
		if err := in.run(q, session); err != nil {
			return err
		}
	}
	return nil
}

func (in *intake) add(b batch) error {
	if b.anew {
		in.anew = true
		if err := in.forget(in.session); err != nil {
			return err
		}
	}
	for i := range b.docs {
		d := &b.docs[i]
		if _, err := in.insert(d.entry, d.role, d.time, d.at, d.size, d.text, "", strings.Join(d.files, "\n"), strings.Join(d.tools, "\n")); err != nil {
			return err
		}
	}
	return nil
}

func (in *intake) insert(entry, role string, time, at, size int64, text, title, files, tools string) (int64, error) {
	id := in.next
	in.next++
	in.bytes += len(text) + len(files) + 100
	if err := in.run("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", id, in.session, entry, role, time, at, size); err != nil {
		return 0, err
	}
	return id, in.run("INSERT INTO words (rowid, text, title, files, tools) VALUES (?, ?, ?, ?, ?)", id, spaced(text), spaced(title), spaced(files), tools)
}

// remove takes out one document.
func (in *intake) remove(id int64) error {
	if err := in.run("DELETE FROM words WHERE rowid = ?", id); err != nil {
		return err
	}
	return in.run("DELETE FROM entries WHERE id = ?", id)
}

// finish puts in what is known once a session has been read.
func (in *intake) finish(v *survey) error {
	for _, l := range v.labels {
		if err := in.label(l); err != nil {
			return err
		}
	}
	for on, s := range v.spent {
		err := in.run(`INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET messages = messages + excluded.messages,
			input = input + excluded.input, output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
			cache_write = cache_write + excluded.cache_write, cost = cost + excluded.cost`,
			in.session, on.quarter, on.model, s.messages, s.input, s.output, s.cacheRead, s.cacheWrite, s.cost)
		if err != nil {
			return err
		}
	}
	if err := in.name(v); err != nil {
		return err
	}
	err := in.run(`UPDATE sessions SET settled = ?, modified = ?, inode = ?, print = ?, odd = ?, skipped = ?, cwd = ?, tool = ?, name = ?,
		copied = ?, messages = ?, branches = ?, leaves = ? WHERE id = ?`, v.settled, v.modified, v.inode, v.print, v.odd, v.skipped, v.cwd, v.tool, v.name,
		v.copied, v.messages, v.branches, strings.Join(v.leaves, "\n"), in.session)
	if err != nil {
		return err
	}
	return in.run("RELEASE session")
}

func (in *intake) label(l labelSet) error {
	var old int64
	err := in.tx.QueryRow("SELECT document FROM labels WHERE session = ? AND entry = ?", in.session, l.target).Scan(&old)
	switch {
	case err == nil:
		if err := in.remove(old); err != nil {
			return err
		}
		if err := in.run("DELETE FROM labels WHERE session = ? AND entry = ?", in.session, l.target); err != nil {
			return err
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	text := Mask(l.text)
	if text == "" {
		return nil
	}
	id, err := in.insert(l.target, RoleLabel, l.time, l.at, l.size, "", text, "", "")
	if err != nil {
		return err
	}
	return in.run("INSERT INTO labels VALUES (?, ?, ?, ?, ?)", in.session, l.target, text, display.Fold(text), id)
}

// name makes the session's name searchable.
func (in *intake) name(v *survey) error {
	v.name = Mask(v.name)
	if !in.anew {
		was := ""
		if err := in.tx.QueryRow("SELECT name FROM sessions WHERE id = ?", in.session).Scan(&was); err != nil || was == v.name {
			return err
		}
		var old int64
		err := in.tx.QueryRow("SELECT id FROM entries WHERE session = ? AND role = ?", in.session, RoleSession).Scan(&old)
		if err == nil {
			err = in.remove(old)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	if v.name == "" {
		return nil
	}
	_, err := in.insert("", RoleSession, v.modified/1e6, 0, 0, "", v.name, "", "")
	return err
}
