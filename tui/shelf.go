package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

// openResume lists the sessions of all tools, the last used first: this directory's, and with Tab all.
func (a *app) openResume() tea.Cmd {
	r := &resume{app: a, only: true}
	r.list = newList(a, "", func(path string) tea.Cmd { return a.switchTo(path, "") })
	r.list.hints = " · Tab all or this directory · Ctrl+R rename · Ctrl+D to the trash"
	r.list.key = r.key
	r.list.gone = func() { r.cancel() }
	return tea.Batch(a.push(r.list), r.read())
}

// resume is the list of sessions.
type resume struct {
	app    *app
	list   *list
	only   bool // this directory's
	cancel context.CancelFunc
}

func (r *resume) read() tea.Cmd {
	if r.cancel != nil {
		r.cancel()
	}
	ctx, cancel := context.WithCancel(r.app.ctx)
	r.cancel = cancel
	r.list.title = "Sessions of " + short(r.app.opt.Dir, filepath.Dir(r.app.opt.Dir))
	if !r.only {
		r.list.title = "All sessions"
	}
	dir, only, lib, l := r.app.opt.Dir, r.only, r.app.opt.Library, r.list
	now := r.app.session.Path()
	return func() tea.Msg {
		var items []item
		p := pump{}
		listing := lib.List(library.ListOptions{Dir: dir, Only: only})
		for i := range listing.Sessions(ctx) {
			items = append(items, sessionItem(i, dir, now))
			if p.due() {
				l.set(slices.Clone(items), "reading")
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := listing.Err(); err != nil {
			return thenMsg{func() tea.Cmd { return r.app.complain(err) }}
		}
		l.set(items, "")
		return nil
	}
}

func sessionItem(i library.Item, dir, now string) item {
	it := item{
		id: i.Path, text: oneLine(orElse(i.Title(), "(empty)")), mark: "  ",
		detail: strings.Join(slices.DeleteFunc([]string{i.Tool, display.Bytes(i.Bytes), ago(i.Modified)}, func(s string) bool { return s == "" }), " · "),
		more:   i.Request + " " + i.ID + " " + i.Cwd + " " + filepath.Base(i.Path),
	}
	if i.Path == now {
		it.mark = "• "
	}
	if !library.SameDir(i.Cwd, dir) && i.Cwd != "" {
		it.text += "  — " + oneLine(tilde(i.Cwd))
	}
	return it
}

// tilde writes the home directory short.
func tilde(path string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			return "~" + rest
		}
	}
	return path
}

func (r *resume) key(act action, path string) (tea.Cmd, bool) {
	a := r.app
	switch act {
	case "list_scope":
		r.only = !r.only
		return r.read(), true
	case "list_rename":
		return a.push(newInput(a, "What is this session called?", "", func(text string) tea.Cmd {
			return a.do("the name", func(ctx context.Context) func() tea.Cmd {
				err := library.Rename(ctx, path, text)
				return func() tea.Cmd { return tea.Batch(a.complain(err), r.read()) }
			})
		})), true
	case "list_delete":
		if path == a.session.Path() {
			return a.complain(errors.New("this session is open: go to another one first")), true
		}
		c := newChoice(a, "Put this session into the trash?", []string{"No", "Yes, to the trash  (y)"}, func(i int) tea.Cmd {
			if i == 0 {
				return nil
			}
			return a.do("the trash", func(ctx context.Context) func() tea.Cmd {
				_, err := library.Trash(ctx, path)
				return func() tea.Cmd { return tea.Batch(a.complain(err), r.read()) }
			})
		})
		c.text = []string{tilde(path)}
		c.keys = map[string]int{"y": 1, "n": 0}
		return a.push(c), true
	}
	return nil, false
}

// switchTo goes to another session, and when at names an entry opens the tree there.
func (a *app) switchTo(path, at string) tea.Cmd {
	if path == a.session.Path() && path != "" {
		if at != "" {
			return a.openTree(at)
		}
		return a.say("This session is open already")
	}
	ag := a.agent
	cmd := a.do("the session", func(ctx context.Context) func() tea.Cmd {
		err := ag.Switch(ctx, path)
		return func() tea.Cmd {
			a.opening = nil
			if err != nil {
				return a.complain(err)
			}
			if at != "" {
				// The event that tells of the new session may still be on its way.
				return tea.Batch(a.showSession(), a.openTree(at))
			}
			return nil
		}
	})
	if a.op != nil {
		op := a.op
		a.opening = &progress{what: "Opening " + tilde(path), cancel: op.cancel}
	}
	return cmd
}

// openSearch searches in all sessions; what is chosen opens in the tree.
func (a *app) openSearch(words string) tea.Cmd {
	if a.opt.Index == nil {
		return a.complain(errors.New("there is no search index here"))
	}
	s := &shelfSearch{app: a, ready: make(chan struct{})}
	s.list = newList(a, "Search in all sessions", func(id string) tea.Cmd {
		path, entry, _ := strings.Cut(id, "\x00")
		return a.switchTo(path, entry)
	})
	s.list.hints = " · \"phrase\" prefix* label: file: tool: cwd: role: since:"
	s.list.find = s.find
	s.list.query = words
	ctx, cancel := context.WithCancel(a.ctx)
	s.ctx = ctx
	s.list.gone = cancel
	return tea.Batch(a.push(s.list), s.update(), s.find(words))
}

// shelfSearch is the search in all sessions.
type shelfSearch struct {
	app   *app
	list  *list
	ctx   context.Context
	stop  context.CancelFunc // of the search that runs
	index *library.Index
	ready chan struct{} // closed when the index is open, or cannot be
	err   error
	state string // what the index is at
}

// update opens the index and brings it up to date; what it holds already is found meanwhile.
func (s *shelfSearch) update() tea.Cmd {
	return func() tea.Msg {
		s.index, s.err = s.app.opt.Index()
		close(s.ready)
		if s.err != nil {
			return thenMsg{func() tea.Cmd { return s.app.complain(s.err) }}
		}
		p := pump{}
		err := s.index.Update(s.ctx, s.app.opt.Library, func(done, total int64) {
			if p.due() && total > 0 {
				s.app.send(thenMsg{func() tea.Cmd {
					s.state = fmt.Sprintf("indexing %d%%", done*100/total)
					return nil
				}})
			}
		})
		return thenMsg{func() tea.Cmd {
			s.state = ""
			if err != nil && !isCancelled(err) {
				return s.app.complain(err)
			}
			return s.find(s.list.query)
		}}
	}
}

// find looks for a query, a moment after the last key.
func (s *shelfSearch) find(query string) tea.Cmd {
	if s.stop != nil {
		s.stop()
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.stop = stop
	state := s.state
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(60 * time.Millisecond):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.ready:
		}
		if s.err != nil || strings.TrimSpace(query) == "" {
			s.list.set(nil, state)
			return nil
		}
		hits, err := s.index.Search(ctx, query, library.SearchOptions{Limit: 200})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !errors.Is(err, library.ErrQuery) {
			return thenMsg{func() tea.Cmd { return s.app.complain(err) }}
		}
		items := make([]item, 0, len(hits))
		for _, h := range hits {
			it := item{
				id: h.Item.Path + "\x00" + h.EntryID, text: oneLine(h.Snippet), mark: h.Role + " ",
				detail: oneLine(display.Cut(orElse(h.Item.Title(), h.Item.ID), 30)) + " · " + ago(h.Time),
			}
			if h.Label != "" {
				it.text = "[" + oneLine(h.Label) + "] " + it.text
			}
			items = append(items, it)
		}
		s.list.set(items, state)
		return nil
	}
}
