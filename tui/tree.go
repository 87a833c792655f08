package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// treeScreen is the tree selector (section 12). The tree itself belongs to the work of its queue; what
// the event loop has is the last look at it.
type treeScreen struct {
	app   *app
	queue queue
	at    string // the entry to open at

	session *session.Session
	width   int
	height  int
	hidden  bool // the preview
	query   string
	filter  treeview.Filter

	// Of the work.
	tree      *treeview.Tree
	painter   painter
	preparing atomic.Bool // the texts for the search are being read

	look     treeLook
	ready    bool
	choosing bool  // Enter's outcome is on its way
	label    *line // the label that is being edited
	labelOf  string
	ctx      context.Context // until the screen is closed
	preparer context.CancelFunc
}

// treeLook is what there is to see of the tree.
type treeLook struct {
	lines      []treeview.Line
	row, rows  int
	selected   session.Entry
	preview    []string
	unprepared string // how much of the search's texts is ready, when not all
}

func (a *app) openTree(at string) tea.Cmd {
	for _, s := range a.screens {
		if _, ok := s.(*treeScreen); ok {
			return nil
		}
	}
	return a.push(newTreeScreen(a, at))
}

func newTreeScreen(a *app, at string) *treeScreen {
	t := &treeScreen{app: a, at: at, session: a.session}
	t.queue.look = func() tea.Msg { return screenMsg{t, t.see()} }
	return t
}

func (t *treeScreen) init() tea.Cmd {
	t.ctx, t.preparer = context.WithCancel(t.app.ctx)
	return t.queue.do(func() {
		t.tree = treeview.New(t.session)
		if t.at != "" {
			if e, err := t.session.Find(t.at); err == nil {
				t.reveal(e)
			}
		}
		t.prepare()
	})
}

// reveal selects an entry, and shows all when a filter hides it.
func (t *treeScreen) reveal(e session.Entry) {
	t.tree.Select(e.ID())
	if now, ok := t.tree.Selected(); !ok || now != e {
		t.tree.SetFilter(treeview.All)
		t.tree.Select(e.ID())
	}
}

// prepare makes the texts for the search ready, beside everything else.
func (t *treeScreen) prepare() {
	if done, total := t.tree.Prepared(); done == total || !t.preparing.CompareAndSwap(false, true) {
		return
	}
	tree, p := t.tree, pump{}
	go func() {
		defer func() {
			t.preparing.Store(false)
			t.app.send(screenMsg{t, preparedMsg{}})
		}()
		_ = tree.Prepare(t.ctx, func(done, total int) { // it ends when the screen is closed
			if p.due() {
				t.app.send(screenMsg{t, preparedMsg{}})
			}
		})
	}()
}

type preparedMsg struct{}

func (t *treeScreen) close()              { t.preparer() }
func (t *treeScreen) waits() bool         { return t.choosing }
func (t *treeScreen) context() keyContext { return inTree }
func (t *treeScreen) rows(_, h int) int   { return h }

// previewSize is the room for the preview: beside the list, or below it, or none.
func (t *treeScreen) previewSize() (width, height int, beside bool) {
	body := t.height - 3
	switch {
	case t.hidden || body < 12:
		return 0, 0, false
	case t.width >= 120:
		return t.width*2/5 - 2, body, true
	case body >= 18:
		return t.width - 2, body/3 - 1, false
	}
	return 0, 0, false
}

func (t *treeScreen) listSize() (width, height int) {
	w, h, beside := t.previewSize()
	switch {
	case w == 0:
		return t.width, t.height - 3
	case beside:
		return t.width - w - 3, t.height - 3
	}
	return t.width, t.height - 3 - h - 1
}

// see looks at the tree; it is part of the work.
func (t *treeScreen) see() treeLook {
	var l treeLook
	if t.tree == nil {
		return l
	}
	w, h := t.listSize()
	l.lines = t.tree.Window(max(w, 1), max(h, 1))
	l.row, l.rows = t.tree.SelectedRow(), t.tree.Len()
	if done, total := t.tree.Prepared(); done < total {
		l.unprepared = fmt.Sprintf("reading %d%%", done*100/max(total, 1))
	}
	e, ok := t.tree.Selected()
	if !ok {
		return l
	}
	l.selected = e
	if pw, ph, _ := t.previewSize(); pw > 0 {
		l.preview = t.drawPreview(e, pw, ph)
	}
	return l
}

