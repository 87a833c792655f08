package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
)

// item is a line of a list.
type item struct {
	id     string
	text   string // what it is called, one line
	detail string // faint, at the right
	more   string // text that is searched too
	mark   string // before the text
	faint  bool   // it cannot be chosen just now
	folded string // text and more, for the search
}

// list is a screen to choose an item from, with search. The items belong to the work of its queue.
type list struct {
	app    *app
	queue  queue
	title  string
	hints  string
	atEnd  bool // the last item is selected first
	then   func(id string) tea.Cmd
	key    func(act action, id string) (cmd tea.Cmd, handled bool) // more keys, on the selected item
	find   func(query string) tea.Cmd                              // searches elsewhere, instead of among the items
	gone   func()
	query  string
	width  int
	height int

	// Of the work.
	items    []item
	found    []int
	selected int // in found
	top      int
	moved    bool
	loading  string
	sought   string

	look     listLook
	choosing bool
	again    func(item) tea.Cmd // what to do with the first item that comes, for someone who was faster
}

type listLook struct {
	items       []item
	at          int // the selected one's line, -1: there is none
	row, rows   int
	loading     string
	unfiltered  int
	initialised bool
}

func newList(a *app, title string, then func(id string) tea.Cmd) *list {
	l := &list{app: a, title: title, then: then, loading: "reading"}
	l.queue.look = func() tea.Msg { return screenMsg{l, l.see()} }
	return l
}

func (l *list) init() tea.Cmd       { return nil }
func (l *list) context() keyContext { return inList }
func (l *list) rows(_, h int) int   { return h }
func (l *list) waits() bool         { return l.choosing }
func (l *list) close() {
	if l.gone != nil {
		l.gone()
	}
}

// set gives the list its items, or more of them; loading says what is still to come. It may be called
// from anywhere.
func (l *list) set(items []item, loading string) {
	l.app.send(screenMsg{l, listItemsMsg{items, loading}})
}

type pickLaterMsg struct{ then func(item) tea.Cmd }

type listItemsMsg struct {
	items   []item
	loading string
}

// take is part of the work: the selection stays on its item.
func (l *list) take(items []item, loading string) {
	chosen := ""
	if l.moved && l.selected < len(l.found) {
		chosen = l.items[l.found[l.selected]].id
	}
	l.items, l.loading = items, loading
	for i := range l.items {
		if l.items[i].folded == "" {
			l.items[i].folded = display.Fold(l.items[i].text + " " + l.items[i].more + " " + l.items[i].detail)
		}
	}
	l.filter()
	for i, k := range l.found {
		if chosen != "" && l.items[k].id == chosen {
			l.selected = i
		}
	}
}

func (l *list) filter() {
	words := strings.Fields(display.Fold(l.sought))
	if l.find != nil {
		words = nil // what was found elsewhere
	}
	l.found = l.found[:0]
next:
	for i := range l.items {
		for _, w := range words {
			if !strings.Contains(l.items[i].folded, w) {
				continue next
			}
		}
		l.found = append(l.found, i)
	}
	l.selected = min(l.selected, max(len(l.found)-1, 0))
	if !l.moved {
		l.selected = 0
		if l.atEnd {
			l.selected = max(len(l.found)-1, 0)
		}
	}
}

func (l *list) body() int { return max(l.height-3, 1) }

func (l *list) see() listLook {
	h := l.body()
	l.top = max(0, min(l.top, len(l.found)-h))
	if l.selected < l.top {
		l.top = l.selected
	}
	if l.selected >= l.top+h {
		l.top = l.selected - h + 1
	}
	v := listLook{at: -1, row: l.selected, rows: len(l.found), loading: l.loading, unfiltered: len(l.items), initialised: true}
	for i := l.top; i < len(l.found) && i < l.top+h; i++ {
		if i == l.selected {
			v.at = len(v.items)
		}
		v.items = append(v.items, l.items[l.found[i]])
	}
	return v
}

func (l *list) move(by int, wrap bool) tea.Cmd {
	return l.queue.do(func() {
		n := len(l.found)
		if n == 0 {
			return
		}
		l.moved = true
		if wrap {
			l.selected = (l.selected + by + n) % n
		} else {
			l.selected = max(0, min(l.selected+by, n-1))
		}
	})
}

// giveUp is Esc while a choice waits for the items.
func (l *list) giveUp() { l.choosing, l.again = false, nil }

// pick does something with the selected item, when everything that was typed before has been done, and
// while the items are still being read as soon as there is one.
func (l *list) pick(then func(item) tea.Cmd) tea.Cmd {
	l.choosing, l.again = true, nil
	return l.queue.do(func() {
		if len(l.found) == 0 && l.loading != "" {
			go l.app.send(screenMsg{l, pickLaterMsg{then}})
			return
		}
		var chosen item
		ok := l.selected < len(l.found)
		if ok {
			chosen = l.items[l.found[l.selected]]
		}
		go l.app.send(screenMsg{l, pickedMsg{func() tea.Cmd {
			if !ok {
				return nil
			}
			return then(chosen)
		}}})
	})
}

func (l *list) search(query string) tea.Cmd {
	l.query = query
	cmd := l.queue.do(func() {
		l.sought, l.moved = query, false
		l.filter()
	})
	if l.find != nil {
		return tea.Batch(cmd, l.find(query))
	}
	return cmd
}

