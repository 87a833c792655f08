package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/internal/wire"
	"github.com/ramo-dev/ramo/message"
)

// The limits on what a program says. One that passes MaxNoise is stopped.
const (
	MaxLine  = 16 << 20 // bytes of one message
	MaxNoise = 1 << 20  // bytes in all that are no messages
)

const (
	stopGrace  = time.Second            // between the end of its input and the end of the program
	drainGrace = 500 * time.Millisecond // for output that a process which left the group holds open
	maxJobs    = 16                     // requests of a program that run at once
	maxTimeout = 10 * time.Minute       // that a program may claim
	noticeRate = rate.Limit(20)         // notices and appended entries, a second
	noticeRun  = 100                    // of them in one go
	lastWords  = 2 << 10                // bytes of standard error that are kept
	longText   = 4000                   // bytes of a text for the user
)

// Program is an extension in any language: it is started with each live session, and speaks JSON-RPC
// 2.0 on its standard input and output, one message a line. docs/extensions.md lists the messages.
type Program struct {
	Command []string      // the program, a path or to be found on PATH, and its arguments
	Dir     string        // where it runs; "" is the directory of this process
	Env     []string      // its environment; nil is that of this process
	Timeout time.Duration // for each event; 0 is what the program asks for, else DefaultTimeout
}

// Extension is the program as an extension.
func (p Program) Extension() Extension {
	return Extension{name: p.name(), timeout: p.Timeout, setup: p.start}
}

// name is that of the program, and not of the interpreter which runs it.
func (p Program) name() string {
	for i, arg := range p.Command {
		if i > 0 && !strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, `./\`) {
			return filepath.Base(arg)
		}
	}
	if len(p.Command) == 0 {
		return "?"
	}
	return filepath.Base(p.Command[0])
}

// program is a running Program.
type program struct {
	m      *member
	cmd    *exec.Cmd
	lines  chan []byte // to write; an empty one ends its input
	ctx    context.Context
	cancel context.CancelFunc // of its requests
	gone   chan struct{}      // closed when the process has ended and all was read
	pace   *rate.Limiter
	stderr tail
	jobs   sync.WaitGroup
	free   chan struct{} // a place for each job

	mu      sync.Mutex // guards what follows
	name    string
	next    int
	waiting map[string]chan incoming
	calls   []activeCall
	told    map[string]bool // kinds of trouble that were reported
	up      bool            // it has started, and nobody stops it: its end is worth a report
	noise   int
	end     error // why it was stopped, or how it ended
}

// activeCall is a call that the program is at.
type activeCall struct {
	*Session
	command *CommandSession // nil for an event
}

// start starts the program and asks what it wants. It is a setup function.
func (p Program) start(ctx context.Context, m *member) error {
	if len(p.Command) == 0 {
		return errors.New("its command is empty")
	}
	r := &program{
		m: m, lines: make(chan []byte, 64), gone: make(chan struct{}), pace: rate.NewLimiter(noticeRate, noticeRun),
		free: make(chan struct{}, maxJobs), name: m.Name, waiting: map[string]chan incoming{}, told: map[string]bool{},
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	if err := m.host.launch(func() error { return r.run(p) }, func() { r.stop(stopGrace) }); err != nil {
		r.cancel()
		return fmt.Errorf("cannot start: %w", err)
	}
	var hello hello
	if err := r.greet(ctx, &hello); err != nil {
		r.stop(0)
		return err
	}
	r.adopt(hello)
	return nil
}

// greet shakes hands, and gives up when ctx is done.
func (r *program) greet(ctx context.Context, h *hello) error {
	answered := make(chan error, 1)
	go func() {
		answered <- r.request(ctx, "initialize", map[string]any{
			"protocol": 1, "events": eventNames(), "session": wire.InfoOf(r.m.host.live.Session()),
		}, h)
	}()
	select {
	case err := <-answered:
		if errors.Is(err, errGone) {
			return r.ended()
		}
		if err != nil {
			return fmt.Errorf("initialize: %w", err)
		}
		return nil
	case <-ctx.Done():
		return errors.New("it did not answer initialize in time")
	}
}

// hello is the answer to initialize.
type hello struct {
	Name      string   `json:"name"`
	TimeoutMS int64    `json:"timeoutMs"`
	Events    []string `json:"events"`
	Commands  []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"commands"`
	Tools []struct {
		Name          string          `json:"name"`
		Description   string          `json:"description"`
		Parameters    json.RawMessage `json:"parameters"`
		NeedsApproval bool            `json:"needsApproval"`
	} `json:"tools"`
}

// adopt registers what the program wants.
func (r *program) adopt(h hello) {
	api := &r.m.API
	if h.Name != "" {
		if commandName.MatchString(h.Name) {
			api.Name = h.Name
		} else {
			r.once("name", fmt.Errorf("%.100q cannot be its name", h.Name))
		}
	}
	r.mu.Lock()
	r.name, r.up = api.Name, true
	r.mu.Unlock()
	if t := time.Duration(h.TimeoutMS) * time.Millisecond; api.Timeout == 0 && h.TimeoutMS > 0 && h.TimeoutMS <= maxTimeout.Milliseconds() {
		api.Timeout = t
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(h.Events, EventSessionShutdown)))) {
		if forward, ok := forwards[name]; ok {
			forward(r, api)
		} else {
			r.once("event "+name, fmt.Errorf("it wants %.100q, which is no event", name))
		}
	}
	for _, c := range h.Commands {
		api.Command(CommandInfo{c.Name, short(c.Description)}, func(ctx context.Context, s *CommandSession, args string) error {
			defer r.enter(activeCall{s.Session, s})()
			return r.request(ctx, "command", map[string]string{"name": c.Name, "args": args}, nil)
		})
	}
	for _, t := range h.Tools {
		if t.Parameters == nil {
			t.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		api.Tool(tool.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, NeedsApproval: t.NeedsApproval,
			Run: func(ctx context.Context, args json.RawMessage) (tool.Result, error) {
				return r.runTool(ctx, t.Name, args)
			}})
	}
}

