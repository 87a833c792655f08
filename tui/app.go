package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// Options say what the app shows and how.
type Options struct {
	// Open opens the session, with the app as the one who is asked. It runs beside the screen, which
	// shows how far it is; ctx ends when the user gives up.
	Open func(ctx context.Context, front Front) (*agent.Agent, error)
	// Models are those that /model offers.
	Models   *model.Registry
	Settings *config.Settings
	Library  *library.Library
	// Index opens the search index, for /search. nil: there is no such command.
	Index func() (*library.Index, error)
	Dir   string // that the app works in
	// Remember notes which session this terminal is at; it may be nil.
	Remember func(path string) error

	Tree bool   // open on the selector
	At   string // the entry that the selector opens at; "" is the leaf

	// Of the terminal; the zero values are the process's own.
	Input   io.Reader
	Output  io.Writer
	Environ []string
	Program []tea.ProgramOption
}

// Front is the app as its agent sees it. All of it is safe for concurrent use.
type Front struct {
	UI       extension.UI
	Approve  func(ctx context.Context, call message.Block) (bool, error)
	Progress func(done, total int64) // of opening a session, in bytes
}

// Run shows the app until the user quits or ctx is done. The agent is closed.
func Run(ctx context.Context, o Options) error {
	keys, err := newKeymap(o.Settings)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, p := newProgram(ctx, o, keys)
	_, err = p.Run()
	cancel()
	if cerr := a.close(); err == nil || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = cerr
	}
	return err
}

func newProgram(ctx context.Context, o Options, keys *keymap) (*app, *tea.Program) {
	a := newApp(ctx, o, keys)
	options := []tea.ProgramOption{tea.WithContext(ctx)}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	if o.Environ != nil {
		options = append(options, tea.WithEnvironment(o.Environ))
	}
	p := tea.NewProgram(a, append(options, o.Program...)...)
	a.send = p.Send
	a.running = func() *rest { return newRest(p) }
	return a, p
}

// The smallest terminal that the app can be drawn in.
const (
	minWidth  = 40
	minHeight = 10
)

// app is the whole: it owns the screens, routes messages, and starts what takes time. Its fields belong to
// the event loop, but for those of the chat's work.
type app struct {
	ctx   context.Context
	opt   Options
	keys  *keymap
	theme *theme
	send  func(tea.Msg)
	pump  *pump

	running func() *rest // to be called when the program runs; nil without one
	rest    atomic.Pointer[rest]

	width, height int
	chatRows      int // of the conversation, when it was last laid out

	agent   *agent.Agent
	session *session.Session // the agent's: asking it could wait for an operation
	quit    bool
	fail    error // why the session could not be opened
	opening *progress

	chat       queue
	transcript *transcript // the chat's work
	frame      frame
	drawn      bool // a frame of the session has come

	editor  *editor
	screens []screen
	status  status

	op      *operation // that the app started and that keys wait for
	asks    int        // questions of the agent's or an extension's on the screen
	held    []tea.Msg  // keys that wait for op
	answers bool       // an answer is running
	queued  []string   // requests that wait for its end
	spin    int
	spins   bool

	notice    string
	noticeErr bool

	lastEsc   time.Time
	lastQuit  time.Time
	follow    context.CancelFunc
	elsewhere string // the newest entry that another window hung from our branch
	grown     int    // how many those are
}

// operation is something that the app does with the agent and that keys wait for.
type operation struct {
	name   string
	cancel context.CancelFunc
}

// progress is how far something long is.
type progress struct {
	what        string
	done, total int64
	cancel      context.CancelFunc
}

func newApp(ctx context.Context, o Options, keys *keymap) *app {
	a := &app{ctx: ctx, opt: o, keys: keys, theme: newTheme(o.Settings.Theme != "light"), send: func(tea.Msg) {}}
	a.transcript = newTranscript(a.theme)
	a.chat.look = func() tea.Msg { return frameMsg{a.transcript.window(), a.transcript.session} }
	a.editor = newEditor(a)
	a.pump = &pump{send: func(m tea.Msg) { a.send(m) }}
	return a
}

