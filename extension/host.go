package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/session"
)

// How long the starting of all extensions and their session_shutdown handlers may take: all start at
// once, and end one after the other.
const (
	StartTimeout    = 10 * time.Second
	ShutdownTimeout = 2 * time.Second
)

// ErrNoCommand is what RunCommand returns when no extension has the command.
var ErrNoCommand = errors.New("no extension has this command")

// Host runs the extensions of one live session. It is safe for concurrent use.
type Host struct {
	live   Live
	user   UI
	report func(Trouble)
	taken  map[string]bool // names of tools that are not the extensions'

	cancel  context.CancelFunc // of starting
	ready   chan struct{}      // closed when what follows is set
	members []*member
	command map[string]*member
	infos   []CommandInfo
	tools   []tool.Tool

	asking atomic.Int32 // events that come before something: no time to append
	ending sync.Once

	mu    sync.Mutex // guards what follows
	stops []func()   // of what was launched
	ended bool
}

// HostOptions say what a Host works with; all but ToolNames must be set.
type HostOptions struct {
	Live      Live
	UI        UI
	Report    func(Trouble) // is called one or several at a time, and must be quick
	Ready     func()        // is called once, when commands and tools are known
	ToolNames []string      // that extensions cannot have
}

// member is an extension at work.
type member struct {
	API
	host *Host
	late atomic.Int32 // calls that were too slow and have not come back
}

// Start starts the extensions, beside the caller: what needs them waits. Close must be called.
func Start(o HostOptions, list []Extension) *Host {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Host{live: o.Live, user: o.UI, report: o.Report, cancel: cancel, ready: make(chan struct{}), taken: map[string]bool{}, command: map[string]*member{}}
	for _, name := range o.ToolNames {
		h.taken[name] = true
	}
	go func() {
		h.start(ctx, list)
		close(h.ready)
		if len(h.members) > 0 {
			o.Ready()
		}
	}()
	return h
}

func (h *Host) start(ctx context.Context, list []Extension) {
	all := make([]*member, len(list))
	var setups sync.WaitGroup
	for i, e := range list {
		m := &member{host: h, API: API{Name: e.name, Timeout: e.timeout}}
		setups.Go(func() {
			_, err := call(ctx, m, StartTimeout, func(ctx context.Context, _ *Session) (struct{}, error) { return struct{}{}, e.setup(ctx, m) })
			if err != nil && ctx.Err() != nil {
				return // closed before it had started
			}
			if err != nil {
				// Of one that is still at it nothing is touched any more.
				h.trouble(&member{API: API{Name: e.name}}, "start", fmt.Errorf("%w; it is left out", err))
				return
			}
			all[i] = m
		})
	}
	setups.Wait()
	for _, m := range all {
		if m != nil {
			h.members = append(h.members, m)
			h.takeCommands(m)
			h.takeTools(m)
		}
	}
	_ = h.eachOf(ctx, SessionStart{}, nothing)
}

var (
	commandName = regexp.MustCompile(`^[\pL\pN][\pL\pN_:.-]{0,63}$`)
	toolName    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // what all providers take
)

func (h *Host) takeCommands(m *member) {
	for _, c := range m.commands {
		switch {
		case !commandName.MatchString(c.Name):
			h.trouble(m, "start", fmt.Errorf("%q cannot be the name of a command", c.Name))
		case h.command[c.Name] != nil:
			h.trouble(m, "start", fmt.Errorf("its command /%s is left out: %s has one of that name", c.Name, h.command[c.Name].Name))
		default:
			h.command[c.Name] = m
			h.infos = append(h.infos, c.CommandInfo)
		}
	}
}

func (h *Host) takeTools(m *member) {
	for _, t := range m.tools {
		var schema map[string]any
		switch {
		case !toolName.MatchString(t.Name):
			h.trouble(m, "start", fmt.Errorf("%q cannot be the name of a tool", t.Name))
		case h.taken[t.Name]:
			h.trouble(m, "start", fmt.Errorf("its tool %s is left out: there is one of that name", t.Name))
		case json.Unmarshal(t.Parameters, &schema) != nil || schema["type"] != "object":
			h.trouble(m, "start", fmt.Errorf(`its tool %s is left out: its parameters are no JSON Schema with "type":"object"`, t.Name))
		case t.Run == nil:
			h.trouble(m, "start", fmt.Errorf("its tool %s is left out: it has no function", t.Name))
		default:
			h.taken[t.Name] = true
			run := t.Run
			t.Run = func(ctx context.Context, args json.RawMessage) (tool.Result, error) {
				return call(ctx, m, 0, func(ctx context.Context, _ *Session) (tool.Result, error) { return run(ctx, args) })
			}
			h.tools = append(h.tools, t)
		}
	}
}

