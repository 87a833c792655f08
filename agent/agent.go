// Package agent is the live session: a session, the active model, the tools and the extensions, and
// the order in which they take their turns (sections 9 to 11 of the specification).
//
// [New] takes an open session. [Agent.Prompt] puts a request to the model and records everything as
// it comes, [Agent.NavigateTree] moves within the session, [Agent.Branch] and [Agent.Fork] go on in
// a new one, [Agent.Compact] shortens the context. One operation runs at a time: another fails with
// [ErrBusy], but for a move, which first stops a running answer. [Agent.Abort] cancels whatever
// runs; a cancelled operation leaves the log and the leaf as they were, and of an answer keeps what
// had arrived.
//
// [Agent.Listen] tells a user interface what happens, while it happens. An Agent is safe for
// concurrent use.
package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// Options say how an agent works. Only Models is needed to chat.
type Options struct {
	Models *model.Registry
	// Model, "provider/modelId", and Thinking, a level, hold whatever the session's path says, until
	// Switch: what it opens has its own.
	Model, Thinking string
	// DefaultModel and DefaultThinking hold where the path says nothing, or names a model that cannot be
	// asked here.
	DefaultModel, DefaultThinking string
	SummaryModel                  string // for branch summaries and compactions; "" is the chat's

	System string // the system prompt
	Tools  []tool.Tool
	// Workspace, if set, says what System and Tools are for the directory that a session is about. It is
	// asked again when a session of another directory is opened. Of the extensions' tools those that are
	// named like one of its are left out.
	Workspace func(dir string) (Workspace, error)
	// Approve is asked before a tool runs that needs it. nil refuses all such calls.
	Approve func(ctx context.Context, call message.Block) (bool, error)

	// Extensions take part in the session, after those of extension.Register.
	Extensions []extension.Extension
	// UI is what extensions may ask of the user. nil makes notices events, and answers questions with
	// extension.ErrNobody.
	UI extension.UI

	// Compaction are the settings for the model's window; the zero value is summary.DefaultSettings.
	Compaction *summary.Settings
	// NewPath names the file of a new session; "" keeps it in memory. nil puts it beside the present
	// one.
	NewPath func(h session.Header) string
	// SessionOptions are for the sessions that the agent opens itself.
	SessionOptions []session.Option
	// BlobDir is where omp keeps images outside of its logs; "" is message.BlobDir.
	BlobDir string
	// MaxRounds is how often in one prompt the model may call tools; 0 is 200.
	MaxRounds int
}

// Workspace is what depends on the directory that a session is about.
type Workspace struct {
	System string // the system prompt
	Tools  []tool.Tool
	Close  func() // when no tool runs there any more; nil does nothing
}

// Errors to tell apart, with errors.Is.
var (
	ErrBusy    = errors.New("busy")
	ErrNoModel = errors.New("no model is active")
	ErrClosed  = errors.New("the agent is closed")
)

// Agent is a live session.
type Agent struct {
	opt  Options
	host *extension.Host

	emitting sync.Mutex // held while listeners are called

	mu        sync.Mutex // guards what follows
	session   *session.Session
	work      Workspace
	model     model.Model // nil: none
	thinking  string
	running   *operation
	commands  []*operation // of extensions, that run
	listeners []*listener
	backlog   []Event // of extensions, from before the first listener
	listened  bool
	closed    bool
}

type operation struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

type listener struct{ f func(Event) }

// New makes a live session of an open one, which the agent closes, and starts the extensions, beside
// the caller: an operation that they take part in waits for them. A model that the session names
// but that cannot be asked here is left out; one that Options name is an error if it is not known.
func New(s *session.Session, o Options) (*Agent, error) {
	if o.Models == nil {
		o.Models = model.NewRegistry(nil)
	}
	if o.MaxRounds <= 0 {
		o.MaxRounds = 200
	}
	for _, name := range []string{o.DefaultModel, o.Model} {
		if name == "" {
			continue
		}
		if _, err := o.Models.Model(name); err != nil {
			return nil, err
		}
	}
	a := &Agent{opt: o, session: s}
	if err := a.adopt(); err != nil {
		return nil, err
	}
	var err error
	if a.work, err = a.workspace(s.Header().Cwd); err != nil {
		return nil, err
	}
	a.startExtensions()
	return a, nil
}

// adopt takes up the model and the thinking level: what was chosen, else what the session's path says, else
// the options' defaults. A model stays when none of them names another that can be asked here.
func (a *Agent) adopt() error {
	c, err := a.session.ContextState("")
	if err != nil {
		return err
	}
	own := c.Models["default"]
	if !a.opt.Models.Usable(own) {
		own = ""
	}
	for _, name := range []string{a.opt.Model, own, a.opt.DefaultModel} {
		if m, err := a.opt.Models.Model(name); err == nil {
			a.model = m
			break
		}
	}
	switch {
	case a.opt.Thinking != "":
		a.thinking = a.opt.Thinking
	case !c.ThinkingSet && a.opt.DefaultThinking != "":
		a.thinking = a.opt.DefaultThinking
	default:
		a.thinking = c.ThinkingLevel
	}
	return nil
}

// workspace is what the options say of a directory.
func (a *Agent) workspace(dir string) (Workspace, error) {
	if a.opt.Workspace == nil {
		return Workspace{System: a.opt.System, Tools: a.opt.Tools}, nil
	}
	return a.opt.Workspace(dir)
}