// close ends what runs.
func (a *app) close() error {
	if a.follow != nil {
		a.follow()
	}
	for _, s := range a.screens {
		if c, ok := s.(interface{ close() }); ok {
			c.close()
		}
	}
	if a.agent == nil {
		return nil
	}
	return a.agent.Close()
}

// The messages of the app's own commands.
type (
	frameMsg struct {
		frame frame
		of    *session.Session
	}
	openedMsg struct {
		agent *agent.Agent
		err   error
	}
	progressMsg struct{ done, total int64 }
	spinMsg     struct{}
	// opMsg ends an operation; then goes on in the event loop.
	opMsg struct {
		op   *operation
		then func() tea.Cmd
	}
	// thenMsg goes on in the event loop.
	thenMsg struct{ then func() tea.Cmd }
)

func (a *app) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, a.open())
}

// open opens the session beside the screen.
func (a *app) open() tea.Cmd {
	ctx, cancel := context.WithCancel(a.ctx)
	a.opening = &progress{what: "Opening the session", cancel: cancel}
	front := Front{UI: asker{a}, Approve: a.approve, Progress: a.progress}
	return func() tea.Msg {
		ag, err := a.opt.Open(ctx, front)
		if err == nil && ctx.Err() != nil {
			_ = ag.Close()
			return openedMsg{nil, ctx.Err()}
		}
		return openedMsg{ag, err}
	}
}

// progress reports at most every twentieth of a second.
func (a *app) progress(done, total int64) {
	if a.pump.due() {
		a.send(progressMsg{done, total})
	}
}

func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if a.running != nil {
		a.rest.Store(a.running())
		a.running = nil
	}
	if r := a.rest.Load(); r != nil {
		r.wake()
	}
	cmd := a.update(msg)
	if a.quit {
		return a, tea.Quit
	}
	return a, tea.Batch(cmd, a.layout(), a.spinning())
}

func (a *app) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		a.editor.resize(a.width, a.height)
		return a.resizeScreens()
	case tea.BackgroundColorMsg:
		return a.background(msg.IsDark())
	case openedMsg:
		return a.opened(msg)
	case progressMsg:
		if a.opening != nil {
			a.opening.done, a.opening.total = msg.done, msg.total
		}
	case frameMsg:
		a.frame, a.drawn = msg.frame, a.drawn || msg.of != nil
		return a.chat.ended()
	case spinMsg:
		a.spin++
		a.spins = false
	case opMsg:
		if a.op == msg.op {
			a.op = nil
		}
		return tea.Batch(msg.then(), a.replay())
	case thenMsg:
		return msg.then()
	case screenMsg:
		return a.toScreen(msg.to, msg.msg)
	case eventsMsg:
		return a.events(msg)
	case followMsg:
		return a.followed(msg)
	case statusMsg:
		a.status.take(msg)
	case askMsg:
		return a.ask(msg)
	case askedMsg:
		return a.askEnded(msg.screen)
	case editedMsg:
		return a.edited(msg)
	case filesMsg:
		a.editor.files = msg.files
		a.editor.suggest()
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		return a.input(msg)
	}
	return nil
}

func (a *app) background(dark bool) tea.Cmd {
	if a.opt.Settings.Theme != "auto" && a.opt.Settings.Theme != "" || dark == a.theme.dark {
		return nil
	}
	*a.theme = *newTheme(dark)
	th := newTheme(dark)
	a.editor.restyle()
	return a.chat.do(func() { a.transcript.restyle(th) })
}

func (a *app) opened(msg openedMsg) tea.Cmd {
	a.opening = nil
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			a.quit = true
		}
		a.fail = msg.err
		return nil
	}
	a.agent = msg.agent
	a.agent.Listen(a.pump.event)
	cmds := []tea.Cmd{a.showSession(), a.replay()}
	if a.opt.Tree {
		cmds = append(cmds, a.openTree(a.opt.At))
	}
	return tea.Batch(cmds...)
}

