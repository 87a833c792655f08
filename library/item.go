package library

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Item is a session as the list shows it.
type Item struct {
	Path     string
	ID       string
	Name     string // what someone called it, or ""
	Request  string // the first request's text, as far as the file's first 64 kB hold it
	Cwd      string // the directory it is about: what the header says, not the folder's name
	Tool     string // "ramo", "pi", "omp", or "" when nothing tells
	Parent   string // the path or id of the session that it came from, as its header has it
	Created  time.Time
	Modified time.Time // of the file
	Bytes    int64

	// Known tells that the figures below were counted: the index has this very state of the file.
	Known    bool
	Messages int
	Branches int // leaves of the tree
	Labels   int // that stand
}

// Title is what to call the session: its name, or its first request.
func (i Item) Title() string {
	if i.Name != "" {
		return i.Name
	}
	return i.Request
}

// How much of a file is read for the list, at each end: enough for a header and, nearly always, the
// first request; and for the latest name, if it was given lately.
const (
	headSize = 64 << 10
	tailSize = 32 << 10
)

// errHalfWritten is a file whose header is not complete, or that has nothing in it.
var errHalfWritten = errors.New("its header is not complete")

var errNotSession = errors.New("no session header in its first lines")

// Read tells of one session file what its first and last lines say.
func Read(path string) (Item, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Item{}, err
	}
	if !info.Mode().IsRegular() {
		return Item{}, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Item{}, err
	}
	defer f.Close()
	i := Item{Path: path, Modified: info.ModTime(), Bytes: info.Size()}
	title, err := i.readHead(f)
	if err == nil {
		err = i.readTail(f, title)
	}
	if err != nil {
		return Item{}, fmt.Errorf("%s: %w", path, err)
	}
	return i, nil
}

// readHead returns the title that stands before all entries.
func (i *Item) readHead(f io.ReaderAt) (title string, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, headSize), 8<<10)
	header, slot := false, false
	for n := 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return "", err
		}
		line = bytes.TrimSpace(bytes.Trim(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), "\x00"))
		switch e := firstMembers(line); e.typ {
		case "title":
			if !header {
				title, slot = strings.TrimSpace(e.title), true
			}
		case "session":
			if header {
				break
			}
			if err == io.EOF && !json.Valid(line) {
				return "", errHalfWritten
			}
			header = true
			i.ID, i.Cwd, i.Parent = e.id, e.cwd, e.parentSession
			i.Tool = Tool(i.Path, e.tool, slot, e.id)
			if title == "" {
				title = e.title
			}
			i.Name = title
			i.Created, _ = time.Parse(time.RFC3339Nano, e.timestamp)
		case "message":
			if text, ok := requestText(e.message); ok && header {
				i.Request = text
				return title, nil
			}
		case session.TypeSessionInfo, typeTitleChange:
			if header {
				i.Name = cmp.Or(e.name+e.title, title)
			}
		}
		if err == io.EOF {
			switch {
			case header:
				return title, nil
			case n == 0 && (len(line) == 0 || line[0] == '{' && !json.Valid(line) && i.Bytes < headSize):
				return "", errHalfWritten
			}
			return "", errNotSession
		}
	}
}

const typeTitleChange = "title_change" // omp's record of a change of the title

// readTail looks for the latest name among the last lines.
func (i *Item) readTail(f io.ReaderAt, title string) error {
	from := max(0, i.Bytes-tailSize)
	tail := make([]byte, i.Bytes-from)
	n, err := f.ReadAt(tail, from)
	if err != nil && err != io.EOF {
		return err
	}
	for tail = tail[:n]; ; {
		at := max(bytes.LastIndex(tail, []byte(`"`+session.TypeSessionInfo+`"`)), bytes.LastIndex(tail, []byte(`"`+typeTitleChange+`"`)))
		if at < 0 {
			return nil
		}
		start := bytes.LastIndexByte(tail[:at], '\n') + 1
		line, _, _ := bytes.Cut(tail[start:], []byte("\n"))
		e := firstMembers(bytes.TrimSpace(line))
		if e.typ == session.TypeSessionInfo || e.typ == typeTitleChange {
			i.Name = cmp.Or(e.name+e.title, title)
			return nil
		}
		tail = tail[:start]
	}
}

type firstLine struct {
	typ, id, title, name, cwd, tool, timestamp, parentSession string

	message json.RawMessage
}

// firstMembers reads a line's members one by one, so that of a line that is cut off, or has a member
// of the wrong type, the others are known.
func firstMembers(line []byte) (m firstLine) {
	member := func(name string, value []byte) {
		to := map[string]*string{"type": &m.typ, "id": &m.id, "title": &m.title, "name": &m.name, "cwd": &m.cwd,
			"tool": &m.tool, "timestamp": &m.timestamp, "parentSession": &m.parentSession}[name]
		if to != nil {
			*to, _ = rawjson.String(value)
		}
	}
	whole := rawjson.Object(line, func(key []byte, start, end int) {
		if string(key) == "message" {
			m.message = line[start:end]
			return
		}
		member(string(key), line[start:end])
	})
	if whole {
		return m
	}
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
				m.message = bytes.TrimLeft(line[at:], ": \t")
			}
			return m
		}
		if name == "message" {
			m.message = v
		} else {
			member(name, v)
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
	if json.NewDecoder(io.MultiReader(strings.NewReader(`"`), bytes.NewReader(rest))).Decode(&text) == nil {
		return text, true
	}
	// The text itself is cut off, perhaps amid an escape, of which a pair has twelve bytes.
	for n := range min(len(rest), 12) {
		if text, ok := rawjson.String([]byte(`"` + string(rest[:len(rest)-n]) + `"`)); ok {
			return text, true
		}
	}
	return "", false
}

// Tool tells which program made a session, from where it is, what its header says, whether the file
// starts with a title line, and the session's id.
func Tool(path, said string, titleLine bool, id string) string {
	slash := filepath.ToSlash(path)
	switch {
	case said != "":
		return said
	case strings.Contains(slash, "/.pi/"):
		return "pi"
	case strings.Contains(slash, "/.omp/"), titleLine:
		return "omp"
	case len(id) == 36 && strings.Count(id, "-") == 4:
		return "pi"
	case len(id) == 16 && strings.Trim(id, "0123456789abcdef") == "":
		return "omp"
	}
	return ""
}
