package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// pager shows a text that may be longer than the screen.
type pager struct {
	app   *app
	title string
	text  []string
	top   int
}

func (p *pager) init() tea.Cmd       { return nil }
func (p *pager) context() keyContext { return inList }
func (p *pager) rows(_, h int) int   { return h }

func (p *pager) update(msg tea.Msg) (tea.Cmd, bool) {
	page := max(p.app.height-3, 1)
	switch msg := msg.(type) {
	case pagerMsg:
		p.text = msg.text
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			p.top -= 3
		} else {
			p.top += 3
		}
	case tea.KeyPressMsg:
		switch p.app.keys.action(inList, msg) {
		case "list_up":
			p.top--
		case "list_down":
			p.top++
		case "list_page_up":
			p.top -= page
		case "list_page_down":
			p.top += page
		case "list_home":
			p.top = 0
		case "list_end":
			p.top = len(p.text)
		case "list_close", "list_quit", "list_choose":
			return nil, true
		default:
			if msg.String() == "q" {
				return nil, true
			}
		}
	}
	p.top = max(0, min(p.top, len(p.text)-page))
	return nil, false
}

func (p *pager) render(width, height int) ([]string, *tea.Cursor) {
	t := p.app.theme
	lines := []string{" " + t.strong.Render(p.title)}
	for i := p.top; i < len(p.text) && len(lines) < height-1; i++ {
		lines = append(lines, ansi.Truncate(" "+p.text[i], width, "…"))
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	hint := " Esc close"
	if len(p.text) > height-2 {
		hint = " ↑↓ scroll ·" + hint
	}
	return append(lines[:max(height-1, 0)], t.faint.Render(hint)), nil
}

type pagerMsg struct{ text []string }

// openHelp shows every key and command. The keys are those that are in force.
func (a *app) openHelp() tea.Cmd {
	return a.push(&pager{app: a, title: "Help", text: a.help()})
}

func (a *app) help() (lines []string) {
	t := a.theme
	section := func(title string) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.user.Render(title))
	}
	entry := func(what, help string) {
		pad := strings.Repeat(" ", max(1, 26-ansi.StringWidth(what)))
		lines = append(lines, "  "+t.strong.Render(what)+pad+help)
	}
	section("Commands")
	for _, c := range a.commands() {
		entry(strings.TrimSpace("/"+c.name+" "+c.args), c.help)
	}
	for _, g := range []struct {
		title   string
		context keyContext
	}{{"In the conversation", inChat}, {"In the editor", inEditor}, {"In the tree", inTree}, {"In lists", inList}, {"In questions", inDialog}} {
		section(g.title)
		for _, b := range a.keys.bindings {
			if b.context != g.context || len(b.keys) == 0 {
				continue
			}
			var names []string
			for _, k := range b.keys {
				if n := keyName(k); len(names) == 0 || names[len(names)-1] != n {
					names = append(names, n)
				}
			}
			entry(strings.Join(names, ", "), b.help)
		}
	}
	section("Also")
	entry("@file", "completes a file's name; a picture is sent along")
	entry("a click", "opens or folds a result, a summary or thinking; chooses in lists")
	entry("[keys] in the settings", "gives an action other keys; 'ramo config' says where the settings are")
	section("The names of the actions, for [keys]")
	for _, b := range a.keys.bindings {
		entry(string(b.action), b.help)
	}
	return lines
}

// openInfo shows what there is to know about the session.
func (a *app) openInfo() tea.Cmd {
	p := &pager{app: a, title: "Session", text: []string{"reading …"}}
	ctx, s, st, th := a.ctx, a.session, a.status, a.theme
	return tea.Batch(a.push(p), func() tea.Msg {
		return screenMsg{p, pagerMsg{infoLines(ctx, s, st, th)}}
	})
}

func infoLines(ctx context.Context, s *session.Session, st status, t *theme) (lines []string) {
	put := func(what, value string) {
		if value != "" {
			lines = append(lines, t.faint.Render(fmt.Sprintf("%-14s", what))+oneLine(value))
		}
	}
	h, counts := s.Header(), s.Counts()
	put("name", s.Name())
	put("file", orElse(s.Path(), "(in memory)"))
	put("id", h.ID)
	put("directory", h.Cwd)
	put("comes from", h.ParentSession)
	if at, ok := h.Time(); ok {
		put("begun", at.Local().Format("2006-01-02 15:04"))
	}
	leaf, ok := s.Leaf()
	if ok {
		put("at", leaf.ID())
	} else {
		put("at", "before the first entry")
	}
	put("entries", fmt.Sprintf("%d, of them %d messages", s.Len(), s.Messages()))
	put("branches", fmt.Sprintf("%d, the longest %d entries deep", counts.Branches, counts.Depth))
	put("labels", fmt.Sprint(len(s.Labels())))
	put("size", display.Bytes(s.Size()))
	if n := len(s.Problems()); n > 0 {
		put("problems", fmt.Sprintf("%d: 'ramo doctor' tells of them", n))
	}
	if err := s.ReadOnly(); err != nil {
		put("read only", err.Error())
	}
	if st.hasModel {
		put("model", st.model.Ref())
	}
	put("context", display.Tokens(st.tokens)+" tokens")
	branch, all, err := s.Usage(ctx)
	if err != nil {
		return lines
	}
	put("this branch", spent(branch))
	put("all branches", spent(all))
	return lines
}

// spent writes what something cost.
func spent(u message.Usage) string {
	return fmt.Sprintf("$%.4f, %s tokens in, %s out", u.Cost.Total, display.Tokens(u.Input+u.CacheRead+u.CacheWrite), display.Tokens(u.Output))
}
