package message

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

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
// A message that was read keeps its bytes (see Raw) and is written as exactly them, whatever is
// done to its fields. To change a message, build a new one or take its Editable copy.
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
	FullOutputPath        string // where a truncated output is in full
	ExcludeFromContext    bool

	// custom and hookMessage; Attribution also in user and developer
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
	ID, Name          string          // toolCall
	Arguments         json.RawMessage // an object; nil is written as {}

	raw json.RawMessage
}

// File is one file of a fileMention. Image is nil unless the file is a picture; SkippedReason says
// why Content is empty (omp: "tooLarge" or "binary").
type File struct {
	Path          string `json:"path"`
	Content       string `json:"content"`
	SkippedReason string `json:"skippedReason,omitempty"`
	Image         *Block `json:"image,omitempty"`
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

// User is a user's message, sent now: the text, unless it is empty, then the images.
func User(text string, images ...Block) Message {
	m := Message{Role: RoleUser, Timestamp: time.Now().UnixMilli()}
	if text != "" {
		m.Content = append(m.Content, Text(text))
	}
	m.Content = append(m.Content, images...)
	return m
}

// Text is a text block.
func Text(text string) Block { return Block{Type: BlockText, Text: text} }

// Image is an image block that holds the bytes of a picture of the MIME type.
func Image(mimeType string, picture []byte) Block {
	return Block{Type: BlockImage, MimeType: mimeType, Data: base64.StdEncoding.EncodeToString(picture)}
}

// Raw is the bytes that the message was read from, or nil for one built in Go. They are not a copy.
func (m Message) Raw() json.RawMessage { return m.raw }

// Editable is a copy of the message that is written from its fields instead of the bytes it was
// read from. Members that Message has no field for are lost; blocks keep theirs.
func (m Message) Editable() Message {
	m.raw = nil
	return m
}

// Text is the message's text: all text blocks, joined with nothing between them, as pi does (an
// editor given it gets back what was typed).
func (m Message) Text() string {
	if len(m.Content) == 1 && m.Content[0].Type == BlockText {
		return m.Content[0].Text
	}
	var b strings.Builder
	for _, c := range m.Content {
		if c.Type == BlockText {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// Images are the image blocks, in order.
func (m Message) Images() []Block { return m.blocks(BlockImage) }

// ToolCalls are the toolCall blocks, in order.
func (m Message) ToolCalls() []Block { return m.blocks(BlockToolCall) }

func (m Message) blocks(typ string) (out []Block) {
	for _, b := range m.Content {
		if b.Type == typ {
			out = append(out, b)
		}
	}
	return out
}

// Raw is the bytes that the block was read from, or nil for one built in Go. They are not a copy.
func (b Block) Raw() json.RawMessage { return b.raw }

// Editable is a copy of the block that is written from its fields (see Message.Editable).
func (b Block) Editable() Block {
	b.raw = nil
	return b
}
