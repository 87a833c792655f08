package model

import (
	"encoding/json"
	"strings"
	"time"

	"charm.land/fantasy"

	"github.com/ramo-dev/ramo/message"
)

// answer gathers the parts of an answer.
type answer struct {
	chat     *chat
	begun    bool // there is something to keep
	finished bool
	blocks   []*block
	open     map[string]*block // those that still grow, by what fantasy calls them
	finish   fantasy.FinishReason
	usage    fantasy.Usage
}

type block struct {
	message.Block
	text strings.Builder
}

func (c *chat) newAnswer() *answer { return &answer{chat: c, open: map[string]*block{}} }

// block is the open block of a name. Names come again: a new one begins once the old is closed.
func (a *answer) block(name, typ string) *block {
	b := a.open[name]
	if b == nil {
		b = &block{Block: message.Block{Type: typ}}
		a.open[name] = b
		a.blocks = append(a.blocks, b)
	}
	return b
}

// take adds a part of the answer and tells what there is to tell of it.
func (a *answer) take(p fantasy.StreamPart) []Event {
	switch p.Type {
	case fantasy.StreamPartTypeTextDelta:
		if p.Delta == "" {
			return nil
		}
		a.begun = true
		a.block("text "+p.ID, message.BlockText).text.WriteString(p.Delta)
		return []Event{{Type: Text, Delta: p.Delta}}
	case fantasy.StreamPartTypeTextEnd:
		delete(a.open, "text "+p.ID)
	case fantasy.StreamPartTypeReasoningStart, fantasy.StreamPartTypeReasoningDelta, fantasy.StreamPartTypeReasoningEnd:
		name := "thinking " + p.ID
		b := a.block(name, message.BlockThinking)
		a.chat.provider.sign(&b.Block, p.ProviderMetadata)
		if p.Type == fantasy.StreamPartTypeReasoningEnd {
			delete(a.open, name)
			return nil
		}
		// OpenAI's summaries begin each paragraph, the first too, with a new line.
		if p.Delta == "" || b.text.Len() == 0 && p.Delta == "\n" {
			return nil
		}
		a.begun = true
		b.text.WriteString(p.Delta)
		return []Event{{Type: Thinking, Delta: p.Delta}}
	case fantasy.StreamPartTypeToolInputStart:
		if !p.ProviderExecuted {
			return []Event{{Type: ToolCallStart, Call: message.Block{Type: message.BlockToolCall, ID: p.ID, Name: p.ToolCallName}}}
		}
	case fantasy.StreamPartTypeToolCall:
		if p.ProviderExecuted {
			return nil
		}
		a.begun = true
		b := &block{Block: message.Block{Type: message.BlockToolCall, ID: p.ID, Name: p.ToolCallName, Arguments: arguments(p.ToolCallInput)}}
		a.blocks = append(a.blocks, b)
		return []Event{{Type: ToolCall, Call: b.Block}}
	case fantasy.StreamPartTypeFinish:
		a.finished = true
		a.finish, a.usage = p.FinishReason, p.Usage
	}
	return nil
}

// count takes what the wire says of the tokens, where it says something.
func (a *answer) count(u *fantasy.Usage) {
	if u != nil {
		a.usage = *u
	}
}

// arguments keeps what is no JSON object in one, so that the tool can say what is wrong with it.
func arguments(input string) json.RawMessage {
	input = strings.TrimSpace(input)
	switch {
	case input == "" || input == "null" || input == `""`:
		return json.RawMessage("{}")
	case input[0] == '{' && json.Valid([]byte(input)):
		return json.RawMessage(input)
	}
	quoted, _ := json.Marshal(map[string]string{"invalid": input})
	return quoted
}

// message is the answer as it goes into the log. stop is why it was cut off, "" when it was not.
func (a *answer) message(stop, errorMessage string) message.Message {
	info := a.chat.info
	u := message.Usage{
		Input: a.usage.InputTokens, Output: a.usage.OutputTokens, CacheRead: a.usage.CacheReadTokens, CacheWrite: a.usage.CacheCreationTokens,
	}
	u.TotalTokens = u.Input + u.Output + u.CacheRead + u.CacheWrite
	u.Cost = info.Price.Cost(u)
	m := message.Message{
		Role: message.RoleAssistant, API: a.chat.provider.api(info.ID), Provider: info.Provider, Model: info.ID,
		Usage: &u, StopReason: stop, ErrorMessage: errorMessage, Timestamp: time.Now().UnixMilli(),
	}
	calls := false
	for _, b := range a.blocks {
		switch b.Type {
		case message.BlockText:
			b.Text = b.text.String()
		case message.BlockThinking:
			if b.text.Len() > 0 {
				b.Thinking = b.text.String()
			}
			if b.Thinking == "" && b.ThinkingSignature == "" {
				continue
			}
		case message.BlockToolCall:
			calls = true
		}
		m.Content = append(m.Content, b.Block)
	}
	if m.StopReason == "" {
		switch {
		case calls:
			m.StopReason = message.StopToolUse
		case a.finish == fantasy.FinishReasonLength:
			m.StopReason = message.StopLength
		default:
			m.StopReason = message.StopEnd
		}
	}
	return m
}
