package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// editor is where requests and commands are written.
type editor struct {
	app     *app
	area    textarea.Model
	laidOut int // the width that the app's layout was made for

	history []string // the session's requests, oldest first
	at      int      // in history; len(history) is what was being written
	written string

	pastes []string // long ones, which stand in the text as [paste 1: 120 lines]

	files       []string // of the directory, for @; nil: not listed yet
	listing     bool
	suggestions []suggestion
	chosen      int
}

// suggestion is a way to complete the word at the cursor.
type suggestion struct{ word, help string }

func newEditor(a *app) *editor {
	e := &editor{app: a, area: textarea.New()}
	e.area.Prompt = ""
	e.area.ShowLineNumbers = false
	e.area.CharLimit = 0
	e.area.DynamicHeight = true
	e.area.MaxContentHeight = 1 << 30
	e.area.SetVirtualCursor(false)
	e.area.KeyMap.InsertNewline.SetKeys(a.keys.of("newline")...)
	e.area.KeyMap.SelectAll.SetEnabled(false) // its key is the external editor's
	e.area.KeyMap.Paste.SetEnabled(false)     // terminals paste by themselves
	e.restyle()
	e.area.Focus()
	return e
}

func (e *editor) restyle() {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, CursorLine: plain, Placeholder: e.app.theme.faint, Prompt: plain,
		EndOfBuffer: plain, LineNumber: plain, CursorLineNumber: plain,
	}
	st := e.area.Styles()
	st.Focused, st.Blurred = state, state
	e.area.SetStyles(st)
}

func (e *editor) resize(width, height int) {
	e.area.MaxHeight = max(1, height/3)
	e.area.SetWidth(max(width-4, 10))
}

// rows is what the editor covers: a rule, the text, and suggestions over them.
func (e *editor) rows() int { return 1 + e.area.Height() + len(e.visible()) }

func (e *editor) empty() bool { return e.area.Length() == 0 }

func (e *editor) clear() {
	e.area.Reset()
	e.pastes, e.suggestions = nil, nil
	e.at, e.written = len(e.history), ""
}

func (e *editor) set(text string) {
	e.clear()
	e.area.SetValue(text)
	e.area.MoveToEnd()
}

// forget leaves what belonged to another session.
func (e *editor) forget() { e.history, e.at, e.suggestions = nil, 0, nil }

// A paste that is longer than these stands for itself by a mark.
const (
	pasteLines = 12
	pasteBytes = 2000
)

var pasteMark = regexp.MustCompile(`\[paste (\d+): \d+ lines?\]`)

func (e *editor) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if n := strings.Count(text, "\n") + 1; n > pasteLines || len(text) > pasteBytes {
		e.pastes = append(e.pastes, text)
		unit := "lines"
		if n == 1 {
			unit = "line"
		}
		text = fmt.Sprintf("[paste %d: %d %s]", len(e.pastes), n, unit)
	}
	e.area.InsertString(text)
	e.suggest()
}

// text is what is sent: with the pastes in the place of their marks.
func (e *editor) text() string {
	return pasteMark.ReplaceAllStringFunc(e.area.Value(), func(mark string) string {
		n, _ := strconv.Atoi(pasteMark.FindStringSubmatch(mark)[1])
		if n < 1 || n > len(e.pastes) {
			return mark
		}
		return e.pastes[n-1]
	})
}

