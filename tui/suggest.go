package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
)

var errNoModel = errors.New("no model is active: /model shows what there is, and what each needs")

// word is the word that ends at the cursor, and whether it starts the text.
func (e *editor) word() (word string, first bool) {
	rows := strings.Split(e.area.Value(), "\n")
	row, col := e.area.Line(), e.area.Column()
	if row >= len(rows) {
		return "", false
	}
	before := []rune(rows[row])
	before = before[:min(col, len(before))]
	at := len(before)
	for at > 0 && before[at-1] != ' ' {
		at--
	}
	return string(before[at:]), row == 0 && at == 0
}

// suggest finds what the word at the cursor may become.
func (e *editor) suggest() tea.Cmd {
	old := ""
	if e.chosen < len(e.suggestions) {
		old = e.suggestions[e.chosen].word
	}
	e.suggestions, e.chosen = nil, 0
	word, first := e.word()
	var cmd tea.Cmd
	switch {
	case first && strings.HasPrefix(word, "/"):
		for _, c := range e.app.commands() {
			if strings.HasPrefix("/"+c.name, word) {
				e.suggestions = append(e.suggestions, suggestion{"/" + c.name, c.help})
			}
		}
	case strings.HasPrefix(word, "@"):
		if e.files == nil && !e.listing {
			e.listing = true
			cmd = listFiles(e.app.ctx, e.app.opt.Dir)
		}
		part := display.Fold(word[1:])
		for _, f := range e.files {
			if strings.Contains(display.Fold(f), part) {
				e.suggestions = append(e.suggestions, suggestion{"@" + f, ""})
				if len(e.suggestions) == 50 {
					break
				}
			}
		}
	case !first && takesLabel(e.area.Value()) && word != "":
		for _, l := range e.app.session.Labels() {
			if strings.HasPrefix(display.Fold(l.Text), display.Fold(word)) && !strings.Contains(l.Text, " ") {
				e.suggestions = append(e.suggestions, suggestion{oneLine(l.Text), "label"})
			}
		}
	}
	if i := slices.IndexFunc(e.suggestions, func(s suggestion) bool { return s.word == old }); i > 0 {
		e.chosen = i
	}
	return cmd
}

// takesLabel tells whether the command that is being written wants a place in the session.
func takesLabel(text string) bool {
	return strings.HasPrefix(text, "/tree ") || strings.HasPrefix(text, "/branch ")
}

// accept completes the word at the cursor. Without always, a word that is complete is left for the key
// to do what it does.
func (e *editor) accept(always bool) bool {
	if len(e.suggestions) == 0 {
		return false
	}
	s := e.suggestions[min(e.chosen, len(e.suggestions)-1)]
	word, _ := e.word()
	if !always && (word == s.word || strings.HasPrefix(s.word, "/")) {
		e.suggestions = nil
		if word == s.word {
			return false
		}
		// A command that is begun and chosen in the list is what Enter runs.
		e.replaceWord(word, s.word)
		return false
	}
	e.replaceWord(word, s.word+" ")
	e.suggestions = nil
	e.suggest()
	return true
}

func (e *editor) replaceWord(word, with string) {
	for range []rune(word) {
		e.area, _ = e.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	e.area.InsertString(with)
}

type filesMsg struct{ files []string }

// listFiles lists the directory's files, as far as a few thousand, without what version control and
// package managers keep there.
func listFiles(ctx context.Context, dir string) tea.Cmd {
	return func() tea.Msg {
		const most = 20000
		files := []string{}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read is not offered
			if ctx.Err() != nil || len(files) >= most {
				return fs.SkipAll
			}
			if err != nil {
				return nil
			}
			name := d.Name()
			if d.IsDir() {
				if path != dir && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "target") {
					return fs.SkipDir
				}
				return nil
			}
			if rel, err := filepath.Rel(dir, path); err == nil && !strings.ContainsAny(rel, " \n\t") {
				files = append(files, filepath.ToSlash(rel))
			}
			return nil
		})
		slices.SortStableFunc(files, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
		return filesMsg{files}
	}
}

// mentionedImages reads the pictures that a request mentions as @file.
func mentionedImages(dir, text string) (images []message.Block) {
	const most = 5 << 20
	for _, word := range strings.Fields(text) {
		name, ok := strings.CutPrefix(word, "@")
		if !ok {
			continue
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		default:
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		images = append(images, message.Block{Type: message.BlockImage, MimeType: http.DetectContentType(raw), Data: base64.StdEncoding.EncodeToString(raw)})
	}
	return images
}
