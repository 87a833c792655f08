package export

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
)

// call shows a tool call: a command as one, an edit as a diff, a file that is written as the file,
// and what else the arguments say as JSON.
func call(c message.Block) string {
	args := arguments{}
	rawjson.Object(c.Arguments, func(key []byte, start, end int) {
		args[string(key)] = bytes.Clone(c.Arguments[start:end])
	})
	title := "**" + inline(c.Name) + "**"
	body := ""
	switch c.Name {
	case "bash":
		body = fenced("sh", args.take("command", "cmd"))
	case "write":
		body = fenced(language(args.str("path", "file_path", "filePath")), args.take("content"))
	case "edit":
		body = args.diff()
	}
	if path := args.take("path", "file_path", "filePath"); path != "" {
		title += " " + inline(path)
	}
	if rest := args.rest(c.Arguments); rest != "" {
		body += fenced("json", rest)
	}
	if body == "" {
		return title + "\n"
	}
	return title + "\n\n" + body
}

// arguments are a call's, by name; what was shown is taken out.
type arguments map[string]json.RawMessage

// str is the first of the members that is a string and not empty.
func (a arguments) str(names ...string) string {
	for _, name := range names {
		if s, ok := rawjson.String(a[name]); ok && s != "" {
			return s
		}
	}
	return ""
}

func (a arguments) take(names ...string) string {
	for _, name := range names {
		if s, ok := rawjson.String(a[name]); ok {
			delete(a, name)
			if s != "" {
				return s
			}
		}
	}
	return ""
}

// diff is the replacements that an edit asks for: one, or a list of them.
func (a arguments) diff() string {
	var b strings.Builder
	add := func(m arguments) bool {
		from, to := m.take("oldText", "old_string", "old_text"), m.take("newText", "new_string", "new_text")
		if from == "" && to == "" {
			return false
		}
		b.WriteString(changed(from, to))
		return true
	}
	whole := add(a)
	all := true
	rawjson.Array(a["edits"], func(raw []byte) {
		m := arguments{}
		rawjson.Object(raw, func(key []byte, start, end int) { m[string(key)] = raw[start:end] })
		all = add(m) && len(m) == 0 && all
		whole = true
	})
	if all && whole {
		delete(a, "edits")
	}
	if b.Len() == 0 {
		return ""
	}
	return fenced("diff", b.String())
}

// changed is a replacement as a diff: the lines that both have at their start and end are context.
func changed(from, to string) string {
	old, new := strings.Split(display.Text(from), "\n"), strings.Split(display.Text(to), "\n")
	head := 0
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	var b strings.Builder
	lines := func(mark string, list []string) {
		for _, line := range list {
			b.WriteString(mark + line + "\n")
		}
	}
	b.WriteString("@@\n")
	lines(" ", old[:head])
	lines("-", old[head:len(old)-tail])
	lines("+", new[head:len(new)-tail])
	lines(" ", old[len(old)-tail:])
	return b.String()
}

// rest is the arguments that were not shown, indented, in the order in which they stand.
func (a arguments) rest(raw json.RawMessage) string {
	if len(a) == 0 {
		return ""
	}
	var names []string
	rawjson.Object(raw, func(key []byte, _, _ int) {
		if name := string(key); a[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return ""
		}
		b = append(append(append(b, quoted...), ':'), a[name]...)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, append(b, '}'), "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}

// language is what a fence is marked with for a file's name: its extension, if that is a word.
func language(path string) string {
	i := strings.LastIndexByte(path, '.')
	if i < 0 || strings.ContainsFunc(path[i+1:], func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return ""
	}
	return path[i+1:]
}
