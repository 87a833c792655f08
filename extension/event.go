package extension

import (
	"encoding/json"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// The names of the events (section 14).
const (
	EventSessionStart         = "session_start"
	EventSessionBeforeSwitch  = "session_before_switch"
	EventSessionSwitch        = "session_switch"
	EventSessionBeforeTree    = "session_before_tree"
	EventSessionTree          = "session_tree"
	EventSessionBeforeBranch  = "session_before_branch"
	EventSessionBranch        = "session_branch"
	EventSessionBeforeCompact = "session_before_compact"
	EventSessionCompacting    = "session.compacting"
	EventSessionCompact       = "session_compact"
	EventSessionShutdown      = "session_shutdown"
)

// event is one of the types below.
type event interface{ name() string }

// Decision is what a handler of a session_before_… event answers. The zero value has no objection.
type Decision struct {
	Cancel bool   `json:"cancel"`
	Reason string `json:"reason"` // for the user
}

// SessionStart comes first, once the session is open and the extensions have started.
type SessionStart struct{}

// SessionBeforeSwitch comes before another session is opened in the place of this one.
type SessionBeforeSwitch struct {
	Reason string // SwitchNew, SwitchResume or SwitchFork
	Target string // the path of the session to open, of SwitchResume
}

// SessionSwitch comes when another session has been opened.
type SessionSwitch struct {
	Reason   string
	Previous string // the path of the session before; "" for one in memory
}

// Why a session is switched.
const (
	SwitchNew    = "new"
	SwitchResume = "resume"
	SwitchFork   = "fork"
)

// SessionBeforeTree comes before a move within the session (section 9).
type SessionBeforeTree struct {
	TargetID         string
	OldLeafID        string          // "" for none
	CommonAncestorID string          // "" for none
	Entries          []session.Entry // what a summary would be of, oldest first
	UserWantsSummary bool
}

// TreeAnswer is the answer to SessionBeforeTree. The summary is used if one was asked for; of several,
// the first.
type TreeAnswer struct {
	Decision
	Summary *Summary `json:"summary"`
}

// Summary is a branch summary that an extension supplies.
type Summary struct {
	Summary string          `json:"summary"`
	Details json.RawMessage `json:"details"` // nil, or any JSON value
}

// SessionTree comes when the leaf has moved.
type SessionTree struct {
	NewLeafID, OldLeafID string        // "" for none
	SummaryEntry         session.Entry // the zero Entry when no summary was made
	FromExtension        bool          // the summary is an extension's
}

// SessionBeforeBranch comes before a branch is made a session of its own (section 10).
type SessionBeforeBranch struct {
	EntryID string // the request that the branch goes to before
}

// BranchAnswer is the answer to SessionBeforeBranch.
type BranchAnswer struct {
	Decision
	SkipRestore bool `json:"skipConversationRestore"` // do not show the conversation again
}

// SessionBranch comes when the new session is open.
type SessionBranch struct {
	Previous string // the path of the session before; "" for one in memory
}

// SessionBeforeCompact comes before a compaction (section 11).
type SessionBeforeCompact struct {
	Messages         []message.Message // to summarise
	TurnPrefix       []message.Message // the start of the turn that the cut goes through, if it does
	PreviousSummary  string            // of the compaction before, "" for none
	FirstKeptEntryID string
	TokensBefore     int64 // of the context
	ReadFiles        []string
	ModifiedFiles    []string
	Instructions     string // the user's
}

// CompactAnswer is the answer to SessionBeforeCompact. Of several results the first is used.
type CompactAnswer struct {
	Decision
	Result *Compaction `json:"compaction"`
}

// Compaction is a compaction that an extension supplies.
type Compaction struct {
	Summary          string          `json:"summary"`
	ShortSummary     string          `json:"shortSummary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"` // on the path, and no label; "" is the one that was proposed
	Details          json.RawMessage `json:"details"`
	PreserveData     json.RawMessage `json:"preserveData"`
}

// SessionCompacting comes when a model is about to write the compaction.
type SessionCompacting struct {
	Messages []message.Message // to summarise, with the start of the turn that the cut goes through
}

// CompactingAnswer is the answer to SessionCompacting. The contexts of all handlers are used, and of
// prompts, and of each member of PreserveData, the first.
type CompactingAnswer struct {
	Context      []string        `json:"context"`      // what the model should know besides
	Prompt       string          `json:"prompt"`       // a task in the place of the built-in one
	PreserveData json.RawMessage `json:"preserveData"` // nil, or an object to keep on the entry
}

// SessionCompact comes when the compaction is in the log.
type SessionCompact struct {
	Entry         session.Entry
	FromExtension bool
}

// SessionShutdown comes last. All handlers together have ShutdownTimeout.
type SessionShutdown struct{}

func (SessionStart) name() string         { return EventSessionStart }
func (SessionBeforeSwitch) name() string  { return EventSessionBeforeSwitch }
func (SessionSwitch) name() string        { return EventSessionSwitch }
func (SessionBeforeTree) name() string    { return EventSessionBeforeTree }
func (SessionTree) name() string          { return EventSessionTree }
func (SessionBeforeBranch) name() string  { return EventSessionBeforeBranch }
func (SessionBranch) name() string        { return EventSessionBranch }
func (SessionBeforeCompact) name() string { return EventSessionBeforeCompact }
func (SessionCompacting) name() string    { return EventSessionCompacting }
func (SessionCompact) name() string       { return EventSessionCompact }
func (SessionShutdown) name() string      { return EventSessionShutdown }