// showSession takes up the agent's session: at the start, and when it has become another one.
func (a *app) showSession() tea.Cmd {
	s := a.agent.Session()
	a.session = s
	a.elsewhere, a.grown = "", 0
	a.editor.forget()
	if a.follow != nil {
		a.follow()
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.follow = cancel
	go follow(ctx, s, a.send)
	return tea.Batch(a.showPath(true), a.loadHistory(s), a.remember(s.Path()))
}

// remember notes which session this terminal is at. That it fails costs no more than 'ramo -c'.
func (a *app) remember(path string) tea.Cmd {
	note := a.opt.Remember
	if note == nil || path == "" {
		return nil
	}
	return func() tea.Msg {
		if err := note(path); err != nil {
			return thenMsg{func() tea.Cmd { return a.complain(err) }}
		}
		return nil
	}
}

// showPath draws the path of the leaf that there is now.
func (a *app) showPath(toEnd bool) tea.Cmd {
	s := a.session
	return tea.Batch(a.chat.do(func() {
		a.transcript.show(s)
		if toEnd {
			a.transcript.toEnd()
		}
	}), a.updateStatus(), a.tellScreens(changedMsg{}))
}

// layout gives the conversation the rows that the editor leaves it.
func (a *app) layout() tea.Cmd {
	rows := max(a.height-a.editor.rows()-1, 0)
	if a.notice != "" {
		rows--
	}
	if rows == a.chatRows && a.editor.laidOut == a.width || a.width == 0 {
		return nil
	}
	a.chatRows, a.editor.laidOut = rows, a.width
	width := a.width
	return a.chat.do(func() { a.transcript.resize(width-2, rows) })
}

// spinning keeps the spinner turning while something runs, and nothing else: an idle app does nothing.
func (a *app) spinning() tea.Cmd {
	if a.spins || !(a.answers || a.op != nil || a.opening != nil) {
		return nil
	}
	a.spins = true
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return spinMsg{} })
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

func (a *app) spinnerSign() string {
	r := []rune(spinner)
	return string(r[a.spin%len(r)])
}

// say puts up a line that stays until the next key.
func (a *app) say(format string, args ...any) tea.Cmd {
	a.notice, a.noticeErr = display.Line(fmt.Sprintf(format, args...), 2000), false
	return nil
}

// complain is say for what went wrong.
func (a *app) complain(err error) tea.Cmd {
	if err != nil && !errors.Is(err, context.Canceled) {
		a.notice, a.noticeErr = display.Line(err.Error(), 2000), true
	}
	return nil
}

// do runs an operation that keys wait for: what is typed meanwhile is meant for what comes after it. Esc
// cancels it. work runs beside the loop; what it returns then runs in the loop.
func (a *app) do(name string, work func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	if a.op != nil {
		return a.say("%s is still running: Esc cancels it", a.op.name)
	}
	ctx, cancel := context.WithCancel(a.ctx)
	op := &operation{name, cancel}
	a.op = op
	return func() tea.Msg {
		defer cancel()
		return opMsg{op, work(ctx)}
	}
}

// beside runs work that nothing waits for.
func beside(work func() (then func() tea.Cmd)) tea.Cmd {
	return func() tea.Msg { return thenMsg{work()} }
}

// replay hands out the keys that waited, until one starts something again.
func (a *app) replay() tea.Cmd {
	var cmds []tea.Cmd
	for len(a.held) > 0 && !a.holds() && !a.quit {
		msg := a.held[0]
		a.held = a.held[1:]
		cmds = append(cmds, a.input(msg))
	}
	return tea.Batch(cmds...)
}

// holds tells whether keys have to wait.
func (a *app) holds() bool {
	return (a.op != nil || a.opening != nil || a.waits()) && a.asks == 0
}

// waits tells whether the topmost screen has taken a key whose outcome is on its way.
func (a *app) waits() bool {
	w, ok := a.top().(interface{ waits() bool })
	return ok && w.waits()
}

func (a *app) top() screen {
	if len(a.screens) == 0 {
		return nil
	}
	return a.screens[len(a.screens)-1]
}

