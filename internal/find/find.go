// Package find finds the session files of ramo, pi and omp on this machine, and tells what their
// first lines say. It never writes.
package find

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/message"
)

// File is a session file, as far as its first lines tell.
type File struct {
	Path         string
	ID           string
	Title        string
	Cwd          string
	Tool         string // "ramo", "pi", "omp"
	Created      time.Time
	Modified     time.Time
	Bytes        int64
	FirstMessage string // the first request's text
}

// Root is a folder that a tool keeps its sessions under.
type Root struct {
	Dir  string
	Tool string
}

// Roots are the folders to look in, those that exist or not.
func Roots() []Root {
	home, err := os.UserHomeDir()
	var roots []Root
	if dir := OwnDir(); dir != "" {
		roots = append(roots, Root{dir, "ramo"})
	}
	if dir := os.Getenv("PI_CODING_AGENT_DIR"); dir != "" {
		roots = append(roots, Root{filepath.Join(expand(dir, home), "sessions"), "pi"})
	} else if err == nil {
		roots = append(roots, Root{filepath.Join(home, ".pi", "agent", "sessions"), "pi"})
	}
	if err == nil {
		roots = append(roots, Root{filepath.Join(home, ".omp", "agent", "sessions"), "omp"})
	}
	return roots
}

func expand(dir, home string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(home, rest)
	}
	return dir
}

// OwnDir is where ramo keeps its own sessions: $XDG_DATA_HOME/ramo/sessions, or
// ~/.local/share/ramo/sessions. It is "" when there is no home directory.
func OwnDir() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ramo", "sessions")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share", "ramo", "sessions")
}

// DirFor is the folder in OwnDir for sessions about a directory. Its name is for people; what a
// session is about stands in its header.
func DirFor(cwd string) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' {
			return '-'
		}
		return r
	}, strings.TrimLeft(filepath.ToSlash(cwd), "/"))
	return filepath.Join(OwnDir(), "--"+name+"--")
}

// Skipped counts what was passed over, by reason.
type Skipped map[string]int

// All lists the session files, last used first. What cannot be read or is no session is counted.
func All() ([]File, Skipped) {
	var files []File
	skipped := Skipped{}
	seen := map[string]bool{}
	for _, root := range Roots() {
		_ = filepath.WalkDir(root.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					skipped["unreadable"]++
				}
				return nil
			}
			if d.IsDir() || filepath.Ext(path) != ".jsonl" || strings.HasPrefix(d.Name(), ".") {
				return nil
			}
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				skipped["broken link"]++
				return nil
			}
			if seen[real] {
				return nil
			}
			seen[real] = true
			f, err := Read(path)
			if err != nil {
				skipped[reason(err)]++
				return nil
			}
			if f.Tool == "" {
				f.Tool = root.Tool
			}
			files = append(files, f)
			return nil
		})
	}
	slices.SortStableFunc(files, func(a, b File) int { return b.Modified.Compare(a.Modified) })
	return files, skipped
}

func reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "unreadable"
	}
	return "not a session"
}

// headSize is how much of a file is read: enough for a header and, nearly always, the first
// request.
const headSize = 64 << 10

// Read reads a file's first lines.
func Read(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	head := make([]byte, min(headSize, info.Size()))
	if _, err := io.ReadFull(f, head); err != nil {
		return File{}, err
	}
	out := File{Path: path, Modified: info.ModTime(), Bytes: info.Size()}
	found := false
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))) {
		var e struct {
			Type, ID, Title, Cwd, Tool, Timestamp string
			Message                               json.RawMessage
		}
		if json.Unmarshal(bytes.TrimSpace(line), &e) != nil {
			continue
		}
		switch e.Type {
		case "title":
			if !found {
				out.Title, out.Tool = strings.TrimSpace(e.Title), "omp"
			}
		case "session":
			if found {
				continue
			}
			found = true
			out.ID, out.Cwd = e.ID, e.Cwd
			out.Tool = tool(path, e.Tool, out.Tool, e.ID)
			if out.Title == "" {
				out.Title = e.Title
			}
			out.Created, _ = time.Parse(time.RFC3339Nano, e.Timestamp)
		case "message":
			m, err := message.Decode(e.Message)
			if err == nil && found && m.Role == message.RoleUser {
				out.FirstMessage = m.Text()
				return out, nil
			}
		}
	}
	if !found {
		return File{}, fmt.Errorf("%s: no session header in its first lines", path)
	}
	return out, nil
}

// Tool tells which program made a session.
func Tool(path, said string, titleLine bool, id string) string {
	slot := ""
	if titleLine {
		slot = "omp"
	}
	return tool(path, said, slot, id)
}

func tool(path, said, slot, id string) string {
	slash := filepath.ToSlash(path)
	switch {
	case said != "":
		return said
	case strings.Contains(slash, "/.pi/"):
		return "pi"
	case strings.Contains(slash, "/.omp/"):
		return "omp"
	case slot != "":
		return slot
	case len(id) == 36 && strings.Count(id, "-") == 4:
		return "pi"
	case len(id) == 16 && strings.Trim(id, "0123456789abcdef") == "":
		return "omp"
	}
	return ""
}

// ErrNone and ErrAmbiguous are what Resolve fails with.
var (
	ErrNone      = errors.New("no such session")
	ErrAmbiguous = errors.New("ambiguous session")
)

// Resolve finds the session that a person names: a path, an id, the unique start of an id, a file's
// name, or "-" for the one last used in the directory cwd.
func Resolve(name, cwd string) (string, error) {
	if name == "-" {
		files, _ := All()
		for _, f := range files {
			if SameDir(f.Cwd, cwd) {
				return f.Path, nil
			}
		}
		return "", fmt.Errorf("%w: none here in %s: 'ramo ls --all' lists those of every directory", ErrNone, cwd)
	}
	if _, err := os.Lstat(name); err == nil || strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl") {
		return name, nil
	}
	files, _ := All()
	var exact, starts []File
	for _, f := range files {
		switch {
		case f.ID == name || strings.TrimSuffix(filepath.Base(f.Path), ".jsonl") == name:
			exact = append(exact, f)
		case strings.HasPrefix(f.ID, name):
			starts = append(starts, f)
		}
	}
	if len(exact) == 0 {
		exact = starts
	}
	switch len(exact) {
	case 0:
		return "", fmt.Errorf("%w: %q is no file, and no session has an id that starts so: 'ramo ls --all' lists them", ErrNone, name)
	case 1:
		return exact[0].Path, nil
	}
	var list []string
	for _, f := range exact[:min(len(exact), 8)] {
		list = append(list, f.ID+" ("+f.Path+")")
	}
	if more := len(exact) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "", fmt.Errorf("%w: %q could be %s", ErrAmbiguous, name, strings.Join(list, ", "))
}

// SameDir tells whether two paths name one directory.
func SameDir(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}