func (e *editor) key(msg tea.KeyPressMsg) tea.Cmd {
	switch e.app.keys.action(inEditor, msg) {
	case "send":
		if len(e.suggestions) > 0 && e.accept(false) {
			return nil
		}
		return e.send()
	case "complete":
		e.accept(true)
		return nil
	case "history_back":
		if n := len(e.suggestions); n > 0 {
			e.chosen = (e.chosen + n - 1) % n
			return nil
		}
		if e.area.Line() == 0 && e.area.LineInfo().RowOffset == 0 && e.recall(-1) {
			return nil
		}
	case "history_forward":
		if n := len(e.suggestions); n > 0 {
			e.chosen = (e.chosen + 1) % n
			return nil
		}
		if e.area.Line() == e.area.LineCount()-1 && e.recall(1) {
			return nil
		}
	case "external_editor":
		return e.external()
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return tea.Batch(cmd, e.suggest())
}

// recall goes through the requests that were made; what was being written is kept at the end.
func (e *editor) recall(by int) bool {
	to := e.at + by
	if to < 0 || to > len(e.history) {
		return false
	}
	if e.at == len(e.history) {
		e.written = e.area.Value()
	}
	e.at = to
	text := e.written
	if to < len(e.history) {
		text = e.history[to]
	}
	e.area.SetValue(text)
	if by < 0 {
		e.area.MoveToBegin()
		e.area.CursorEnd()
	} else {
		e.area.MoveToEnd()
	}
	return true
}

// loadHistory finds the requests of the session, the latest few hundred.
func (a *app) loadHistory(s *session.Session) tea.Cmd {
	return beside(func() func() tea.Cmd {
		const most = 300
		var found []string
		for i := s.Len() - 1; i >= 0 && len(found) < most; i-- {
			e := entryAt(s, i)
			if e.IsZero() || e.Role() != message.RoleUser {
				continue
			}
			if m, err := e.Message(); err == nil && strings.TrimSpace(m.Text()) != "" {
				found = append(found, m.Text())
			}
		}
		history := make([]string, 0, len(found))
		for i := len(found) - 1; i >= 0; i-- {
			history = append(history, found[i])
		}
		return func() tea.Cmd {
			if s == a.session {
				a.editor.history = append(history, a.editor.history...)
				a.editor.at += len(history)
			}
			return nil
		}
	})
}

// entryAt is an entry by its number, and none when the log was replaced by a shorter one meanwhile.
func entryAt(s *session.Session, i int) (e session.Entry) {
	defer func() {
		if recover() != nil {
			e = session.Entry{}
		}
	}()
	return s.At(i)
}

func (e *editor) send() tea.Cmd {
	text := strings.TrimSpace(e.text())
	if text == "" {
		return nil
	}
	if strings.HasPrefix(text, "/") && !strings.Contains(text, "\n") {
		name, args, _ := strings.Cut(text[1:], " ")
		return e.app.command(name, strings.TrimSpace(args))
	}
	return e.app.prompt(text)
}

// sent keeps what was sent for the arrow keys.
func (e *editor) sent(text string) {
	if n := len(e.history); n == 0 || e.history[n-1] != text {
		e.history = append(e.history, text)
	}
	e.clear()
}

type editedMsg struct {
	path string
	err  error
}

// external opens the text in $VISUAL or $EDITOR.
func (e *editor) external() tea.Cmd {
	program := orElse(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if program == "" {
		return e.app.say("Set EDITOR to the editor that you like")
	}
	f, err := os.CreateTemp("", "ramo-*.md")
	if err != nil {
		return e.app.complain(err)
	}
	_, err = f.WriteString(e.text())
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return e.app.complain(err)
	}
	words := strings.Fields(program)
	c := exec.CommandContext(e.app.ctx, words[0], append(words[1:], f.Name())...)
	return tea.ExecProcess(c, func(err error) tea.Msg { return editedMsg{f.Name(), err} })
}

func (a *app) edited(msg editedMsg) tea.Cmd {
	return func() tea.Msg {
		raw, err := os.ReadFile(msg.path)
		_ = os.Remove(msg.path)
		if msg.err != nil {
			err = fmt.Errorf("the editor failed, and the text is as it was: %w", msg.err)
		}
		return thenMsg{func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			a.editor.set(strings.TrimRight(string(raw), "\n"))
			return nil
		}}
	}
}

// render draws the editor: suggestions, a rule, the text.
func (e *editor) render() (lines []string, cursor *tea.Cursor) {
	t, w := e.app.theme, e.app.width
	visible, first := e.visible(), e.firstVisible()
	for i, s := range visible {
		text := ansi.Truncate(fmt.Sprintf(" %-24s %s", s.word, s.help), w-2, "…")
		if first+i == e.chosen {
			lines = append(lines, " "+t.selected.Render(text))
		} else {
			lines = append(lines, " "+t.faint.Render(text))
		}
	}
	lines = append(lines, t.border.Render(strings.Repeat("─", w)))
	above := len(lines)
	text := strings.Split(e.area.View(), "\n")
	for i := range e.area.Height() {
		mark := "  "
		if i == 0 {
			mark = t.accent.Render("› ")
		}
		l := ""
		if i < len(text) {
			l = text[i]
		}
		lines = append(lines, mark+l)
	}
	if cursor = e.area.Cursor(); cursor != nil {
		cursor.X += 2
		cursor.Y += above
	}
	return lines, cursor
}

const mostSuggestions = 8

func (e *editor) firstVisible() int {
	return max(0, min(e.chosen-mostSuggestions/2, len(e.suggestions)-mostSuggestions))
}

func (e *editor) visible() []suggestion {
	first := e.firstVisible()
	return e.suggestions[first:min(first+min(mostSuggestions, max(e.app.height/3, 1)), len(e.suggestions))]
}

func (e *editor) closeSuggestions() bool {
	if len(e.suggestions) == 0 {
		return false
	}
	e.suggestions = nil
	return true
}

// prompt sends a request to the model. While an answer is running it waits for its end.
func (a *app) prompt(text string) tea.Cmd {
	if a.answers {
		a.queued = append(a.queued, text)
		a.editor.sent(text)
		return nil
	}
	if !a.status.hasModel {
		return a.complain(errNoModel)
	}
	ag, dir := a.agent, a.opt.Dir
	a.editor.sent(text)
	a.answers = true
	ctx := a.ctx
	return beside(func() func() tea.Cmd {
		_, err := ag.Prompt(ctx, text, mentionedImages(dir, text)...)
		return func() tea.Cmd {
			a.answers = false
			next := a.queued
			a.queued = nil
			switch {
			case err != nil && len(next) > 0: // what waited is not for a conversation that went wrong, or was stopped
				a.restore(strings.Join(next, "\n"), true)
				return a.complain(err)
			case err != nil && !isCancelled(err):
				return tea.Batch(a.complain(err), a.giveBack(text))
			case len(next) > 0:
				return a.prompt(strings.Join(next, "\n"))
			}
			return nil
		}
	})
}

// giveBack puts a request that is not in the log back into the editor.
func (a *app) giveBack(text string) tea.Cmd {
	s := a.session
	return beside(func() func() tea.Cmd {
		leaf, ok := s.Leaf()
		for ; ok; leaf, ok = leaf.Parent() {
			if leaf.Role() == message.RoleUser {
				if m, err := leaf.Message(); err == nil && m.Text() == text {
					return func() tea.Cmd { return nil }
				}
				break
			}
		}
		return func() tea.Cmd {
			if a.editor.empty() {
				a.editor.set(text)
			}
			return nil
		}
	})
}

func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