// push puts up a screen.
func (a *app) push(s screen) tea.Cmd {
	a.screens = append(a.screens, s)
	cmd := s.init()
	rows := s.rows(a.width, a.height)
	return tea.Batch(cmd, a.toScreen(s, tea.WindowSizeMsg{Width: a.width, Height: rows}))
}

// pop takes a screen away, and those above it.
func (a *app) pop(s screen) {
	for i, x := range a.screens {
		if x == s {
			for _, gone := range a.screens[i:] {
				if c, ok := gone.(interface{ close() }); ok {
					c.close()
				}
			}
			a.screens = a.screens[:i]
			return
		}
	}
}

func (a *app) has(s screen) bool {
	for _, x := range a.screens {
		if x == s {
			return true
		}
	}
	return false
}

func (a *app) toScreen(s screen, msg tea.Msg) tea.Cmd {
	if !a.has(s) {
		return nil
	}
	cmd, done := s.update(msg)
	if done {
		a.remove(s)
	}
	return tea.Batch(cmd, a.replay())
}

// remove takes one screen away and leaves those above it.
func (a *app) remove(s screen) {
	for i, x := range a.screens {
		if x == s {
			if c, ok := s.(interface{ close() }); ok {
				c.close()
			}
			a.screens = append(a.screens[:i:i], a.screens[i+1:]...)
			return
		}
	}
}

func (a *app) resizeScreens() tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range a.screens {
		cmds = append(cmds, a.toScreen(s, tea.WindowSizeMsg{Width: a.width, Height: s.rows(a.width, a.height)}))
	}
	return tea.Batch(cmds...)
}

func (a *app) tellScreens(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range a.screens {
		cmds = append(cmds, a.toScreen(s, msg))
	}
	return tea.Batch(cmds...)
}

// input takes keys, pastes and the mouse.
func (a *app) input(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	if a.width < minWidth || a.height < minHeight || a.fail != nil {
		if isKey {
			switch key.String() {
			case "ctrl+c", "ctrl+d", "esc", "q":
				a.quit = a.fail != nil || key.String() == "ctrl+c"
			}
		}
		return nil
	}
	if a.holds() {
		if isKey && (key.String() == "esc" || key.String() == "ctrl+c") {
			return a.cancel()
		}
		if _, mouse := msg.(tea.MouseMsg); !mouse {
			a.held = append(a.held, msg)
		}
		return nil
	}
	if isKey {
		a.notice = ""
	}
	if s := a.top(); s != nil {
		if m, ok := msg.(tea.MouseMsg); ok {
			if msg = shiftMouse(m, -(a.height - s.rows(a.width, a.height))); msg == nil {
				return nil
			}
		}
		return a.toScreen(s, msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		a.editor.paste(msg.Content)
	case tea.MouseWheelMsg:
		by := 3
		if msg.Button == tea.MouseWheelUp {
			by = -3
		}
		return a.scroll(by)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && msg.Y < len(a.frame.lines) {
			if id := a.frame.lines[msg.Y].id; id != "" {
				return a.chat.do(func() { a.transcript.toggleOne(id) })
			}
		}
	}
	return nil
}

// shiftMouse moves an event; nil when it is above the screen.
func shiftMouse(msg tea.MouseMsg, by int) tea.Msg {
	if msg.Mouse().Y+by < 0 {
		return nil
	}
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.Y += by
		return m
	case tea.MouseWheelMsg:
		m.Y += by
		return m
	}
	return nil
}

// cancel ends what keys wait for.
func (a *app) cancel() tea.Cmd {
	a.held = nil
	switch {
	case a.op != nil:
		a.op.cancel()
	case a.opening != nil:
		a.opening.cancel()
	default:
		if s, ok := a.top().(interface{ giveUp() }); ok {
			s.giveUp()
		}
	}
	return nil
}

func (a *app) scroll(by int) tea.Cmd { return a.chat.do(func() { a.transcript.scroll(by) }) }

