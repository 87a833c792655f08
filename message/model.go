package message

import (
	"fmt"
	"strings"
)

// ForModel makes the messages that a provider gets from those of a context (section 7). What comes
// back has only the roles user, developer, assistant and toolResult, and is valid for a provider:
//
//   - Every call of an assistant message has one result, directly after that message; what stood in
//     between follows. A call without a result on this branch gets a stand-in that says so. A result
//     without a call before it, and a second result for one call, are dropped.
//   - No two calls have the same id: a later one, with its result, is renamed.
//   - Summaries, custom messages, executions and file mentions are user messages. Unknown roles,
//     executions that are excluded from the context, and empty summaries are dropped.
//   - Blocks that are blank, of an unknown type, or of a type that the role cannot have are dropped;
//     so is a message that nothing is left of, and an answer that only thought. A tool result with
//     nothing in it says "(no output)".
//
// A message that need not change is passed on with the bytes it was read from. The input is not
// changed. Thinking is passed as found: whether a provider takes another model's, or one without a
// signature, is for the one who calls it to know.
func ForModel(msgs []Message) []Message {
	t := turns{list: make([]turn, 0, len(msgs))}
	for _, m := range msgs {
		if m.Role == RoleToolResult {
			t.answer(m)
		} else if m, ok := forModel(m); ok {
			t.add(m)
		}
	}
	return t.messages()
}

// forModel gives a message its form for a model; false if it has none.
func forModel(m Message) (Message, bool) {
	switch m.Role {
	case RoleUser, RoleDeveloper:
		m = keep(m, Block.isSaid)
	case RoleAssistant:
		m = keep(m, func(b Block) bool {
			switch b.Type {
			case BlockText:
				return b.isSaid()
			case BlockThinking:
				return b.Thinking != "" || b.ThinkingSignature != ""
			}
			return b.Type == BlockToolCall && b.Name != ""
		})
		return m, m.Text() != "" || len(m.ToolCalls()) > 0
	case RoleCustom, RoleHookMessage:
		m = keep(userMessage(m, m.Content...), Block.isSaid)
	case RoleCompactionSummary:
		m = summaryMessage(m, "What came before in this conversation was summarised, to save room:")
	case RoleBranchSummary:
		m = summaryMessage(m, "The conversation went another way from here, and then came back to this point. "+
			"A summary of what happened there:")
	case RoleBashExecution, RolePythonExecution:
		if m.ExcludeFromContext {
			return Message{}, false
		}
		m = userMessage(m, Text(executionText(m)))
	case RoleFileMention:
		m = userMessage(m, fileBlocks(m.Files)...)
	default:
		return Message{}, false
	}
	return m, len(m.Content) > 0
}

// isSaid tells whether a user or a tool can say the block and says something with it. Providers
// refuse text that is blank.
func (b Block) isSaid() bool {
	switch b.Type {
	case BlockText:
		return strings.TrimSpace(b.Text) != ""
	case BlockImage:
		return b.Data != ""
	}
	return false
}

// keep is m with the blocks that ok accepts, or m itself if those are all.
func keep(m Message, ok func(Block) bool) Message {
	var kept []Block
	for _, b := range m.Content {
		if ok(b) {
			kept = append(kept, b)
		}
	}
	if len(kept) == len(m.Content) {
		return m
	}
	m = m.Editable()
	m.Content = kept
	return m
}

// userMessage is what a user would have sent at the time of m.
func userMessage(m Message, blocks ...Block) Message {
	return Message{Role: RoleUser, Content: blocks, Timestamp: m.Timestamp}
}

func summaryMessage(m Message, intro string) Message {
	if strings.TrimSpace(m.Summary) == "" {
		return userMessage(m)
	}
	return userMessage(m, Text(intro+"\n\n<summary>\n"+m.Summary+"\n</summary>"))
}

func executionText(m Message) string {
	var b strings.Builder
	if m.Role == RolePythonExecution {
		fmt.Fprintf(&b, "I ran this Python code:\n%s\n", fenced(m.Code))
	} else {
		fmt.Fprintf(&b, "I ran this shell command:\n%s\n", fenced(m.Command))
	}
	if m.Output == "" {
		b.WriteString("It had no output.\n")
	} else {
		fmt.Fprintf(&b, "Output:\n%s\n", fenced(m.Output))
	}
	if m.Truncated {
		b.WriteString("The output is not whole: it was cut.")
		if m.FullOutputPath != "" {
			fmt.Fprintf(&b, " All of it is in %s.", m.FullOutputPath)
		}
		b.WriteString("\n")
	}
	if m.Cancelled {
		b.WriteString("It was cancelled before it ended.\n")
	}
	if m.ExitCode != nil {
		fmt.Fprintf(&b, "Exit code: %d", *m.ExitCode)
	} else {
		b.WriteString("Exit code: unknown")
	}
	return b.String()
}

func fileBlocks(files []File) []Block {
	var blocks []Block
	for _, f := range files {
		switch {
		case f.Content != "":
			blocks = append(blocks, Text("File "+f.Path+":\n"+fenced(f.Content)))
		case f.SkippedReason != "":
			blocks = append(blocks, Text("File "+f.Path+" (content left out: "+f.SkippedReason+")"))
		default:
			blocks = append(blocks, Text("File "+f.Path+" (no text)"))
		}
		if f.Image != nil && f.Image.Type == BlockImage && f.Image.Data != "" {
			blocks = append(blocks, *f.Image)
		}
	}
	return blocks
}

// fenced puts text between lines of backquotes, more than the text itself has in a row.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "\n" + text + fence
}
