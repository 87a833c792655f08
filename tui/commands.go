package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/export"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// command is what a line that starts with a slash does (section 13).
type command struct {
	name, args, help string
	run              func(a *app, args string) tea.Cmd
}

var ownCommands []command

func init() { // the table names functions that read it, for /help
	ownCommands = []command{
		{"tree", "[entry]", "walk the session's tree", (*app).openTree},
		{"branch", "[entry]", "start a new session from an earlier request", (*app).branchCommand},
		{"resume", "", "go to another session", func(a *app, _ string) tea.Cmd { return a.openResume() }},
		{"search", "[words]", "search in all sessions", (*app).openSearch},
		{"new", "", "start a new session", (*app).newSession},
		{"fork", "", "copy the whole tree into a new session", (*app).fork},
		{"label", "[text]", "label where you are; without text, take the label away", (*app).labelHere},
		{"name", "[text]", "name the session", (*app).nameSession},
		{"compact", "[instructions]", "shorten the context", (*app).compact},
		{"model", "[provider/model]", "choose the model", (*app).openModels},
		{"thinking", "[level]", "choose how much the model thinks", (*app).openThinking},
		{"export", "[file]", "write this branch as .md or .jsonl", (*app).export},
		{"copy", "", "copy the last answer", (*app).copyAnswer},
		{"session", "", "path, ids, counts and cost", func(a *app, _ string) tea.Cmd { return a.openInfo() }},
		{"help", "", "all keys and commands", func(a *app, _ string) tea.Cmd { return a.openHelp() }},
		{"quit", "", "leave", func(a *app, _ string) tea.Cmd { a.quit = true; return nil }},
	}
}

// commands are Ramo's own and those of the extensions.
func (a *app) commands() []command {
	all := slices.Clone(ownCommands)
	if a.opt.Index == nil {
		all = slices.DeleteFunc(all, func(c command) bool { return c.name == "search" })
	}
	if a.agent != nil {
		for _, c := range a.agent.Commands() {
			if slices.ContainsFunc(all, func(o command) bool { return o.name == c.Name }) {
				continue
			}
			name := c.Name
			all = append(all, command{name, "", oneLine(c.Description), func(a *app, args string) tea.Cmd { return a.runExtension(name, args) }})
		}
	}
	return all
}

// command runs a line from the editor.
func (a *app) command(name, args string) tea.Cmd {
	for _, c := range a.commands() {
		if c.name == name {
			a.editor.sent(strings.TrimSpace("/" + name + " " + args))
			return c.run(a, args)
		}
	}
	return a.complain(fmt.Errorf("there is no command /%s: /help lists them", display.Line(name, 60)))
}

func (a *app) branchCommand(entry string) tea.Cmd {
	if entry != "" {
		e, err := a.session.Find(entry)
		if err != nil {
			return a.complain(err)
		}
		return a.branch(e.ID())
	}
	if a.opt.Settings.DoubleEscape == "tree" { // section 13
		return a.openTree("")
	}
	return a.openBranch()
}

func (a *app) newSession(string) tea.Cmd {
	ag := a.agent
	return a.do("the new session", func(ctx context.Context) func() tea.Cmd {
		err := ag.NewSession(ctx)
		return func() tea.Cmd { return a.complain(err) }
	})
}

func (a *app) fork(string) tea.Cmd {
	ag := a.agent
	return a.do("the copy", func(ctx context.Context) func() tea.Cmd {
		path, err := ag.Fork(ctx)
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return a.say("A copy of the whole tree: %s", short(path, a.opt.Dir))
		}
	})
}

func (a *app) labelHere(text string) tea.Cmd {
	leaf, ok := a.session.Leaf()
	// A label names what was said, not the bookkeeping after it.
	for ok && kindOf(leaf) == noBlock {
		leaf, ok = leaf.Parent()
	}
	if !ok {
		return a.complain(errors.New("there is nothing to label yet"))
	}
	return tea.Batch(a.say("Labelled: %s", orElse(text, "(no label)")), a.setLabel(leaf.ID(), text))
}