func (t *treeScreen) drawPreview(e session.Entry, w, h int) []string {
	st := blockStyle{theme: newTheme(t.app.theme.dark), width: w, open: true}
	lines := []string{st.theme.faint.Render(ansi.Truncate(fmt.Sprintf("%s · %s · %s", display.Line(e.ID(), 40), e.Time().Local().Format("2006-01-02 15:04"), display.Bytes(e.Size())), w, "…"))}
	const most = 1 << 20
	if e.Size() > most && kindOf(e) != noBlock {
		return append(lines, st.theme.faint.Render(ansi.Truncate("too long to preview: 'ramo show' prints it", w, "…")))
	}
	var body []string
	if kindOf(e) == noBlock {
		body = wrap(t.painter.lines.Entry(e), w)
	} else if body = t.painter.entry(e, nil, st); len(body) == 0 {
		body = wrap(t.painter.lines.Entry(e), w)
	}
	// An answer's calls have their results elsewhere; here they are just named.
	for i, l := range body {
		if e.Role() == message.RoleAssistant {
			body[i] = strings.ReplaceAll(l, " (no result)", "")
		}
	}
	lines = append(lines, body...)
	return lines[:min(len(lines), max(h, 0))]
}

// work does something with the tree.
func (t *treeScreen) work(f func(*treeview.Tree)) tea.Cmd {
	return t.queue.do(func() { f(t.tree) })
}

// pick does something with the selected entry, when everything that was typed before has been done.
func (t *treeScreen) pick(then func(session.Entry) tea.Cmd) tea.Cmd {
	t.choosing = true
	return t.queue.do(func() {
		e, ok := t.tree.Selected()
		go t.app.send(screenMsg{t, pickedMsg{func() tea.Cmd {
			if !ok {
				return nil
			}
			return then(e)
		}}})
	})
}

type pickedMsg struct{ then func() tea.Cmd }

func (t *treeScreen) update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return t.queue.do(func() {}), t.resized(msg)
	case treeLook:
		t.look, t.ready = msg, true
		return t.queue.ended(), false
	case pickedMsg:
		t.choosing = false
		return msg.then(), false
	case preparedMsg:
		return t.refresh(), false
	case changedMsg:
		if t.session != t.app.session {
			return nil, true // another session: what this tree shows is not it
		}
		return t.refresh(), false
	case tea.MouseWheelMsg:
		by := 3
		if msg.Button == tea.MouseWheelUp {
			by = -3
		}
		return t.work(func(tree *treeview.Tree) { tree.Move(by) }), false
	case tea.MouseClickMsg:
		return t.click(msg), false
	case tea.PasteMsg:
		if t.label != nil {
			t.label.insert(msg.Content)
			return nil, false
		}
		return t.search(t.query + keepSpaces(msg.Content)), false
	case tea.KeyPressMsg:
		if t.label != nil {
			return t.labelKey(msg), false
		}
		return t.key(msg)
	}
	return nil, false
}

// refresh takes up what is new in the session and in the search's texts.
func (t *treeScreen) refresh() tea.Cmd {
	return t.work(func(tree *treeview.Tree) {
		tree.Update()
		t.prepare()
	})
}

func (t *treeScreen) resized(msg tea.WindowSizeMsg) bool {
	t.width, t.height = msg.Width, msg.Height
	return false
}

func (t *treeScreen) click(msg tea.MouseClickMsg) tea.Cmd {
	i := msg.Y - 1
	w, _ := t.listSize()
	if t.label != nil || msg.Button != tea.MouseLeft || i < 0 || i >= len(t.look.lines) || msg.X >= w {
		return nil
	}
	row := t.look.lines[i].Row
	if t.look.lines[i].Selected { // a second click goes there
		return t.enter()
	}
	return t.work(func(tree *treeview.Tree) { tree.SelectRow(row) })
}

func (t *treeScreen) enter() tea.Cmd {
	return t.pick(func(e session.Entry) tea.Cmd { return t.app.choose(e.ID(), t) })
}

func (t *treeScreen) search(query string) tea.Cmd {
	t.query = query
	return t.work(func(tree *treeview.Tree) { tree.SetQuery(query) })
}

