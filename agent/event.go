package agent

import (
	"time"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// EventType tells what an Event is about.
type EventType string

// The types of events. An entry that an event carries is on the disk.
const (
	UserMessage      EventType = "user_message"      // Entry: the request
	AnswerStart      EventType = "answer_start"      // the model is asked
	TextDelta        EventType = "text"              // Text: more of the answer
	ThinkingDelta    EventType = "thinking"          // Text: more of what the model thinks
	Retry            EventType = "retry"             // Text: why; Attempt, Delay
	AnswerEnd        EventType = "answer_end"        // Entry: the answer, whole or cut off
	ToolStart        EventType = "tool_start"        // Call
	ToolOutput       EventType = "tool_output"       // Call, Text: a piece of its output
	ToolEnd          EventType = "tool_end"          // Call, Entry: the result
	SummaryStart     EventType = "summary_start"     // a branch summary or a compaction is being written; Text: by which model
	Navigated        EventType = "navigated"         // the leaf moved; Entry: the summary, if one was made
	SessionChanged   EventType = "session_changed"   // Text: the path of the present session
	Compacted        EventType = "compacted"         // Entry: the compaction
	ModelChanged     EventType = "model_changed"     // Text: its name
	ThinkingChanged  EventType = "thinking_changed"  // Text: the level
	Appended         EventType = "appended"          // Entry: what an extension appended
	ExtensionsReady  EventType = "extensions_ready"  // the extensions have started: their commands and tools are known
	ExtensionTrouble EventType = "extension_trouble" // Text: what an extension did wrong; Extension, Err
	Notice           EventType = "notice"            // Text: what the user should know; Level
	Idle             EventType = "idle"              // Text: the name of the operation that ended; Err
)

// ofExtensions tells of events that can come before anyone listens.
func (e Event) ofExtensions() bool {
	switch e.Type {
	case ExtensionTrouble, ExtensionsReady, Notice, Appended:
		return true
	}
	return false
}

// Event is something that happens in a live session.
type Event struct {
	Type      EventType
	Text      string
	Entry     session.Entry
	Call      message.Block
	Attempt   int
	Delay     time.Duration
	Extension string          // its name
	Level     extension.Level // "" is extension.Info
	Err       error
}