// key is a key on the conversation and its editor.
func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	act := a.keys.action(inChat, msg)
	if msg.String() == "alt+esc" { // how a terminal tells of Esc twice in a moment
		a.lastEsc = time.Now()
		act = "stop"
	}
	if act != "stop" {
		a.lastEsc = time.Time{}
	}
	if act != "clear" {
		a.lastQuit = time.Time{}
	}
	page := max(a.chatRows-2, 1)
	switch act {
	case "stop":
		return a.esc()
	case "clear":
		return a.clearOrQuit()
	case "quit":
		if a.editor.empty() {
			a.quit = true
			return nil
		}
	case "page_up":
		return a.scroll(-page)
	case "page_down":
		return a.scroll(page)
	case "line_up":
		return a.scroll(-1)
	case "line_down":
		return a.scroll(1)
	case "top":
		return a.chat.do(a.transcript.toTop)
	case "bottom":
		return a.chat.do(a.transcript.toEnd)
	case "previous_request":
		return a.chat.do(func() { a.transcript.jump(-1) })
	case "next_request":
		return a.chat.do(func() { a.transcript.jump(1) })
	case "next_branch":
		return a.hop(1)
	case "previous_branch":
		return a.hop(-1)
	case "elsewhere":
		return a.goElsewhere()
	case "unfold":
		return a.chat.do(a.transcript.toggle)
	case "tree":
		return a.openTree("")
	case "resume":
		return a.openResume()
	case "model":
		return a.openModels("")
	case "thinking":
		return a.nextThinking()
	case "help":
		return a.openHelp()
	}
	return a.editor.key(msg)
}

// esc closes what hangs over the editor, stops an answer, and pressed twice on an empty editor does what
// the setting double_escape says.
func (a *app) esc() tea.Cmd {
	const twice = 500 * time.Millisecond
	switch {
	case a.editor.closeSuggestions():
		return nil
	case a.answers:
		a.lastEsc = time.Time{}
		return a.stop()
	case !a.editor.empty():
		return nil
	case time.Since(a.lastEsc) > twice:
		a.lastEsc = time.Now()
		return nil
	}
	a.lastEsc = time.Time{}
	switch a.opt.Settings.DoubleEscape {
	case "branch":
		return a.openBranch()
	case "none":
		return nil
	}
	return a.openTree("")
}

// stop ends a running answer; what has arrived of it is kept.
func (a *app) stop() tea.Cmd {
	ag := a.agent
	return func() tea.Msg { ag.Abort(); return nil }
}

func (a *app) clearOrQuit() tea.Cmd {
	switch {
	case !a.editor.empty():
		a.editor.clear()
		return nil
	case a.answers:
		return a.stop()
	case time.Since(a.lastQuit) < 2*time.Second:
		a.quit = true
		return nil
	}
	a.lastQuit = time.Now()
	return a.say("Ctrl+C again quits")
}

func (a *app) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "ramo"
	if a.status.name != "" {
		v.WindowTitle = "ramo · " + a.status.name
	}
	lines, cursor := a.draw()
	v.SetContent(strings.Join(lines, "\n"))
	v.Cursor = cursor
	return v
}

// draw makes the screen: exactly as many lines as the terminal has.
func (a *app) draw() (lines []string, cursor *tea.Cursor) {
	w, h := a.width, a.height
	switch {
	case w <= 0 || h <= 0:
		return nil, nil
	case w < minWidth || h < minHeight:
		return a.centred(fmt.Sprintf("The terminal is too small: %d×%d.", w, h), fmt.Sprintf("Ramo needs %d×%d.", minWidth, minHeight)), nil
	case a.fail != nil:
		return a.centred(append(wrap(display.Text(a.fail.Error()), max(w-4, 1)), "", a.theme.faint.Render("Esc quits"))...), nil
	case (a.opening != nil || !a.drawn) && a.top() == nil:
		return a.centred(a.drawProgress()...), nil
	}
	top := a.top()
	covered := 0
	if top != nil {
		covered = min(top.rows(w, h), h)
	}
	if covered < h {
		if top == nil {
			lines, cursor = a.drawChat(h)
		} else {
			// A dialog leaves what is under it to be seen: a screen, or the conversation.
			lines = a.drawUnder(len(a.screens)-1, h)
			lines = lines[:min(h-covered, len(lines))]
			for len(lines) < h-covered {
				lines = append(lines, "")
			}
		}
	}
	if top != nil {
		drawn, c := top.render(w, covered)
		for i := range covered {
			l := ""
			if i < len(drawn) {
				l = drawn[i]
			}
			lines = append(lines, l)
		}
		if c != nil {
			c.Y += h - covered
			cursor = c
		}
	}
	return lines, cursor
}

