package summary

import (
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// imageTokens is what an image is taken to cost: about what providers ask for a screenshot.
const imageTokens = 1200

// textTokens is a guess: a token for four bytes, which is four letters of English, or a little more
// than one character of Chinese.
func textTokens(bytes int) int64 { return int64(bytes+3) / 4 }

// EstimateTokens is a guess at how many tokens messages take in a context: four bytes of text each,
// and a constant for an image. What a model is not shown is not counted.
func EstimateTokens(msgs ...message.Message) int64 {
	var total int64
	for _, m := range msgs {
		total += estimate(m)
	}
	return total
}

func estimate(m message.Message) int64 {
	if m.ExcludeFromContext {
		return 0
	}
	n := len(m.Command) + len(m.Code) + len(m.Output) + len(m.Summary)
	var images int64
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockText:
			n += len(b.Text)
		case message.BlockThinking:
			n += len(b.Thinking)
		case message.BlockToolCall:
			n += len(b.Name) + len(b.Arguments)
		case message.BlockImage:
			images++
		}
	}
	for _, f := range m.Files {
		n += len(f.Path) + len(f.Content)
		if f.Image != nil {
			images++
		}
	}
	return textTokens(n) + images*imageTokens
}

// ContextTokens is how many tokens a context has: what the provider counted for the last answer,
// plus an estimate of what came after it. Answers that failed or were aborted count nothing, and
// neither do those from before the compaction that the context begins with: what they counted was
// the longer context.
func ContextTokens(c *session.Context) int64 {
	after := -1
	if len(c.Entries) > 0 && c.Entries[0].Type() == session.TypeCompaction {
		after = c.Entries[0].Index()
	}
	var total int64
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := c.Messages[i]
		if counted := usageTokens(m); counted > 0 && c.Entries[i].Index() > after {
			return total + counted
		}
		total += estimate(m)
	}
	return total
}

// usageTokens is the length of the context that an answer leaves, as the provider counted it; 0 if
// it did not.
func usageTokens(m message.Message) int64 {
	if m.Role != message.RoleAssistant || m.Usage == nil || m.StopReason == message.StopError || m.StopReason == message.StopAborted {
		return 0
	}
	if m.Usage.TotalTokens > 0 {
		return m.Usage.TotalTokens
	}
	return m.Usage.Input + m.Usage.Output + m.Usage.CacheRead + m.Usage.CacheWrite
}

// Budget is how many tokens of input a model may be given: its context window without the reserve.
// Of a window that is hardly larger than the reserve it is half, and where the window is not known
// (0) a size that nearly every model has.
func Budget(window, reserve int64) int64 {
	const usual = 32_000
	if window <= 0 {
		return usual
	}
	return max(window-reserve, window/2)
}