func (t *treeScreen) setFilter(f treeview.Filter) tea.Cmd {
	t.filter = f
	return t.work(func(tree *treeview.Tree) { tree.SetFilter(f) })
}

func (t *treeScreen) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	type step func(*treeview.Tree)
	steps := map[action]step{
		"tree_up":             (*treeview.Tree).Up,
		"tree_down":           (*treeview.Tree).Down,
		"tree_page_up":        (*treeview.Tree).PageUp,
		"tree_page_down":      (*treeview.Tree).PageDown,
		"tree_home":           (*treeview.Tree).Home,
		"tree_end":            (*treeview.Tree).End,
		"tree_fold":           func(x *treeview.Tree) { x.Fold() },
		"tree_unfold":         func(x *treeview.Tree) { x.Unfold() },
		"tree_previous_point": func(x *treeview.Tree) { x.PreviousBranchPoint() },
		"tree_next_point":     func(x *treeview.Tree) { x.NextBranchPoint() },
	}
	act := t.app.keys.action(inTree, msg)
	if f, ok := steps[act]; ok {
		return t.work(f), false
	}
	switch act {
	case "tree_choose":
		return t.enter(), false
	case "tree_branch":
		return t.pick(func(e session.Entry) tea.Cmd {
			if e.Role() != message.RoleUser {
				return t.app.complain(errors.New("a branch starts at a request: choose a user message"))
			}
			return t.app.branch(e.ID())
		}), false
	case "tree_close":
		if t.query == "" {
			return nil, true
		}
		return t.search(""), false
	case "tree_quit":
		return nil, true
	case "tree_erase":
		if t.query == "" {
			return nil, false
		}
		g := graphemes(t.query)
		return t.search(join(g[:len(g)-1])), false
	case "tree_erase_all":
		return t.search(""), false
	case "tree_label":
		return t.pick(func(e session.Entry) tea.Cmd {
			l := newLine(e.Label())
			t.label, t.labelOf = &l, e.ID()
			return nil
		}), false
	case "tree_next_filter":
		return t.setFilter(t.filter.Next()), false
	case "tree_previous_filter":
		return t.setFilter(t.filter.Previous()), false
	case "tree_filter_default":
		return t.setFilter(treeview.Default), false
	case "tree_filter_no_tools":
		return t.setFilter(treeview.NoTools), false
	case "tree_filter_user":
		return t.setFilter(treeview.UserOnly), false
	case "tree_filter_labeled":
		return t.setFilter(treeview.LabeledOnly), false
	case "tree_filter_all":
		return t.setFilter(treeview.All), false
	case "tree_preview":
		t.hidden = !t.hidden
		return t.work(func(*treeview.Tree) {}), false
	}
	if msg.Text != "" {
		return t.search(t.query + keepSpaces(msg.Text)), false
	}
	return nil, false
}

// labelKey edits the label in its row: Enter saves, Esc leaves it.
func (t *treeScreen) labelKey(msg tea.KeyPressMsg) tea.Cmd {
	switch t.app.keys.action(inDialog, msg) {
	case "dialog_choose":
		text := strings.TrimSpace(t.label.text())
		t.label = nil
		return t.app.setLabel(t.labelOf, text)
	case "dialog_close":
		t.label = nil
		return nil
	}
	t.label.key(msg)
	return nil
}

// setLabel puts a label on an entry; an empty one is taken away.
func (a *app) setLabel(id, text string) tea.Cmd {
	s := a.session
	return a.do("the label", func(ctx context.Context) func() tea.Cmd {
		_, err := s.SetLabel(ctx, id, text)
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return tea.Batch(a.showPath(false), a.chat.do(func() { a.transcript.forgetBlock(id) }))
		}
	})
}

// forgetBlock has a block drawn anew.
func (t *transcript) forgetBlock(id string) {
	if e, ok := t.session.Entry(id); ok {
		delete(t.blocks, t.at(e))
	}
}