func (l *list) update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.width, l.height = msg.Width, msg.Height
		return l.queue.do(func() {}), false
	case listLook:
		l.look = msg
		return l.queue.ended(), false
	case listItemsMsg:
		cmd := l.queue.do(func() { l.take(msg.items, msg.loading) })
		if l.again != nil {
			cmd = tea.Batch(cmd, l.pick(l.again))
		}
		return cmd, false
	case pickLaterMsg:
		if !l.choosing {
			return nil, false
		}
		l.again = msg.then
		// The items may have come between the look and this.
		return l.queue.do(func() {
			if len(l.found) > 0 || l.loading == "" {
				go l.app.send(screenMsg{l, listItemsMsg{l.items, l.loading}})
			}
		}), false
	case pickedMsg:
		l.choosing = false
		return msg.then(), false
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return l.move(-3, false), false
		}
		return l.move(3, false), false
	case tea.MouseClickMsg:
		i := msg.Y - 1
		if msg.Button != tea.MouseLeft || i < 0 || i >= len(l.look.items) {
			return nil, false
		}
		if i == l.look.at {
			return l.choose(), false
		}
		return l.move(i-l.look.at, false), false
	case tea.PasteMsg:
		return l.search(l.query + keepSpaces(msg.Content)), false
	case tea.KeyPressMsg:
		return l.press(msg)
	}
	return nil, false
}

func (l *list) choose() tea.Cmd {
	return l.pick(func(i item) tea.Cmd {
		if i.faint {
			return l.app.say("%s: %s", i.text, i.detail)
		}
		l.app.remove(l)
		return l.then(i.id)
	})
}

func (l *list) press(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	act := l.app.keys.action(inList, msg)
	switch act {
	case "list_up":
		return l.move(-1, true), false
	case "list_down":
		return l.move(1, true), false
	case "list_page_up":
		return l.move(-l.body(), false), false
	case "list_page_down":
		return l.move(l.body(), false), false
	case "list_home":
		return l.move(-1<<30, false), false
	case "list_end":
		return l.move(1<<30, false), false
	case "list_choose":
		return l.choose(), false
	case "list_close":
		if l.query == "" {
			return nil, true
		}
		return l.search(""), false
	case "list_quit":
		return nil, true
	case "list_erase":
		if l.query == "" {
			return nil, false
		}
		g := graphemes(l.query)
		return l.search(join(g[:len(g)-1])), false
	case "list_erase_all":
		return l.search(""), false
	case "list_scope", "list_rename", "list_delete":
		if l.key != nil {
			if act == "list_scope" {
				cmd, _ := l.key(act, "")
				return cmd, false
			}
			return l.pick(func(i item) tea.Cmd {
				cmd, _ := l.key(act, i.id)
				return cmd
			}), false
		}
	}
	if msg.Text != "" {
		return l.search(l.query + keepSpaces(msg.Text)), false
	}
	return nil, false
}

func (l *list) render(width, height int) ([]string, *tea.Cursor) {
	t := l.app.theme
	lines := []string{ansi.Truncate(" "+t.strong.Render(l.title), width, "…")}
	for i, it := range l.look.items {
		lines = append(lines, l.drawItem(it, i == l.look.at, width))
	}
	if len(l.look.items) == 0 {
		none := "nothing matches"
		switch {
		case l.look.loading != "" || !l.look.initialised:
			none = l.app.spinnerSign() + " " + orElse(l.look.loading, "reading")
		case l.look.unfiltered == 0 && l.query == "":
			none = "there are none"
		}
		lines = append(lines, t.faint.Render("  "+none))
	}
	for len(lines) < height-2 {
		lines = append(lines, "")
	}
	lines = lines[:max(height-2, 0)]
	search := " " + t.accent.Render("search ") + keepSpaces(l.query)
	if l.query == "" {
		search = " " + t.faint.Render("type to search")
	}
	if l.app.notice != "" {
		style := t.warn
		if l.app.noticeErr {
			style = t.err
		}
		search = " " + style.Render(l.app.notice)
	}
	count := fmt.Sprintf("%d/%d ", min(l.look.row+1, l.look.rows), l.look.rows)
	if l.look.loading != "" && len(l.look.items) > 0 {
		count = l.look.loading + " · " + count
	}
	lines = append(lines, spread(search, t.faint.Render(count), width))
	hints := " Enter choose" + l.hints + " · Esc close"
	return append(lines, t.faint.Render(ansi.Truncate(hints, width, "…"))), nil
}

// spread puts two texts at the ends of a line.
func spread(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 1 {
		left = ansi.Truncate(left, max(width-ansi.StringWidth(right)-1, 0), "…")
		gap = max(0, width-ansi.StringWidth(left)-ansi.StringWidth(right))
	}
	return ansi.Truncate(left+strings.Repeat(" ", gap)+right, width, "")
}

func (l *list) drawItem(it item, selected bool, width int) string {
	t := l.app.theme
	mark, style := "   ", t.text
	if selected {
		mark, style = " "+t.accent.Render("›")+" ", t.selected
	} else if it.faint {
		style = t.faint
	}
	detail := ansi.Truncate(it.detail, max(width/2, 1), "…")
	room := max(width-4-ansi.StringWidth(it.mark)-ansi.StringWidth(detail)-2, 4)
	text := ansi.Truncate(it.text, room, "…")
	return spread(mark+t.faint.Render(it.mark)+style.Render(text), t.faint.Render(detail)+" ", width)
}