func (a *app) nameSession(text string) tea.Cmd {
	if text == "" {
		return a.push(newInput(a, "What is this session called?", a.session.Name(), a.nameSession2))
	}
	return a.nameSession2(text)
}

func (a *app) nameSession2(text string) tea.Cmd {
	s := a.session
	return a.do("the name", func(ctx context.Context) func() tea.Cmd {
		_, err := s.Append(ctx, session.SessionInfo{Name: display.Line(text, 0)})
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return tea.Batch(a.say("The session is called %s", text), a.showPath(false))
		}
	})
}

func (a *app) compact(instructions string) tea.Cmd {
	ag := a.agent
	wait := newWaiting(a, "Compacting the context")
	return tea.Batch(a.push(wait), a.do("the compaction", func(ctx context.Context) func() tea.Cmd {
		e, err := ag.Compact(ctx, instructions)
		return func() tea.Cmd {
			a.pop(wait)
			switch {
			case err != nil && isCancelled(err):
				return a.say("Cancelled: the context is as it was")
			case err != nil:
				return a.complain(err)
			}
			var before int64
			if body, err := e.Body(); err == nil {
				if c, ok := body.(session.Compaction); ok {
					before = c.TokensBefore
				}
			}
			return tea.Batch(a.say("The context was %s tokens long; it is summarized", display.Tokens(before)), a.showPath(true))
		}
	}))
}

func (a *app) setModel(name string) tea.Cmd {
	ag := a.agent
	return a.do("the model", func(ctx context.Context) func() tea.Cmd {
		err := ag.SetModel(ctx, name)
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return tea.Batch(a.say("The model is %s", name), a.showPath(false))
		}
	})
}

func (a *app) setThinking(level string) tea.Cmd {
	ag := a.agent
	return a.do("the thinking level", func(ctx context.Context) func() tea.Cmd {
		err := ag.SetThinkingLevel(ctx, level)
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return tea.Batch(a.say("Thinking is %s", level), a.showPath(false))
		}
	})
}

func (a *app) nextThinking() tea.Cmd {
	i := slices.Index(model.Levels, orElse(a.status.thinking, "off"))
	return a.setThinking(model.Levels[(i+1)%len(model.Levels)])
}

// export writes the active branch into a file that is not there yet.
func (a *app) export(file string) tea.Cmd {
	s := a.session
	if file == "" {
		file = "ramo-" + display.Line(s.Header().ID, 8) + ".md"
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.opt.Dir, file)
	}
	return a.do("the export", func(ctx context.Context) func() tea.Cmd {
		err := exportTo(ctx, file, s)
		return func() tea.Cmd {
			if err != nil {
				return a.complain(err)
			}
			return a.say("Exported to %s", short(file, a.opt.Dir))
		}
	})
}

// exportTo writes the file whole or not at all, and never in the place of another.
func exportTo(ctx context.Context, path string, s *session.Session) error {
	write := func(w io.Writer, leaf string) error { return export.Markdown(cancellable{ctx, w}, s, leaf) }
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".markdown":
	case ".jsonl":
		write = func(w io.Writer, leaf string) error { return export.JSONL(ctx, w, s, leaf) }
	default:
		return fmt.Errorf("%s: an export is a .md or a .jsonl file", path)
	}
	file, err := session.NewFileStore(path)
	if err != nil {
		return err
	}
	leaf := export.Root
	if e, ok := s.Leaf(); ok {
		leaf = e.ID()
	}
	err = file.Create(func(w io.Writer) error { return write(w, leaf) }, true)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: name another file", path)
	}
	return err
}

// cancellable is a writer that fails when its context is done.
type cancellable struct {
	ctx context.Context
	io.Writer
}

func (c cancellable) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Writer.Write(p)
}

