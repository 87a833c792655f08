package extension

import (
	"context"
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
