package extension

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/ramo-dev/ramo/agent/tool"
)

// DefaultTimeout is how long an extension has for one event, unless it says otherwise. Time that it
// waits for the user's answer does not count; commands and tools have no limit but the user's patience.
const DefaultTimeout = 5 * time.Second

// Extension is something that takes part in sessions: what New and Program.Extension return.
type Extension struct {
	name    string
	timeout time.Duration
	setup   func(ctx context.Context, m *member) error // fills in the member's API
}

// New makes an extension of a function, which is called once for each live session, before the
// session_start event.
func New(name string, f func(*API)) Extension {
	return Extension{name: name, setup: func(_ context.Context, m *member) error {
		f(&m.API)
		return nil
	}}
}

// Register adds an extension to every session that is opened from here on: usually from an init
// function. It is named after the function until that sets API.Name. It is safe for concurrent use.
func Register(f func(*API)) {
	registry.Lock()
	defer registry.Unlock()
	name := path.Base(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
	registry.list = append(registry.list, New(name, f))
}

var registry struct {
	sync.Mutex
	list []Extension
}

// Registered are the extensions of Register, in order.
func Registered() []Extension {
	registry.Lock()
	defer registry.Unlock()
	return registry.list[:len(registry.list):len(registry.list)]
}

// API is where an extension says what it wants to hear of and what it adds. It is of use only while
// the function that got it runs.
//
// Handlers of one event run in the order of registration. Their ctx is cancelled when the user
// presses Esc and when their time is up; from then on nobody waits for them, and their Session takes
// no more orders.
type API struct {
	Name    string        // for messages to the user
	Timeout time.Duration // for each of its handlers; 0 is what the settings say, or DefaultTimeout

	handlers map[string][]handler
	commands []command
	tools    []tool.Tool
}

type handler func(ctx context.Context, s *Session, e event) (answer any, err error)

type command struct {
	CommandInfo
	run func(ctx context.Context, s *CommandSession, args string) error
}

// Command adds a command: "/name" in the app. It runs until it returns or the user presses Esc, beside
// whatever else happens.
func (a *API) Command(info CommandInfo, run func(ctx context.Context, s *CommandSession, args string) error) {
	a.commands = append(a.commands, command{info, run})
}

// Tool adds a tool for the model. One that has the name of another is left out, and that is reported.
func (a *API) Tool(t tool.Tool) { a.tools = append(a.tools, t) }

// OnSessionStart has f told that the session has started.
func (a *API) OnSessionStart(f func(context.Context, *Session, SessionStart) error) { tell(a, f) }

// OnSessionBeforeSwitch has f asked before another session takes this one's place.
func (a *API) OnSessionBeforeSwitch(f func(context.Context, *Session, SessionBeforeSwitch) (Decision, error)) {
	ask(a, f)
}

// OnSessionSwitch has f told that another session took the place of the one before.
func (a *API) OnSessionSwitch(f func(context.Context, *Session, SessionSwitch) error) { tell(a, f) }

// OnSessionBeforeTree has f asked before a move within the session.
func (a *API) OnSessionBeforeTree(f func(context.Context, *Session, SessionBeforeTree) (TreeAnswer, error)) {
	ask(a, f)
}

// OnSessionTree has f told of a move.
func (a *API) OnSessionTree(f func(context.Context, *Session, SessionTree) error) { tell(a, f) }

// OnSessionBeforeBranch has f asked before a branch becomes a session.
func (a *API) OnSessionBeforeBranch(f func(context.Context, *Session, SessionBeforeBranch) (BranchAnswer, error)) {
	ask(a, f)
}

// OnSessionBranch has f told that a branch became a session.
func (a *API) OnSessionBranch(f func(context.Context, *Session, SessionBranch) error) { tell(a, f) }

// OnSessionBeforeCompact has f asked before a compaction.
func (a *API) OnSessionBeforeCompact(f func(context.Context, *Session, SessionBeforeCompact) (CompactAnswer, error)) {
	ask(a, f)
}

// OnSessionCompacting has f asked for what the summary of a compaction should heed.
func (a *API) OnSessionCompacting(f func(context.Context, *Session, SessionCompacting) (CompactingAnswer, error)) {
	ask(a, f)
}

// OnSessionCompact has f told of a compaction.
func (a *API) OnSessionCompact(f func(context.Context, *Session, SessionCompact) error) { tell(a, f) }

// OnSessionShutdown has f told that the session ends.
func (a *API) OnSessionShutdown(f func(context.Context, *Session, SessionShutdown) error) { tell(a, f) }

func ask[E event, A any](a *API, f func(context.Context, *Session, E) (A, error)) {
	var e E
	a.handle(e.name(), func(ctx context.Context, s *Session, e event) (any, error) { return f(ctx, s, e.(E)) })
}

func tell[E event](a *API, f func(context.Context, *Session, E) error) {
	var e E
	a.handle(e.name(), func(ctx context.Context, s *Session, e event) (any, error) { return nil, f(ctx, s, e.(E)) })
}

func (a *API) handle(event string, h handler) {
	if a.handlers == nil {
		a.handlers = map[string][]handler{}
	}
	a.handlers[event] = append(a.handlers[event], h)
}

// Trouble is something that an extension did wrong.
type Trouble struct {
	Extension string
	During    string // an event, "/name" of a command, "start"; "" for none of them
	Err       error
}

func (t Trouble) Error() string {
	if t.During == "" {
		return fmt.Sprintf("extension %s: %v", t.Extension, t.Err)
	}
	return fmt.Sprintf("extension %s, %s: %v", t.Extension, t.During, t.Err)
}

func (t Trouble) Unwrap() error { return t.Err }
