package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A saved position is a small file in the user's state directory, never inside the log (section 4).
// It counts only while the log is as long, and ends as, it was when the position was saved.
type position struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Tail string `json:"tail"` // SHA-256 of the last bytes
	Leaf string `json:"leaf"` // "" for none
}

// SavePosition keeps the leaf for the next Open of this file, which takes it up unless something
// was appended since. For a session in memory it does nothing.
func (s *Session) SavePosition() error {
	if s.Path() == "" || !s.exists() {
		return nil
	}
	s.mu.RLock()
	leaf := ""
	if s.leaf != none {
		leaf = s.log.entryAt(s.leaf).ID()
	}
	p := s.log.position(leaf)
	s.mu.RUnlock()
	file, err := positionFile(s.Path())
	if err != nil {
		return fmt.Errorf("the position in %s was not saved: %w", s.Path(), err)
	}
	b, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		err = writeSmall(file, append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the position in %s was not saved: %w", s.Path(), err)
	}
	return nil
}

func (l *log) position(leaf string) position {
	l.mu.RLock()
	defer l.mu.RUnlock()
	sum := sha256.Sum256(l.bounds.tail)
	return position{Path: l.store, Size: l.seen, Tail: hex.EncodeToString(sum[:]), Leaf: leaf}
}

// restorePosition takes up the saved position, if it still counts. One that cannot be read is as if
// there were none: it holds nothing that anyone wrote.
func (s *Session) restorePosition() {
	if s.Path() == "" {
		return
	}
	file, err := positionFile(s.Path())
	if err != nil {
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var p position
	if json.Unmarshal(b, &p) != nil || p != s.log.position(p.Leaf) {
		return
	}
	if p.Leaf == "" {
		s.leaf = none
	} else if i := s.log.idx.find(p.Leaf); i != none {
		s.leaf = i
	}
}

// positionFile is where the position in a session file is kept.
func positionFile(path string) (string, error) {
	dir, err := StateDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, "positions", hex.EncodeToString(sum[:16])+".json"), nil
}

// StateDir is where Ramo keeps what it may forget: $XDG_STATE_HOME/ramo, or the system's own place
// for such things.
func StateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ramo"), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "ramo", "state"), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return "", errors.Join(fs.ErrNotExist, err)
	}
	return filepath.Join(home, ".local", "state", "ramo"), nil
}

// writeSmall writes a small file in one step, so that a reader sees the old or the new one.
func writeSmall(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
