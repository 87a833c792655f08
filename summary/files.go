package summary

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Files are the files that a stretch of a session read and modified: what a built-in summary has as
// its details (section 9). Both lists are sorted, without repetition; a modified file is not listed
// as read.
type Files struct {
	Read     []string `json:"readFiles"`
	Modified []string `json:"modifiedFiles"`
}

// fileSet gathers file operations: whether a file was modified, by path as the call names it.
type fileSet map[string]bool

// add takes over what an entry's calls, or a nested built-in branch summary, did to files. What an
// extension wrote into the details of its summary may mean anything.
func (f fileSet) add(body session.Body) {
	switch b := body.(type) {
	case session.Message:
		f.calls(b.Message)
	case session.BranchSummary:
		if !b.FromExtension {
			f.details(b.Details)
		}
	}
}

func (f fileSet) calls(m message.Message) {
	if m.Role != message.RoleAssistant {
		return
	}
	for _, c := range m.ToolCalls() {
		if path := callPath(c); path != "" {
			switch c.Name {
			case "read":
				f.read(path)
			case "write", "edit":
				f[path] = true
			}
		}
	}
}

func (f fileSet) read(path string) {
	if !f[path] {
		f[path] = false // known, and not modified
	}
}

// details takes over what another summary found. A member that is no list of strings has nothing.
func (f fileSet) details(raw json.RawMessage) {
	rawjson.Object(raw, func(key []byte, start, end int) {
		name := string(key)
		if name != "readFiles" && name != "modifiedFiles" {
			return
		}
		rawjson.Array(raw[start:end], func(v []byte) {
			if path, ok := rawjson.String(v); ok && path != "" {
				f[path] = f[path] || name == "modifiedFiles"
			}
		})
	})
}

func (f fileSet) files() Files {
	out := Files{Read: []string{}, Modified: []string{}} // not nil: the log says []
	for _, path := range slices.Sorted(maps.Keys(f)) {
		if f[path] {
			out.Modified = append(out.Modified, path)
		} else {
			out.Read = append(out.Read, path)
		}
	}
	return out
}

// callPath is the file that a read, write or edit call names, and "" if there is none.
func callPath(call message.Block) string {
	for _, name := range []string{"path", "file_path"} {
		if s := argument(call, name); s != "" {
			return s
		}
	}
	return ""
}

// argument is a call's argument that is a string, and "" if there is none.
func argument(call message.Block, name string) (s string) {
	rawjson.Object(call.Arguments, func(key []byte, start, end int) {
		if string(key) == name {
			s, _ = rawjson.String(call.Arguments[start:end])
		}
	})
	return s
}

func (f Files) details() json.RawMessage {
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err) // lists of strings
	}
	return raw
}

// listed is how many bytes of names of a kind of files a summary has; the details have all.
const listed = 2500

// section is the part of a summary that names the files, with the blank line before it, or "". A
// summary's details do not reach a model, so the text says it too.
func (f Files) section() string {
	if len(f.Read)+len(f.Modified) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n## Files\n\n")
	list := func(what string, paths []string) {
		if len(paths) == 0 {
			return
		}
		b.WriteString("- " + what + ": ")
		end := b.Len() + listed
		for i, p := range paths {
			if b.Len() > end {
				b.WriteString(", and " + count(len(paths)-i, "more"))
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(code(display.Line(p, 300)))
		}
		b.WriteString("\n")
	}
	list("Changed", f.Modified)
	list("Read", f.Read)
	return strings.TrimSuffix(b.String(), "\n")
}
