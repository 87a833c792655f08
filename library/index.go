package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ramo-dev/ramo/internal/display"
)

// Index is the search index: what the sessions say, in a database. Everything in it stands in the
// sessions too, so it may be deleted at any time; when it is damaged it is made anew. Of the texts it
// holds the words and where they are, not the texts: those are read from the sessions.
//
// It is safe for concurrent use, also by several processes: one at a time brings it up to date, and
// the others search meanwhile.
type Index struct {
	path string

	mu   sync.RWMutex // held for writing while the database is exchanged for another
	db   *sql.DB
	file fs.FileInfo // of db
}

// schema is what the database is made of. Another shape gets another version, and so another file:
// an older ramo on the machine keeps its own.
const (
	schemaVersion = 1
	schema        = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- A file. It has been read up to settled; print is of the bytes before that. odd: what is appended
-- cannot be understood by itself. skipped: it is no session. copied: entries before this time came from
-- another session. leaves: the ids that nothing hangs from, one a line.
CREATE TABLE sessions (
	id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
	settled INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL, print BLOB NOT NULL,
	odd INTEGER NOT NULL, skipped INTEGER NOT NULL,
	cwd TEXT NOT NULL, tool TEXT NOT NULL, name TEXT NOT NULL, copied INTEGER NOT NULL,
	messages INTEGER NOT NULL, branches INTEGER NOT NULL, leaves TEXT NOT NULL);

-- What is searched: an entry, an entry's label, or, without an entry, a session's name. The text has
-- the same number in words; at and size tell where its line is in the file.
CREATE TABLE entries (
	id INTEGER PRIMARY KEY, session INTEGER NOT NULL, entry TEXT NOT NULL, role TEXT NOT NULL,
	time INTEGER NOT NULL, at INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX entries_place ON entries (session, entry);
CREATE VIRTUAL TABLE words USING fts5 (text, title, files, tools, content='', contentless_delete=1,
	tokenize='unicode61 remove_diacritics 2');

-- The labels that stand. document is the label's number in entries.
CREATE TABLE labels (
	session INTEGER NOT NULL, entry TEXT NOT NULL, label TEXT NOT NULL, folded TEXT NOT NULL, document INTEGER NOT NULL,
	PRIMARY KEY (session, entry)) WITHOUT ROWID;

-- What was spent. quarter is the quarter of an hour since 1970.
CREATE TABLE spent (
	session INTEGER NOT NULL, quarter INTEGER NOT NULL, model TEXT NOT NULL, messages INTEGER NOT NULL,
	input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL NOT NULL,
	PRIMARY KEY (session, quarter, model)) WITHOUT ROWID;
`
)

// IndexPath is where the index is: under $XDG_CACHE_HOME/ramo, or the system's own place for such
// things.
func IndexPath() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("there is no place for the search index: %w: set XDG_CACHE_HOME", err)
		}
	}
	return filepath.Join(dir, "ramo", fmt.Sprintf("search-%d.db", schemaVersion)), nil
}

// OpenIndex opens the index at path, "" for IndexPath, and makes it if there is none. Close it.
func OpenIndex(path string) (*Index, error) {
	if path == "" {
		var err error
		if path, err = IndexPath(); err != nil {
			return nil, err
		}
	}
	x := &Index{path: path}
	err := x.open()
	if damaged(err) {
		err = x.renew(context.Background())
	}
	if err != nil {
		_ = x.Close()
		return nil, fmt.Errorf("the search index %s cannot be opened: %w", path, err)
	}
	return x, nil
}

// Close closes the index; it may be nil.
func (x *Index) Close() error {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.db == nil {
		return nil
	}
	err := x.db.Close()
	x.db = nil
	return err
}

// open opens the database; x.mu is held for writing, or nobody else knows x yet.
func (x *Index) open() error {
	if err := os.MkdirAll(filepath.Dir(x.path), 0o700); err != nil {
		return err
	}
	// It tells what people talk about with their agents, so only they may read it.
	f, err := os.OpenFile(x.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	name := filepath.ToSlash(x.path)
	if runtime.GOOS == "windows" {
		name = "/" + name
	}
	dsn := (&url.URL{Scheme: "file", Path: name}).String() +
		"?_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
		"&_pragma=cache_size(-16000)&_pragma=wal_autocheckpoint(4000)&_pragma=temp_store(memory)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	x.db = db
	if err := x.prepare(); err != nil {
		return err
	}
	x.file, err = os.Stat(x.path)
	return err
}

// prepare makes the tables, once.
func (x *Index) prepare() error {
	version := 0
	if err := x.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version == schemaVersion {
		return err
	}
	tx, err := x.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version == schemaVersion {
		return err // another process was quicker
	}
	if version != 0 {
		return errForeign
	}
	if _, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// errForeign is a database with other tables than the file's name promises.
var errForeign = errors.New("it has tables of another version")

// damaged tells whether the database must be made anew.
func damaged(err error) bool {
	if errors.Is(err, errForeign) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	case sqlite3.SQLITE_IOERR:
		return e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
	case sqlite3.SQLITE_ERROR:
		return strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column") || strings.Contains(e.Error(), "already exists")
	}
	return false
}

// lock waits until no other Index, in this process or another, brings the database up to date or
// exchanges it.
func (x *Index) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(x.path+".lock", flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("waiting for another process to bring the search index up to date: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// renew throws the database away and makes a new one. Another process that has the old one open goes
// on with that, until it notices that its name leads elsewhere.
func (x *Index) renew(ctx context.Context) error {
	unlock, err := x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return x.renewLocked()
}

func (x *Index) renewLocked() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	now, err := os.Stat(x.path)
	if err != nil || x.file == nil || !os.SameFile(now, x.file) {
		// Another process may have been quicker.
		if err := x.reopen(); !damaged(err) {
			return err
		}
	}
	if x.db != nil {
		_ = x.db.Close() // it is thrown away
		x.db = nil
	}
	for _, end := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(x.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("it is damaged, and cannot be removed: %w: delete it", err)
		}
	}
	return x.open()
}

// reopen opens what the path leads to now.
func (x *Index) reopen() error {
	if x.db != nil {
		_ = x.db.Close() // whatever it says, it is not used any more
		x.db, x.file = nil, nil
	}
	return x.open()
}

var errClosed = errors.New("the search index is closed")

// current makes sure that the database is the one that the path leads to, and keeps it so until
// release is called.
func (x *Index) current() (release func(), err error) {
	for {
		x.mu.RLock()
		if x.db == nil {
			x.mu.RUnlock()
			return nil, errClosed
		}
		if now, err := os.Stat(x.path); err == nil && os.SameFile(now, x.file) {
			return x.mu.RUnlock, nil
		}
		x.mu.RUnlock()
		x.mu.Lock()
		if x.db != nil {
			err = x.reopen()
		} else {
			err = errClosed
		}
		x.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// figures are what the index knows of a session, if its file is as it was.
type figures struct {
	size, modified             int64
	messages, branches, labels int
}

func (f figures) addTo(i *Item) {
	if f.size == i.Bytes && f.modified == i.Modified.UnixNano() {
		i.Known, i.Messages, i.Branches, i.Labels = true, f.messages, f.branches, f.labels
	}
}

func (x *Index) figures(ctx context.Context) (map[string]figures, error) {
	release, err := x.current()
	if err != nil {
		return nil, err
	}
	defer release()
	rows, err := x.db.QueryContext(ctx, `
		SELECT path, settled, modified, messages, branches, (SELECT count(*) FROM labels WHERE session = sessions.id)
		FROM sessions WHERE NOT skipped`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]figures{}
	for rows.Next() {
		var path string
		var f figures
		if err := rows.Scan(&path, &f.size, &f.modified, &f.messages, &f.branches, &f.labels); err != nil {
			return nil, err
		}
		all[path] = f
	}
	return all, rows.Err()
}

// labelled are the files in which an entry has a label.
func (x *Index) labelled(ctx context.Context, label string) (map[string]bool, error) {
	release, err := x.current()
	if err != nil {
		return nil, err
	}
	defer release()
	rows, err := x.db.QueryContext(ctx, "SELECT path FROM labels JOIN sessions ON id = session WHERE folded = ?", display.Fold(label))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	paths := map[string]bool{}
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		paths[path] = true
	}
	return paths, rows.Err()
}