func (t *treeScreen) render(width, height int) (lines []string, cursor *tea.Cursor) {
	th := t.app.theme
	title := " " + th.strong.Render("Tree") + " " + th.faint.Render(oneLine(t.app.status.name))
	lines = append(lines, ansi.Truncate(title, width, "…"))
	if !t.ready {
		return append(lines, "", " "+t.app.spinnerSign()+" Reading the tree"), nil
	}
	w, h := t.listSize()
	for i, l := range t.look.lines {
		text, x := t.drawLine(l, w)
		if x >= 0 {
			cursor = tea.NewCursor(x, i+1)
		}
		lines = append(lines, text)
	}
	if len(t.look.lines) == 0 {
		none := "  nothing matches"
		if t.look.rows == 0 && t.query == "" && t.filter == treeview.Default {
			none = "  no entries yet"
		}
		lines = append(lines, th.faint.Render(none))
	}
	for len(lines) < h+1 {
		lines = append(lines, "")
	}
	pw, ph, beside := t.previewSize()
	switch {
	case pw > 0 && beside:
		for i := 1; i < len(lines) && i <= ph; i++ {
			right := ""
			if i-1 < len(t.look.preview) {
				right = t.look.preview[i-1]
			}
			pad := max(0, w-ansi.StringWidth(lines[i]))
			lines[i] += strings.Repeat(" ", pad) + " " + th.border.Render("│") + " " + right
		}
	case pw > 0:
		lines = append(lines, th.border.Render(strings.Repeat("─", width)))
		for i := range ph {
			l := ""
			if i < len(t.look.preview) {
				l = " " + t.look.preview[i]
			}
			lines = append(lines, l)
		}
	}
	for len(lines) < height-2 {
		lines = append(lines, "")
	}
	lines = lines[:max(height-2, 0)]
	search := " " + th.accent.Render("search ") + oneLineKeep(t.query)
	if t.query == "" {
		search = " " + th.faint.Render("type to search")
	}
	if t.app.notice != "" {
		style := th.warn
		if t.app.noticeErr {
			style = th.err
		}
		search = " " + style.Render(t.app.notice)
	}
	count := fmt.Sprintf("%d/%d · %s ", t.look.row+1, t.look.rows, t.filter)
	if t.look.unprepared != "" && t.query != "" {
		count = t.look.unprepared + " · " + count
	}
	gap := width - ansi.StringWidth(search) - ansi.StringWidth(count)
	if gap < 1 {
		search = ansi.Truncate(search, max(width-ansi.StringWidth(count)-1, 0), "…")
		gap = max(0, width-ansi.StringWidth(search)-ansi.StringWidth(count))
	}
	lines = append(lines, search+strings.Repeat(" ", gap)+th.faint.Render(count))
	k := t.app.keys
	hints := fmt.Sprintf(" %s go there · %s label · %s filter · %s fold · %s new session · %s close",
		k.hint("tree_choose"), k.hint("tree_label"), k.hint("tree_next_filter"), k.hint("tree_fold"), k.hint("tree_branch"), k.hint("tree_close"))
	if t.label != nil {
		hints = " Enter saves the label · empty removes it · Esc leaves it"
	}
	lines = append(lines, th.faint.Render(ansi.Truncate(hints, width, "…")))
	return lines, cursor
}

// oneLineKeep is a query as it was typed.
func oneLineKeep(s string) string { return keepSpaces(s) }

// drawLine colours a line of the tree. x is the cursor's column while the line's label is edited, and -1
// otherwise.
func (t *treeScreen) drawLine(l treeview.Line, width int) (text string, x int) {
	th := t.app.theme
	x = -1
	editing := t.label != nil && l.Entry.ID() == t.labelOf
	edited := false
	var b strings.Builder
	used := 0
	put := func(style func(...string) string, s string) {
		b.WriteString(style(s))
		used += ansi.StringWidth(s)
	}
	edit := func() {
		edited = true
		put(th.label.Render, "[")
		s, at := t.label.render(max(width/3, 8))
		x = used + at
		put(th.label.Underline(true).Render, s)
		put(th.label.Render, "] ")
	}
	for _, s := range l.Segments {
		if s.Kind == treeview.KindLabel && editing {
			edit()
			continue
		}
		if s.Kind >= treeview.KindUser && editing && !edited {
			edit()
		}
		style := th.segment(s.Kind)
		if l.Selected && s.Kind >= treeview.KindLabel {
			style = style.Reverse(true)
		}
		put(style.Render, s.Text)
	}
	return ansi.Truncate(b.String(), width, "…"), x
}