// drawUnder draws what is under the screens from the n-th on.
func (a *app) drawUnder(n, h int) []string {
	for n--; n >= 0; n-- {
		if s := a.screens[n]; s.rows(a.width, h) >= h {
			lines, _ := s.render(a.width, h)
			return lines
		}
	}
	return a.drawConversation(h)
}

func (a *app) drawConversation(rows int) []string {
	lines := make([]string, 0, rows)
	for _, l := range a.frame.lines[:min(rows, len(a.frame.lines))] {
		lines = append(lines, " "+l.text)
	}
	return lines
}

// drawChat draws the conversation, the editor and the status line.
func (a *app) drawChat(h int) (lines []string, cursor *tea.Cursor) {
	editor, cursor := a.editor.render()
	below := append(editor, a.status.render(a))
	if a.notice != "" {
		style := a.theme.warn
		if a.noticeErr {
			style = a.theme.err
		}
		below = append([]string{style.Render(ansi.Truncate(" "+a.notice, a.width, "…"))}, below...)
	}
	rows := max(h-len(below), 0)
	if a.frame.empty {
		lines = a.welcome(rows)
	} else {
		lines = a.drawConversation(rows)
	}
	for len(lines) < rows { // a short conversation stands at the top
		lines = append(lines, "")
	}
	if !a.frame.atEnd && rows > 0 && len(lines) == rows {
		more := "↓ more"
		if a.keys.hint("bottom") != "" {
			more += ": " + a.keys.hint("bottom")
		}
		lines[rows-1] = a.theme.faint.Render(ansi.Truncate(" "+more, a.width, ""))
	}
	if cursor != nil {
		cursor.Y += h - len(editor) - 1
	}
	return append(lines, below...), cursor
}

func (a *app) welcome(rows int) []string {
	t := a.theme
	lines := []string{"", " " + t.user.Render("ramo") + t.faint.Render("  a conversation that is a tree"), ""}
	if !a.status.hasModel {
		lines = append(lines, " "+t.warn.Render("No model is active: ")+"/model shows what there is and what each needs.")
	} else {
		lines = append(lines, " Type a request, and Enter.")
	}
	lines = append(lines, " /resume opens another session, /help shows all keys.")
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, a.width, "…")
	}
	return lines[:min(rows, len(lines))]
}

func (a *app) drawProgress() []string {
	p := a.opening
	if p == nil {
		return []string{a.spinnerSign() + " …"}
	}
	lines := []string{a.spinnerSign() + " " + p.what}
	if p.total > 0 {
		const cells = 30
		full := int(p.done * cells / p.total)
		lines = append(lines, a.theme.accent.Render(strings.Repeat("━", full))+a.theme.faint.Render(strings.Repeat("─", cells-full)),
			fmt.Sprintf("%s of %s", display.Bytes(p.done), display.Bytes(p.total)))
	}
	return append(lines, "", a.theme.faint.Render("Esc cancels"))
}

// centred puts lines into the middle.
func (a *app) centred(text ...string) []string {
	lines := make([]string, 0, a.height)
	for range max(0, (a.height-len(text))/2) {
		lines = append(lines, "")
	}
	for _, l := range text {
		l = ansi.Truncate(l, a.width, "")
		lines = append(lines, strings.Repeat(" ", max(0, (a.width-ansi.StringWidth(l))/2))+l)
	}
	return lines[:min(len(lines), a.height)]
}

// short is a path as people write it.
func short(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