func (w Workspace) close() {
	if w.Close != nil {
		w.Close()
	}
}

// Close ends what runs, stops the extensions and closes the session.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.Abort()
	a.host.Close()
	a.mu.Lock()
	work := a.work
	a.work = Workspace{}
	a.mu.Unlock()
	work.close()
	return a.Session().Close()
}

// Session is the present session. Branch, Fork, NewSession and Switch change it.
func (a *Agent) Session() *session.Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

// Model is the active model; ok is false when there is none.
func (a *Agent) Model() (info model.Info, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.model == nil {
		return model.Info{}, false
	}
	return a.model.Info(), true
}

// Thinking is the thinking level.
func (a *Agent) Thinking() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.thinking
}

// Running is the name of the running operation, "" for none.
func (a *Agent) Running() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		return ""
	}
	return a.running.name
}

// Abort cancels the running operation and the commands of extensions, and waits until they have
// ended. It tells whether anything ran.
func (a *Agent) Abort() bool {
	a.mu.Lock()
	all := slices.Clone(a.commands)
	if a.running != nil {
		all = append(all, a.running)
	}
	a.mu.Unlock()
	for _, op := range all {
		op.cancel()
	}
	for _, op := range all {
		<-op.done
	}
	return len(all) > 0
}

// The names of operations.
const (
	opPrompt   = "prompt"
	opNavigate = "navigate"
	opBranch   = "branch"
	opFork     = "fork"
	opSwitch   = "switch"
	opCompact  = "compact"
	opSet      = "set"
)

// begin starts an operation: it waits for nothing, but for an answer that it stops. end must be
// called.
func (a *Agent) begin(ctx context.Context, name string) (_ context.Context, end func(), _ error) {
	for {
		a.mu.Lock()
		if a.closed {
			a.mu.Unlock()
			return nil, nil, ErrClosed
		}
		other := a.running
		if other == nil {
			ctx, cancel := context.WithCancel(ctx)
			op := &operation{name, cancel, make(chan struct{})}
			a.running = op
			a.mu.Unlock()
			return ctx, func() {
				cancel()
				a.mu.Lock()
				a.running = nil
				a.mu.Unlock()
				close(op.done)
			}, nil
		}
		a.mu.Unlock()
		stops := name == opNavigate || name == opBranch || name == opFork || name == opSwitch
		if !stops || other.name != opPrompt {
			return nil, nil, fmt.Errorf("%w: %s is running; wait for it, or abort it", ErrBusy, other.name)
		}
		other.cancel()
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// Listen has f called with each event, in order, from the goroutine of the operation or of an
// extension: it must not block, and not start another operation. The first to listen hears what the
// extensions had to say until then. off ends that.
func (a *Agent) Listen(f func(Event)) (off func()) {
	l := &listener{f}
	if !a.hear(l) {
		a.emitting.Lock() // what comes meanwhile waits for what came before
		defer a.emitting.Unlock()
		a.mu.Lock()
		old := a.backlog
		a.backlog, a.listened, a.listeners = nil, true, append(a.listeners, l)
		a.mu.Unlock()
		for _, e := range old {
			f(e)
		}
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		for i, x := range a.listeners {
			if x == l {
				a.listeners = append(a.listeners[:i:i], a.listeners[i+1:]...)
				return
			}
		}
	}
}

// hear adds a listener, unless it is the first.
func (a *Agent) hear(l *listener) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listened {
		a.listeners = append(a.listeners, l)
	}
	return a.listened
}

// maxBacklog is how many events are kept for the first listener.
const maxBacklog = 256

func (a *Agent) emit(e Event) {
	a.emitting.Lock() // one event after the other, also where one operation ends and the next begins
	defer a.emitting.Unlock()
	a.mu.Lock()
	all := a.listeners
	if !a.listened && len(a.backlog) < maxBacklog && e.ofExtensions() {
		a.backlog = append(a.backlog, e)
	}
	a.mu.Unlock()
	for _, l := range all {
		l.f(e)
	}
}

// SetModel makes a model the active one and notes it on the path. It takes "provider/modelId".
func (a *Agent) SetModel(ctx context.Context, name string) error {
	m, err := a.opt.Models.Model(name)
	if err != nil {
		return err
	}
	ctx, end, err := a.begin(ctx, opSet)
	if err != nil {
		return err
	}
	defer end()
	e, err := a.Session().Append(ctx, session.ModelChange{Model: m.Info().Ref()})
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.model, a.opt.Model = m, name
	a.mu.Unlock()
	a.emit(Event{Type: ModelChanged, Entry: e, Text: name})
	return nil
}

// SetThinkingLevel sets how much the model thinks and notes it on the path.
func (a *Agent) SetThinkingLevel(ctx context.Context, level string) error {
	if !validLevel(level) {
		return fmt.Errorf("the thinking level is one of %v, not %q", model.Levels, level)
	}
	ctx, end, err := a.begin(ctx, opSet)
	if err != nil {
		return err
	}
	defer end()
	e, err := a.Session().Append(ctx, session.ThinkingLevelChange{Level: level})
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.thinking, a.opt.Thinking = level, level
	a.mu.Unlock()
	a.emit(Event{Type: ThinkingChanged, Entry: e, Text: level})
	return nil
}

func validLevel(level string) bool {
	for _, l := range model.Levels {
		if l == level {
			return true
		}
	}
	return false
}