// Wait waits until all extensions have started.
func (h *Host) Wait(ctx context.Context) error {
	select {
	case <-h.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Host) started() bool {
	select {
	case <-h.ready:
		return true
	default:
		return false
	}
}

// Commands are the extensions' commands, none before they have started.
func (h *Host) Commands() []CommandInfo {
	if !h.started() {
		return nil
	}
	return h.infos[:len(h.infos):len(h.infos)]
}

// Tools are the extensions' tools, none before they have started.
func (h *Host) Tools() []tool.Tool {
	if !h.started() {
		return nil
	}
	return h.tools[:len(h.tools):len(h.tools)]
}

// RunCommand runs a command until it returns or ctx is done.
func (h *Host) RunCommand(ctx context.Context, name, args string) error {
	if err := h.Wait(ctx); err != nil {
		return err
	}
	m := h.command[name]
	if m == nil {
		return fmt.Errorf("%w: /%s", ErrNoCommand, name)
	}
	for _, c := range m.commands {
		if c.Name != name {
			continue
		}
		_, err := call(ctx, m, 0, func(ctx context.Context, s *Session) (struct{}, error) {
			return struct{}{}, c.run(ctx, &CommandSession{s}, args)
		})
		if err != nil {
			return Trouble{m.Name, "/" + name, err}
		}
		return nil
	}
	return nil
}

// Close tells the extensions that the session ends, and stops them. The session is still open then.
func (h *Host) Close() {
	h.ending.Do(func() {
		h.cancel()
		<-h.ready
		ctx, cancel := context.WithTimeout(context.Background(), ShutdownTimeout)
		defer cancel()
		_ = h.eachOf(ctx, SessionShutdown{}, nothing) // who used the time up was reported
		h.mu.Lock()
		h.ended = true
		h.mu.Unlock()
		var stopping sync.WaitGroup
		for _, stop := range h.stops {
			stopping.Go(stop)
		}
		stopping.Wait()
	})
}

// launch starts something that Close stops, also if whoever wanted it was given up meanwhile.
func (h *Host) launch(start func() error, stop func()) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return errGone
	}
	if err := start(); err != nil {
		return err
	}
	h.stops = append(h.stops, stop)
	return nil
}

func (h *Host) trouble(m *member, during string, err error) { h.report(Trouble{m.Name, during, err}) }

func (m *member) ui() UI { return named{m.host.user, m.Name} }

func (h *Host) append(ctx context.Context, b session.Body) (session.Entry, error) {
	if h.asking.Load() > 0 {
		return session.Entry{}, errors.New("not while extensions are asked about what comes next: append when it has happened")
	}
	return h.live.Append(ctx, b)
}

// each calls the handlers of an event, in order, and gives take what they answer. take tells whether
// that is enough; an error is the extension's.
func (h *Host) each(ctx context.Context, e event, take func(m *member, answer any) (enough bool, err error)) error {
	if err := h.Wait(ctx); err != nil {
		return err
	}
	return h.eachOf(ctx, e, take)
}

func (h *Host) eachOf(ctx context.Context, e event, take func(*member, any) (bool, error)) error {
	for _, m := range h.members {
		for _, f := range m.handlers[e.name()] {
			if err := ctx.Err(); err != nil {
				return err
			}
			if m.late.Load() > 0 {
				continue
			}
			limit := m.Timeout
			if limit <= 0 {
				limit = DefaultTimeout
			}
			answer, err := call(ctx, m, limit, func(ctx context.Context, s *Session) (any, error) { return f(ctx, s, e) })
			if ctx.Err() != nil {
				if errors.Is(ctx.Err(), context.DeadlineExceeded) {
					h.trouble(m, e.name(), fmt.Errorf("%w: the time for all was up", errTooSlow))
				}
				return ctx.Err()
			}
			enough := false
			if err == nil {
				enough, err = take(m, answer)
			}
			if err != nil && !errors.Is(err, errGone) {
				h.trouble(m, e.name(), err)
			}
			if enough {
				return nil
			}
		}
	}
	return nil
}

func nothing(*member, any) (bool, error) { return false, nil }
