package extension

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Live is the live session that extensions work on: package agent's Agent.
type Live interface {
	// Session is the present session.
	Session() *session.Session
	// Append appends to it at the leaf.
	Append(ctx context.Context, b session.Body) (session.Entry, error)
	NavigateTree(ctx context.Context, target string, o NavigateOptions) (Navigation, error)
	Branch(ctx context.Context, entryID string) (Branching, error)
}

// NavigateOptions say how NavigateTree moves.
type NavigateOptions struct {
	Summarize    bool   // carry along what the abandoned path taught
	Instructions string // for the summary
	SummaryModel string // that writes it; "" is the one of the options, else the active one
}

// Navigation is what NavigateTree did.
type Navigation struct {
	OldLeaf, NewLeaf string // "" for none
	AlreadyThere     bool   // the target was the leaf: nothing happened
	Cancelled        bool   // by the user or an extension: the leaf is where it was
	Reason           string // why an extension cancelled
	// A request that was chosen comes back for the editor.
	EditorText   string
	Images       []message.Block
	Again        bool // EditorText and Images are those of a request, even if empty
	SummaryEntry session.Entry
	// FromExtension tells that the summary is an extension's.
	FromExtension bool
}

// Branching is what Branch did.
type Branching struct {
	Path       string // of the new session; "" in memory
	EditorText string // the request, for the editor
	Images     []message.Block
	Cancelled  bool // by an extension
	Reason     string
	// SkipRestore tells that an extension asked not to restore the conversation.
	SkipRestore bool
}

// Reader reads a session; *session.Session is one.
type Reader interface {
	Path() string
	Header() session.Header
	Name() string
	Len() int
	Leaf() (leaf session.Entry, ok bool)
	Entry(id string) (session.Entry, bool)
	Find(name string) (session.Entry, error)
	Entries() iter.Seq[session.Entry]
	Branch(from string) iter.Seq2[session.Entry, error]
	Roots() []session.Entry
	Children(id string) []session.Entry
	Tree() iter.Seq[session.Node]
	Label(id string) string
	Labels() []session.Label
	Context(leaf string) (*session.Context, error)
}

// Session is the live session as a handler sees it, until the handler has returned or is given up. It
// is safe for concurrent use.
type Session struct {
	m     *member
	ctx   context.Context // of the call
	clock *clock
}

// Read is the present session.
func (s *Session) Read() Reader { return s.m.host.live.Session() }

// AppendEntry appends an entry of the extension's own at the leaf, which no model sees. data is any
// JSON value, or nil. A session_before_… event is no time for it: what comes would not know of it.
func (s *Session) AppendEntry(ctx context.Context, customType string, data json.RawMessage) (session.Entry, error) {
	return s.append(ctx, session.Custom{CustomType: customType, Data: data})
}

// AppendMessage appends a message at the leaf, which the model sees. When it may be called is as with
// AppendEntry.
func (s *Session) AppendMessage(ctx context.Context, m session.CustomMessage) (session.Entry, error) {
	return s.append(ctx, m)
}

func (s *Session) append(ctx context.Context, b session.Body) (session.Entry, error) {
	ctx, done, err := s.during(ctx)
	if err != nil {
		return session.Entry{}, err
	}
	defer done()
	return s.m.host.append(ctx, b)
}

// during is ctx, ended with the call too.
func (s *Session) during(ctx context.Context) (context.Context, func(), error) {
	if s.ctx.Err() != nil {
		return nil, nil, errors.New("the handler's time is over")
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }, nil
}

// UI is the user's. The time a question takes does not count as the handler's.
func (s *Session) UI() UI { return patient{s} }

// CommandSession is the live session as a command sees it.
type CommandSession struct{ *Session }

// NavigateTree moves within the session. What is running is stopped or refuses it, as with any move,
// and extensions are asked, this one too.
func (s *CommandSession) NavigateTree(ctx context.Context, target string, o NavigateOptions) (Navigation, error) {
	ctx, done, err := s.during(ctx)
	if err != nil {
		return Navigation{}, err
	}
	defer done()
	return s.m.host.live.NavigateTree(ctx, target, o)
}

// Branch makes a new session of the way to before a request, and goes on there.
func (s *CommandSession) Branch(ctx context.Context, entryID string) (Branching, error) {
	ctx, done, err := s.during(ctx)
	if err != nil {
		return Branching{}, err
	}
	defer done()
	return s.m.host.live.Branch(ctx, entryID)
}
