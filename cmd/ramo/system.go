package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/config"
)

// maxInstructions is how much of the project's instructions a model is given, in bytes.
const maxInstructions = 64 << 10

//go:embed system.md
var systemText string

var systemTemplate = template.Must(template.New("system").Funcs(template.FuncMap{
	"join": strings.Join,
	"has":  func(list []string, s string) bool { return slices.Contains(list, s) },
}).Parse(systemText))

// instructions are what a project asks of whoever works on it.
type instructions struct{ Path, Text string }

// system is the system prompt for a conversation about the directory dir ("": none) with tools: the
// settings' or Ramo's own, with the project's instructions, and what the settings add.
func system(s *config.Settings, dir string, tools []string) (string, error) {
	text, err := promptText("system_prompt", s.SystemPrompt)
	if err != nil {
		return "", err
	}
	if text == "" {
		if text, err = ownPrompt(dir, tools); err != nil {
			return "", err
		}
	}
	more, err := promptText("append_system_prompt", s.AppendSystemPrompt)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.TrimSpace(text) + "\n\n" + more), nil
}

func ownPrompt(dir string, tools []string) (string, error) {
	project, err := projectInstructions(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = systemTemplate.Execute(&b, struct {
		Dir, Platform, Date string
		Tools               []string
		Project             []instructions
	}{dir, runtime.GOOS + "/" + runtime.GOARCH, time.Now().Format(time.DateOnly), tools, project})
	return b.String(), err
}

// promptText is a setting's text: its own, or that of the file whose name follows an @.
func promptText(key, value string) (string, error) {
	file, ok := strings.CutPrefix(value, "@")
	if !ok {
		return value, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("the setting %s: %w", key, err)
	}
	defer f.Close()
	text, cut, err := readStart(f, maxInstructions)
	if err == nil && cut {
		err = fmt.Errorf("%s is larger than %d kB: shorten it", file, maxInstructions>>10)
	}
	if err != nil {
		return "", fmt.Errorf("the setting %s: %w", key, err)
	}
	return text, nil
}

// projectInstructions are those of the directory and of those above it up to the root of the git
// repository: AGENTS.md, or where there is none CLAUDE.md. The topmost comes first. If they are more
// than fits, the nearest are whole.
func projectInstructions(dir string) ([]instructions, error) {
	if dir == "" {
		return nil, nil
	}
	top := repository(dir)
	// Nothing outside the repository is read, whatever links it has.
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, fmt.Errorf("looking for the project's instructions: %w", err)
	}
	defer root.Close()
	at, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, fmt.Errorf("looking for the project's instructions: %w", err)
	}
	var found []instructions
	left := maxInstructions
	for at = filepath.ToSlash(at); left > 0; at = path.Dir(at) {
		for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
			text, cut, ok := readInstructions(root, path.Join(at, name), left)
			if !ok {
				continue
			}
			left -= len(text)
			if cut {
				text += "\n(The rest is left out: the instructions are too long.)"
				left = 0
			}
			found = append(found, instructions{filepath.Join(top, filepath.FromSlash(at), name), text})
			break
		}
		if at == "." {
			break
		}
	}
	slices.Reverse(found)
	return found, nil
}

// readInstructions reads a file, if there is one that says something and can be read: no file of a
// project keeps anyone from working on it.
func readInstructions(root *os.Root, name string, limit int) (text string, cut, ok bool) {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() { // opening a FIFO would wait for ever
		return "", false, false
	}
	f, err := root.Open(name)
	if err != nil {
		return "", false, false
	}
	defer f.Close()
	text, cut, err = readStart(f, limit)
	text = strings.TrimSpace(text)
	return text, cut, err == nil && text != ""
}

// repository is the nearest directory from dir upwards that has a .git; dir itself if none has.
func repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		} else if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return dir
		}
	}
}

// readStart reads at most limit bytes of text, and tells whether there are more.
func readStart(f *os.File, limit int) (text string, cut bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	if !info.Mode().IsRegular() {
		return "", false, fmt.Errorf("%s is not a regular file", f.Name())
	}
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return "", false, err
	}
	if cut = len(b) > limit; cut {
		b = b[:limit]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		if len(b) > 0 && b[len(b)-1] >= utf8.RuneSelf {
			b = b[:len(b)-1]
		}
	}
	return strings.ToValidUTF8(string(b), "\ufffd"), cut, nil
}
