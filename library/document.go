package library

import (
	"encoding/json"
	"strings"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// What stands as the role of something found that is no message.
const (
	RoleSummary = "summary" // of a branch, or a compaction
	RoleLabel   = "label"   // the entry has it
	RoleSession = "session" // its name; there is no entry
)

// document is what the index knows of an entry. It is made from the entry's bytes, both for the index
// and, later, to show what was found, so the two always agree.
type document struct {
	role  string
	text  string   // what was said, and commands run
	files []string // that were named to tools
	tools []string // that were called

	model string // of an answer
	usage *message.Usage
}

func (d *document) searchable() bool { return d.text != "" || len(d.files) > 0 || len(d.tools) > 0 }

// longest is how much text of one entry is kept: a megabyte of log that someone pasted is found by
// its start.
const longest = 1 << 20

// readDocument takes from an entry what the index wants, and masks it. Output of tools is wanted only
// if output says so.
func readDocument(typ string, raw []byte, output bool) document {
	switch typ {
	case session.TypeMessage:
		if m := membersOf(raw)["message"]; m != nil {
			return readMessage(m, output).masked()
		}
	case session.TypeBranchSummary, session.TypeCompaction:
		m := membersOf(raw)
		d := document{role: RoleSummary, text: m.str("summary"), usage: m.usage()}
		d.addTouched(m["details"])
		return d.masked()
	}
	return document{}
}

func readMessage(raw []byte, output bool) document {
	m := membersOf(raw)
	d := document{role: m.str("role")}
	switch d.role {
	case message.RoleAssistant:
		d.model = m.str("model")
		if p := m.str("provider"); p != "" && d.model != "" {
			d.model = p + "/" + d.model
		}
		d.usage = m.usage()
		d.addContent(m["content"])
	case message.RoleUser:
		d.addContent(m["content"])
	case message.RoleToolResult:
		if output {
			d.tools = []string{m.str("toolName")}
			d.addContent(m["content"])
		}
	case message.RoleBashExecution, message.RolePythonExecution:
		d.say(m.str("command"))
		d.say(m.str("code"))
		d.tools = []string{strings.TrimSuffix(d.role, "Execution")}
		if output {
			d.say(m.str("output"))
		}
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		d.role = RoleSummary
		d.say(m.str("summary"))
	case message.RoleFileMention:
		rawjson.Array(m["files"], func(v []byte) { d.addFile(membersOf(v).str("path")) })
	}
	return d
}

func (d *document) say(text string) {
	switch {
	case text == "" || len(d.text) >= longest:
		return
	case d.text != "":
		d.text += "\n"
	}
	if room := longest - len(d.text); len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	d.text += text
}

func (d *document) addFile(path string) {
	const most, longestPath = 1000, 4096
	if path != "" && len(path) <= longestPath && len(d.files) < most {
		d.files = append(d.files, path)
	}
}

// addContent takes a string, or blocks.
func (d *document) addContent(raw []byte) {
	if s, ok := rawjson.String(raw); ok {
		d.say(s)
		return
	}
	rawjson.Array(raw, func(v []byte) {
		b := membersOf(v)
		switch b.str("type") {
		case message.BlockText:
			d.say(b.str("text"))
		case message.BlockToolCall:
			if name := b.str("name"); name != "" {
				d.tools = append(d.tools, name)
			}
			d.addArguments(b["arguments"])
		}
	})
}

// addArguments looks for commands and files among what a tool is called with. Tools differ, but not in
// how they call these.
func (d *document) addArguments(raw []byte) {
	rawjson.Object(raw, func(key []byte, start, end int) {
		value := raw[start:end:end]
		switch string(key) {
		case "command", "cmd", "code", "script":
			s, _ := rawjson.String(value)
			d.say(s)
		case "path", "file_path", "filePath", "file", "filename", "notebook_path":
			s, _ := rawjson.String(value)
			d.addFile(s)
		case "paths", "files", "edits":
			rawjson.Array(value, func(v []byte) {
				if s, ok := rawjson.String(v); ok {
					d.addFile(s)
				} else if v[0] == '{' {
					m := membersOf(v)
					d.addFile(m.str("path"))
					d.addFile(m.str("file_path"))
				}
			})
		case "input", "patch":
			s, _ := rawjson.String(value)
			for line := range strings.Lines(s) {
				if rest, ok := strings.CutPrefix(line, "*** "); ok {
					if verb, path, ok := strings.Cut(rest, " File: "); ok && (verb == "Update" || verb == "Add" || verb == "Delete") {
						d.addFile(strings.TrimSpace(path))
					}
				}
			}
		}
	})
}

// addTouched takes the files that a summary says were read and changed.
func (d *document) addTouched(details []byte) {
	m := membersOf(details)
	for _, name := range []string{"readFiles", "modifiedFiles"} {
		rawjson.Array(m[name], func(v []byte) {
			s, _ := rawjson.String(v)
			d.addFile(s)
		})
	}
}

func (d document) masked() document {
	d.text = Mask(d.text)
	for i, f := range d.files {
		d.files[i] = Mask(f)
	}
	return d
}

// members are an object's members by name, as the bytes that stand there.
type members map[string]json.RawMessage

func membersOf(raw []byte) members {
	m := make(members, 8)
	rawjson.Object(raw, func(key []byte, start, end int) { m[string(key)] = raw[start:end:end] })
	return m
}

func (m members) str(name string) string {
	s, _ := rawjson.String(m[name])
	return s
}

func (m members) usage() (u *message.Usage) {
	if raw := m["usage"]; raw == nil || json.Unmarshal(raw, &u) != nil {
		return nil
	}
	return u
}
