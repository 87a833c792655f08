// Package find finds the session files of ramo, pi and omp on this machine, and tells what their
// first lines say. It never writes.
package find

import (
	"bufio"
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

// Roots are the folders to look in, whether they exist or not.
func Roots() []Root {
	var roots []Root
	add := func(tool, dir string) {
		if dir != "" && !slices.ContainsFunc(roots, func(r Root) bool { return r.Dir == dir }) {
			roots = append(roots, Root{dir, tool})
		}
	}
	add("ramo", OwnDir())
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	under := func(dir string, elem ...string) string {
		if dir = expand(dir, home); dir == "" {
			return ""
		}
		return filepath.Join(append([]string{dir}, elem...)...)
	}
	// Both tools take their folder from PI_CODING_AGENT_DIR; whose a session there is, its header and
	// its id tell.
	add("", under(os.Getenv("PI_CODING_AGENT_SESSION_DIR")))
	add("", under(os.Getenv("PI_CODING_AGENT_DIR"), "sessions"))
	add("pi", under(home, ".pi", "agent", "sessions"))
	config := os.Getenv("PI_CONFIG_DIR")
	if config == "" {
		config = ".omp"
	}
	add("omp", under(home, config, "agent", "sessions"))
	bases := []string{under(home, config)}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		add("omp", filepath.Join(dir, "omp", "sessions"))
		bases = append(bases, filepath.Join(dir, "omp"))
	}
	for _, base := range bases { // omp's profiles
		profiles, _ := os.ReadDir(filepath.Join(base, "profiles")) // nearly always there are none
		for _, p := range profiles {
			if base != "" {
				add("omp", filepath.Join(base, "profiles", p.Name(), "agent", "sessions"))
				add("omp", filepath.Join(base, "profiles", p.Name(), "sessions"))
			}
		}
	}
	return roots
}

// expand puts the home directory in the place of ~.
func expand(dir, home string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
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
		// With a separator behind it, a root that is a link is followed.
		_ = filepath.WalkDir(root.Dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					skipped["unreadable"]++
				}
				return nil
			}
			if d.IsDir() {
				// Sessions are in the root and in a folder for each directory. What is deeper belongs to
				// a session: the output of its tools, the logs of its subagents.
				if rel, err := filepath.Rel(root.Dir, path); err == nil && strings.ContainsRune(rel, filepath.Separator) {
					return fs.SkipDir
				}
				return nil
			}
			if filepath.Ext(path) != ".jsonl" || strings.HasPrefix(d.Name(), ".") {
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

// headSize is how much of a file is read at most: enough for a header and, nearly always, the first
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
	out := File{Path: path, Modified: info.ModTime(), Bytes: info.Size()}
	if err := out.read(bufio.NewReaderSize(io.LimitReader(f, headSize), 8<<10)); err != nil {
		return File{}, err
	}
	return out, nil
}

func (f *File) read(r *bufio.Reader) error {
	header := false
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		line = bytes.TrimSpace(bytes.Trim(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), "\x00"))
		switch e := firstMembers(line); e.Type {
		case "title":
			if !header {
				f.Title, f.Tool = strings.TrimSpace(e.Title), "omp"
			}
		case "session":
			if header {
				break
			}
			header = true
			f.ID, f.Cwd = e.ID, e.Cwd
			f.Tool = tool(f.Path, e.Tool, f.Tool, e.ID)
			if f.Title == "" {
				f.Title = e.Title
			}
			f.Created, _ = time.Parse(time.RFC3339Nano, e.Timestamp)
		case "message":
			if text, ok := requestText(e.Message); ok && header {
				f.FirstMessage = text
				return nil
			}
		}
		if err == io.EOF {
			break
		}
	}
	if !header {
		return fmt.Errorf("%s: no session header in its first lines", f.Path)
	}
	return nil
}

type members struct {
	Type, ID, Title, Cwd, Tool, Timestamp string
	Message                               json.RawMessage
}

// firstMembers reads a line's members one by one, so that of a line that is cut off, or has a member
// of the wrong type, the others are known.
func firstMembers(line []byte) (m members) {
	strs := map[string]*string{"type": &m.Type, "id": &m.ID, "title": &m.Title, "cwd": &m.Cwd, "tool": &m.Tool, "timestamp": &m.Timestamp}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return m
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return m
		}
		at := int(d.InputOffset())
		var v json.RawMessage
		if d.Decode(&v) != nil {
			if name == "message" { // as far as it goes
				m.Message = bytes.TrimLeft(line[at:], ": \t")
			}
			return m
		}
		if name == "message" {
			m.Message = v
		} else if to := strs[name]; to != nil {
			_ = json.Unmarshal(v, to)
		}
	}
	return m
}

// requestText is the text of a user message. Of one that is cut off, for it holds a picture, it is the
// first text in it.
func requestText(raw json.RawMessage) (string, bool) {
	if m, err := message.Decode(raw); err == nil {
		return m.Text(), m.Role == message.RoleUser
	}
	if !bytes.Contains(raw, []byte(`"role":"user"`)) {
		return "", false
	}
	_, rest, ok := bytes.Cut(raw, []byte(`"text":"`))
	if !ok {
		_, rest, ok = bytes.Cut(raw, []byte(`"content":"`))
	}
	if !ok {
		return "", false
	}
	var text string
	if json.NewDecoder(io.MultiReader(strings.NewReader(`"`), bytes.NewReader(rest))).Decode(&text) != nil {
		return "", false
	}
	return text, true
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
