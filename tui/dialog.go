package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
)

// choice asks to choose one of a few.
type choice struct {
	app     *app
	title   string
	text    []string // more about it
	options []string
	keys    map[string]int // letters that choose at once
	at      int
	then    func(i int) tea.Cmd
	left    func() tea.Cmd // Esc
}

func newChoice(a *app, title string, options []string, then func(i int) tea.Cmd) *choice {
	return &choice{app: a, title: title, options: options, then: then}
}

func (c *choice) init() tea.Cmd       { return nil }
func (c *choice) context() keyContext { return inDialog }

func (c *choice) rows(width, height int) int {
	return min(2+len(c.body(width))+c.room(width, height), height)
}

func (c *choice) body(width int) (lines []string) {
	for _, t := range c.text {
		lines = append(lines, wrap(display.Text(t), width-4)...)
	}
	const most = 12
	if len(lines) > most {
		lines = append(lines[:most:most], "…")
	}
	return lines
}

// room is how many options there is room for.
func (c *choice) room(width, height int) int {
	return max(1, min(len(c.options), height-3-len(c.body(width))))
}

func (c *choice) update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch c.app.keys.action(inDialog, msg) {
		case "dialog_up":
			c.at = (c.at + len(c.options) - 1) % len(c.options)
			return nil, false
		case "dialog_down":
			c.at = (c.at + 1) % len(c.options)
			return nil, false
		case "dialog_choose":
			return c.take(c.at)
		case "dialog_close":
			if c.left != nil {
				return c.left(), true
			}
			return nil, true
		}
		if i, ok := c.keys[strings.ToLower(msg.String())]; ok {
			return c.take(i)
		}
		if n := msg.String(); len(n) == 1 && n[0] >= '1' && int(n[0]-'1') < len(c.options) {
			return c.take(int(n[0] - '1'))
		}
	case tea.MouseClickMsg:
		if i := msg.Y - 1 - len(c.body(c.app.width)) + c.first(); i >= c.first() && i < len(c.options) {
			return c.take(i)
		}
	}
	return nil, false
}

// take chooses, with the dialog out of the way before what comes of it.
func (c *choice) take(i int) (tea.Cmd, bool) {
	c.app.remove(c)
	return c.then(i), false
}

func (c *choice) first() int {
	room := c.room(c.app.width, c.app.height)
	return max(0, min(c.at-room/2, len(c.options)-room))
}

func (c *choice) render(width, height int) ([]string, *tea.Cursor) {
	t := c.app.theme
	lines := []string{dialogHead(t, c.title, width)}
	for _, l := range c.body(width) {
		lines = append(lines, "  "+l)
	}
	for i := c.first(); i < len(c.options) && len(lines) < height-1; i++ {
		text := ansi.Truncate(display.Line(c.options[i], 2000), max(width-4, 1), "…")
		if i == c.at {
			lines = append(lines, " "+t.accent.Render("›")+" "+t.selected.Render(text))
		} else {
			lines = append(lines, "   "+text)
		}
	}
	return append(lines, t.faint.Render(ansi.Truncate(" ↑↓ Enter choose · Esc leave", width, ""))), nil
}

// dialogHead is the first line of a dialog, which parts it from what is above.
func dialogHead(t *theme, title string, width int) string {
	title = ansi.Truncate(display.Line(title, 2000), max(width-6, 1), "…")
	head := t.border.Render("── ") + t.strong.Render(title) + " "
	return head + t.border.Render(strings.Repeat("─", max(0, width-ansi.StringWidth(head))))
}

// input asks for a line of text.
type input struct {
	app         *app
	title       string
	placeholder string
	line        line
	then        func(text string) tea.Cmd
	left        func() tea.Cmd
}

func newInput(a *app, title, text string, then func(text string) tea.Cmd) *input {
	return &input{app: a, title: title, line: newLine(text), then: then}
}

func (i *input) init() tea.Cmd          { return nil }
func (i *input) context() keyContext    { return inDialog }
func (i *input) rows(_, height int) int { return min(3, height) }
func (i *input) update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch i.app.keys.action(inDialog, msg) {
		case "dialog_choose":
			i.app.remove(i)
			return i.then(i.line.text()), false
		case "dialog_close":
			if i.left != nil {
				return i.left(), true
			}
			return nil, true
		}
		i.line.key(msg)
	case tea.PasteMsg:
		i.line.insert(msg.Content)
	}
	return nil, false
}

func (i *input) render(width, _ int) ([]string, *tea.Cursor) {
	t := i.app.theme
	text, x := i.line.render(width - 4)
	if text == "" {
		text = t.faint.Render(ansi.Truncate(display.Line(i.placeholder, 400), max(width-4, 1), "…"))
	}
	return []string{
		dialogHead(t, i.title, width),
		" " + t.accent.Render("›") + " " + text,
		t.faint.Render(ansi.Truncate(" Enter accept · Esc leave", width, "")),
	}, tea.NewCursor(3+x, 1)
}

// waiting shows that something long runs, and that Esc cancels it.
type waiting struct {
	app  *app
	what string
}

func newWaiting(a *app, what string) *waiting { return &waiting{a, what} }

func (w *waiting) init() tea.Cmd                  { return nil }
func (w *waiting) context() keyContext            { return inDialog }
func (w *waiting) rows(_, height int) int         { return min(3, height) }
func (w *waiting) update(tea.Msg) (tea.Cmd, bool) { return nil, false }
func (w *waiting) render(width, _ int) ([]string, *tea.Cursor) {
	t := w.app.theme
	what := w.what
	if w.app.status.doing != "" {
		what += " · " + w.app.status.doing
	}
	return []string{
		dialogHead(t, "One moment", width),
		" " + t.accent.Render(w.app.spinnerSign()) + " " + ansi.Truncate(oneLine(what), max(width-3, 1), "…"),
		t.faint.Render(ansi.Truncate(" Esc cancels", width, "")),
	}, nil
}
