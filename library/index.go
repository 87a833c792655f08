package library

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/ramo-dev/ramo/internal/display"
)

// Index is the search index: what the sessions say, in a database. Everything in it stands in the
// sessions too, so it may be deleted at any time; when it is damaged it is made anew. Of the texts it
// holds the words and where they are, not the texts: those are read from the sessions.
//
// It is safe for concurrent use, also by several processes: one at a time brings it up to date, and
// the others search meanwhile.
type Index struct {
	dir string

	mu     sync.RWMutex // held for writing while the database is exchanged for another
	db     *sql.DB      // nil while none could be opened
	path   string       // of db, in dir
	file   fs.FileInfo  // of db
	opened int          // how many there were
	shut   bool         // by Close
}

// schema is what the database is made of. Another shape gets another version, and so another
// directory: an older ramo on the machine keeps its own.
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

// IndexDir is where the index is: under $XDG_CACHE_HOME/ramo, or the system's own place for such
// things.
func IndexDir() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("there is no place for the search index: %w: set XDG_CACHE_HOME", err)
		}
	}
	return filepath.Join(dir, "ramo", fmt.Sprintf("search-%d", schemaVersion)), nil
}

// OpenIndex opens the index in the directory dir, "" for IndexDir, and makes it if there is none.
// Close it.
func OpenIndex(dir string) (*Index, error) {
	if dir == "" {
		var err error
		if dir, err = IndexDir(); err != nil {
			return nil, err
		}
	}
	x := &Index{dir: dir}
	err := x.open()
	if damaged(err) {
		_, err = x.renew(x.opened)
	}
	if err != nil {
		_ = x.Close()
		return nil, fmt.Errorf("the search index in %s cannot be opened: %w", dir, err)
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
	x.shut = true
	if x.db == nil {
		return nil
	}
	err := x.db.Close()
	x.db = nil
	return err
}

// lock waits until no other Index, in this process or another, brings the database up to date.
func (x *Index) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(x.dir, "lock"), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("waiting for another process to bring the search index up to date: %w", err)
	}
	return func() { _ = l.Close() }, nil
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
