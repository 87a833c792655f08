// Package message holds the messages of a session's log and their form for a model.
package message

import "encoding/json"

// The roles a message in a log can have. A role that is none of these is kept as found.
const (
	RoleUser              = "user"
	RoleDeveloper         = "developer"
	RoleAssistant         = "assistant"
	RoleToolResult        = "toolResult"
	RoleBashExecution     = "bashExecution"
	RolePythonExecution   = "pythonExecution"
	RoleCustom            = "custom"
	RoleHookMessage       = "hookMessage"
	RoleBranchSummary     = "branchSummary"
	RoleCompactionSummary = "compactionSummary"
	RoleFileMention       = "fileMention"
)

// The types a content block can have. A block of another type is kept as found.
const (
	BlockText     = "text"
	BlockImage    = "image"
	BlockThinking = "thinking"
	BlockToolCall = "toolCall"
)

// The reasons an assistant message can have stopped for.
const (
	StopEnd     = "stop"
	StopLength  = "length"
	StopToolUse = "toolUse"
	StopError   = "error"
	StopAborted = "aborted"
)

// Message is one message of a log, of any role; a role uses only its own fields.
//
// A message that was read keeps its bytes (see Raw) and marshals to exactly them. To change a
// message, build a new one.
type Message struct {
	Role      string
	Content   []Block // a string content is one text block
	Timestamp int64   // ms since the Unix epoch

	// assistant
	API, Provider, Model     string
	Usage                    *Usage
	StopReason, ErrorMessage string

	// toolResult; Details also in custom and hookMessage
	ToolCallID, ToolName string
	IsError              bool
	Details              json.RawMessage

	// bashExecution (Command) and pythonExecution (Code)
	Command, Code, Output string
	ExitCode              *int // nil: none known
	Cancelled, Truncated  bool
	ExcludeFromContext    bool

	// custom and hookMessage
	CustomType  string
	Display     bool
	Attribution string

	// branchSummary and compactionSummary
	Summary, ShortSummary, FromID string
	TokensBefore                  int64

	// fileMention
	Files []File

	raw json.RawMessage
}

// Block is one block of a message's content.
type Block struct {
	Type string

	Text              string // text
	Data, MimeType    string // image: base64, or "blob:sha256:HEX"
	Thinking          string // thinking
	ThinkingSignature string
	ID, Name          string // toolCall
	Arguments         json.RawMessage

	raw json.RawMessage
}

// File is one file of a fileMention.
type File struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Usage is what an assistant message cost: tokens, and US dollars in Cost.
type Usage struct {
	Input       int64 `json:"input"`
	Output      int64 `json:"output"`
	CacheRead   int64 `json:"cacheRead"`
	CacheWrite  int64 `json:"cacheWrite"`
	TotalTokens int64 `json:"totalTokens,omitempty"`
	Cost        Cost  `json:"cost"`
}

// Cost is in US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}