func (r *program) runTool(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	var a struct {
		Content json.RawMessage `json:"content"`
		Details json.RawMessage `json:"details"`
		IsError bool            `json:"isError"`
	}
	if err := r.request(ctx, "tool", map[string]any{"name": name, "arguments": args}, &a); err != nil {
		if errors.Is(err, errGone) {
			err = r.ended()
		}
		return tool.Result{}, err
	}
	result := tool.Result{Details: a.Details, IsError: a.IsError}
	var text string
	if json.Unmarshal(a.Content, &text) == nil {
		result.Content = []message.Block{message.Text(text)}
		return result, nil
	}
	var err error
	if result.Content, err = blocks(a.Content); err != nil {
		return tool.Result{}, fmt.Errorf("the extension's answer: %w", err)
	}
	return result, nil
}

// blocks decodes a content that is not a string.
func blocks(content json.RawMessage) (list []message.Block, err error) {
	if json.Unmarshal(content, &list) != nil || list == nil {
		return nil, errors.New("content must be a string, or a list of blocks")
	}
	for _, b := range list {
		if b.Type != message.BlockText && b.Type != message.BlockImage {
			return nil, fmt.Errorf("content has a block %.100q: only text and image can be", b.Type)
		}
	}
	return list, nil
}

// enter notes a call that the program is at, until leave is called.
func (r *program) enter(c activeCall) (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls = slices.DeleteFunc(r.calls, func(x activeCall) bool { return x.Session == c.Session })
	}
}

// latest is the latest call that is the program's to act for; ok is false if there is none.
func (r *program) latest(is func(activeCall) bool) (c activeCall, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range slices.Backward(r.calls) {
		if is(c) && c.ctx.Err() == nil {
			return c, true
		}
	}
	return activeCall{}, false
}

// once reports a kind of trouble once.
func (r *program) once(kind string, err error) {
	r.mu.Lock()
	first := !r.told[kind]
	r.told[kind] = true
	name := r.name
	r.mu.Unlock()
	if first {
		r.m.host.report(Trouble{Extension: name, Err: err})
	}
}

// short is a text for the user, and not a book.
func short(text string) string {
	if len(text) <= longText {
		return text
	}
	return strings.ToValidUTF8(text[:longText], "") + "…"
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-lastWords):]...)
	if len(t.b) > lastWords {
		t.b = append(t.b[:0], t.b[len(t.b)-lastWords:]...)
	}
	return len(p), nil
}

// lines are the last few, on one.
func (t *tail) lines() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var kept []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.b), "")) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-5):], " / ")
}

// run starts the process and what reads and writes for it.
func (r *program) run(p Program) error {
	r.cmd = exec.Command(p.Command[0], p.Command[1:]...)
	r.cmd.Dir, r.cmd.Env = p.Dir, p.Env
	ownGroup(r.cmd)
	// Pipes of our own: os/exec's are closed as soon as the process has ended, with what is still in them.
	var mine, its []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	for range 3 {
		read, write, err := os.Pipe()
		if err != nil {
			closeAll(mine)
			closeAll(its)
			return err
		}
		if len(its) == 0 {
			read, write = write, read // of its input we have the other end
		}
		mine, its = append(mine, read), append(its, write)
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = its[0], its[1], its[2]
	err := r.cmd.Start()
	closeAll(its)
	if err != nil {
		closeAll(mine)
		return err
	}
	var reading, writing sync.WaitGroup
	writing.Go(func() { r.write(mine[0]) })
	reading.Go(func() { r.read(mine[1]) })
	reading.Go(func() { r.readErrors(mine[2]) })
	go func() {
		err := r.cmd.Wait()
		killGroup(r.cmd.Process) // what it has started ends with it
		drained := time.AfterFunc(drainGrace, func() { closeAll(mine[1:]) })
		reading.Wait()
		drained.Stop()
		r.finish(err)
		r.cancel()
		closeAll(mine)
		writing.Wait()
		r.jobs.Wait()
		close(r.gone)
	}()
	return nil
}

// finish notes how the program ended, and reports it if nobody wanted that.
func (r *program) finish(err error) {
	r.mu.Lock()
	if r.end == nil {
		how := "it has ended"
		if err != nil {
			how += " with " + err.Error()
		}
		if words := r.stderr.lines(); words != "" {
			how += "; its last words: " + words
		}
		r.end = errors.New(how)
	}
	crashed, name, how := r.up, r.name, r.end
	r.up = false
	r.mu.Unlock()
	if crashed {
		r.m.host.report(Trouble{Extension: name, Err: fmt.Errorf("%w; it is left out from here on", how)})
	}
}

// ended is how the program ended.
func (r *program) ended() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

// stop ends the program's input, waits for it to end, and then ends it.
func (r *program) stop(grace time.Duration) {
	r.mu.Lock()
	r.up = false
	r.mu.Unlock()
	patience := time.NewTimer(grace)
	defer patience.Stop()
	if grace > 0 {
		select {
		case r.lines <- nil:
		case <-r.gone:
		case <-patience.C:
			patience.Reset(0)
		}
	}
	select {
	case <-r.gone:
	case <-patience.C:
		killGroup(r.cmd.Process)
		<-r.gone
	}
}
