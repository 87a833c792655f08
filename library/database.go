package library

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The database of an index is a file in the index's directory. One that was deleted or is damaged is
// followed by another, of another name, so that SQLite's own files beside it, which go by the name,
// are never shared by two databases, whoever has which of them open. The last name is the one that
// counts.

// open opens the database, and makes one if there is none; x.mu is held for writing, or nobody else
// knows x yet.
func (x *Index) open() error {
	var err error
	if x.path, x.file, err = x.newest(); err != nil {
		return err
	}
	if x.path == "" {
		return x.make()
	}
	return x.connect()
}

func (x *Index) connect() error {
	db, err := sql.Open("sqlite", source(x.path))
	if err != nil {
		return err
	}
	x.db = db
	x.opened++
	version := 0
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version != schemaVersion {
		return errForeign
	}
	return nil
}

// source names the database for the driver, which must not make one.
func source(path string) string {
	name := filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String() +
		"?mode=rw&_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)" +
		"&_pragma=cache_size(-16000)&_pragma=wal_autocheckpoint(4000)&_pragma=temp_store(memory)"
}

// newest is the database that counts, "" when there is none.
func (x *Index) newest() (path string, info fs.FileInfo, err error) {
	files, err := os.ReadDir(x.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	for i := len(files) - 1; i >= 0; i-- { // they are sorted
		if filepath.Ext(files[i].Name()) != ".db" {
			continue
		}
		info, err := files[i].Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted just now
		}
		return filepath.Join(x.dir, files[i].Name()), info, err
	}
	return "", nil, nil
}

// make makes a new database and opens it. It gets its name when it is complete, so that nobody opens
// half of one; when another process makes one at the same moment, one of them has the last name.
func (x *Index) make() error {
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(x.dir, "new-*.tmp") // only its owner may read it: it tells what people talk about with their agents
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", source(f.Name()))
	if err != nil {
		return err
	}
	_, err = db.Exec("BEGIN;" + schema + fmt.Sprintf("PRAGMA user_version = %d; COMMIT", schemaVersion))
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	x.path = filepath.Join(x.dir, fmt.Sprintf("%019d-%d.db", time.Now().UnixNano(), os.Getpid()))
	if last, _, err := x.newest(); err != nil {
		return err
	} else if last >= x.path { // the clock was set back
		x.path = strings.TrimSuffix(last, ".db") + "-.db"
	}
	if err := os.Rename(f.Name(), x.path); err != nil {
		return err
	}
	x.forget()
	if x.path, x.file, err = x.newest(); err != nil {
		return err
	}
	return x.connect()
}

// forget removes the databases before this one, and what was begun and never got a name. What is open
// in another process stays there until that notices, or, on some systems, until the next time.
func (x *Index) forget() {
	files, err := os.ReadDir(x.dir)
	if err != nil {
		return // they are in nobody's way
	}
	for _, f := range files {
		old := false
		switch base, kind, _ := strings.Cut(f.Name(), ".db"); kind {
		case "", "-wal", "-shm":
			old = base != f.Name() && base+".db" < filepath.Base(x.path)
		}
		if strings.HasPrefix(f.Name(), "new-") {
			info, err := f.Info()
			old = err == nil && time.Since(info.ModTime()) > time.Hour
		}
		if old {
			_ = os.Remove(filepath.Join(x.dir, f.Name()))
		}
	}
}

// errForeign is a database with other tables than the directory's name promises.
var errForeign = errors.New("it has tables of another version")

// damaged tells whether the database is not what it should be, or is there no more.
func damaged(err error) bool {
	if errors.Is(err, errForeign) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN:
		return true
	case sqlite3.SQLITE_IOERR:
		// The second: the file was deleted before its companions were made.
		return e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ || e.Code() == sqlite3.SQLITE_IOERR_FSTAT
	case sqlite3.SQLITE_ERROR:
		return strings.Contains(e.Error(), "no such table") || strings.Contains(e.Error(), "no such column") || strings.Contains(e.Error(), "already exists")
	}
	return false
}

// attempts is how often something is begun again because others delete the database under it.
const attempts = 5

// query runs f, which only asks the database. When that was deleted under it or is damaged, f runs again
// on the one that follows. One that follows empty has no answer, which is an error.
func (x *Index) query(f func() error) error {
	for attempt := 1; ; attempt++ {
		was := x.count()
		err := f()
		if !damaged(err) || attempt == attempts {
			return err
		}
		if empty, failed := x.renew(was); failed != nil && !damaged(failed) {
			return failed
		} else if failed == nil && empty {
			return fmt.Errorf("the search index was damaged, and starts anew: search again: %w", err)
		}
	}
}

// count tells the databases apart that x opened one after the other.
func (x *Index) count() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.opened
}

// renew opens the database that counts, if it is another than the one that is damaged, which was x's at
// this count; else it follows it with a new one, which is empty.
func (x *Index) renew(count int) (empty bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.opened != count {
		return false, nil // meanwhile
	}
	was := x.file
	err = x.reopen()
	if err == nil && was != nil && os.SameFile(was, x.file) || damaged(err) {
		x.close()
		return true, x.make()
	}
	return false, err
}

// reopen opens what counts now.
func (x *Index) reopen() error {
	if x.shut {
		return errClosed
	}
	x.close()
	return x.open()
}

func (x *Index) close() {
	if x.db != nil {
		_ = x.db.Close() // whatever it says, it is not used any more
	}
	x.db = nil
}

var errClosed = errors.New("the search index is closed")

// current makes sure that the database is the one that counts, and keeps it so until release is
// called.
func (x *Index) current() (release func(), err error) {
	for {
		x.mu.RLock()
		if path, file, err := x.newest(); err == nil && x.db != nil && path == x.path && os.SameFile(file, x.file) {
			return x.mu.RUnlock, nil
		}
		x.mu.RUnlock()
		x.mu.Lock()
		err = x.reopen()
		x.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}