func (a *app) copyAnswer(string) tea.Cmd {
	s := a.session
	return beside(func() func() tea.Cmd {
		for e, ok := s.Leaf(); ok; e, ok = e.Parent() {
			if e.Role() != message.RoleAssistant || !e.HasText() {
				continue
			}
			m, err := e.Message()
			return func() tea.Cmd {
				if err != nil {
					return a.complain(err)
				}
				return tea.Batch(a.say("Copied"), tea.SetClipboard(display.Text(m.Text())))
			}
		}
		return func() tea.Cmd { return a.say("There is no answer yet") }
	})
}

func (a *app) runExtension(name, args string) tea.Cmd {
	ag, ctx := a.agent, a.ctx
	return beside(func() func() tea.Cmd {
		err := ag.RunCommand(ctx, name, args)
		return func() tea.Cmd { return tea.Batch(a.complain(err), a.showPath(false)) }
	})
}

// openBranch lists the requests, the newest last; the one that is chosen starts a session of its own.
func (a *app) openBranch() tea.Cmd {
	l := newList(a, "Branch: a new session from which request?", a.branch)
	l.atEnd = true
	s := a.session
	ctx, cancel := context.WithCancel(a.ctx)
	l.gone = cancel
	return tea.Batch(a.push(l), func() tea.Msg {
		listRequests(ctx, s, l)
		return nil
	})
}

func listRequests(ctx context.Context, s *session.Session, l *list) {
	var items []item
	var lines display.Lines
	onPath := map[int]bool{}
	for e, ok := s.Leaf(); ok; e, ok = e.Parent() {
		onPath[e.Index()] = true
	}
	p := pump{}
	for e := range s.Entries() {
		if ctx.Err() != nil {
			return
		}
		if e.Role() != message.RoleUser {
			continue
		}
		it := item{id: e.ID(), text: strings.TrimPrefix(lines.Entry(e), "user: "), detail: ago(e.Time()), mark: "  "}
		if onPath[e.Index()] {
			it.mark = "• "
		}
		if label := e.Label(); label != "" {
			it.text = "[" + display.Line(label, 100) + "] " + it.text
		}
		items = append(items, it)
		if p.due() {
			l.set(slices.Clone(items), "reading")
		}
	}
	l.set(items, "")
}

// ago tells how long ago something was.
func ago(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := time.Since(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 14*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
	return t.Local().Format("2006-01-02")
}

// openModels lets choose a model, or takes the one that is named.
func (a *app) openModels(name string) tea.Cmd {
	if name != "" {
		return a.setModel(name)
	}
	l := newList(a, "Which model?", a.setModel)
	models, current := a.opt.Models, a.status.model.Ref()
	return tea.Batch(a.push(l), func() tea.Msg {
		var items []item
		for _, k := range models.List() {
			it := item{id: k.Ref(), text: oneLine(k.Ref()), more: k.Name, faint: !k.Usable, mark: "  "}
			switch {
			case !k.Usable:
				it.detail = oneLine(k.Need)
			case k.ContextWindow > 0:
				it.detail = display.Tokens(k.ContextWindow)
				if k.Price.Output > 0 {
					it.detail += fmt.Sprintf(" · $%.2f in, $%.2f out a million", k.Price.Input, k.Price.Output)
				}
			}
			if k.Ref() == current {
				it.mark = "• "
			}
			items = append(items, it)
		}
		// Those that can be asked come first.
		slices.SortStableFunc(items, func(x, y item) int { return less(x.faint, y.faint) })
		l.set(items, "")
		return nil
	})
}

func less(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func (a *app) openThinking(level string) tea.Cmd {
	if level != "" {
		return a.setThinking(level)
	}
	l := newList(a, "How much should the model think?", a.setThinking)
	var items []item
	for _, level := range model.Levels {
		it := item{id: level, text: level, mark: "  "}
		if level == orElse(a.status.thinking, "off") {
			it.mark = "• "
		}
		items = append(items, it)
	}
	return tea.Batch(a.push(l), func() tea.Msg { l.set(items, ""); return nil })
}
