package model

import (
	"encoding/base64"
	"encoding/json"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"

	"github.com/ramo-dev/ramo/message"
)

// prompt gives messages the form that fantasy takes.
func (p *provider) prompt(r Request) fantasy.Prompt {
	var out fantasy.Prompt
	if r.System != "" {
		out = append(out, fantasy.NewSystemMessage(r.System))
	}
	for _, m := range r.Messages {
		switch m.Role {
		case message.RoleAssistant:
			out = append(out, fantasy.Message{Role: fantasy.MessageRoleAssistant, Content: p.answerParts(m)})
		case message.RoleToolResult:
			part := fantasy.ToolResultPart{ToolCallID: m.ToolCallID, Output: toolOutput(m)}
			// The results of one answer's calls belong into one message.
			if n := len(out); n > 0 && out[n-1].Role == fantasy.MessageRoleTool {
				out[n-1].Content = append(out[n-1].Content, part)
			} else {
				out = append(out, fantasy.Message{Role: fantasy.MessageRoleTool, Content: []fantasy.MessagePart{part}})
			}
		default: // user, and developer, which not every provider has
			out = append(out, fantasy.Message{Role: fantasy.MessageRoleUser, Content: userParts(m.Content)})
		}
	}
	return out
}

func userParts(blocks []message.Block) []fantasy.MessagePart {
	var parts []fantasy.MessagePart
	for _, b := range blocks {
		switch b.Type {
		case message.BlockText:
			parts = append(parts, fantasy.TextPart{Text: b.Text})
		case message.BlockImage:
			data, err := base64.StdEncoding.DecodeString(b.Data)
			if err != nil {
				parts = append(parts, fantasy.TextPart{Text: "(an image that cannot be read)"})
				continue
			}
			parts = append(parts, fantasy.FilePart{Data: data, MediaType: b.MimeType})
		}
	}
	return parts
}

// answerParts drops thinking that the provider did not sign itself: no other takes it.
func (p *provider) answerParts(m message.Message) []fantasy.MessagePart {
	var parts []fantasy.MessagePart
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockText:
			parts = append(parts, fantasy.TextPart{Text: b.Text})
		case message.BlockThinking:
			if b.ThinkingSignature == "" || m.Provider != p.name {
				continue
			}
			part := fantasy.ReasoningPart{Text: b.Thinking}
			switch p.kind {
			case "anthropic":
				part.ProviderOptions = fantasy.ProviderOptions{anthropic.Name: &anthropic.ReasoningOptionMetadata{Signature: b.ThinkingSignature}}
			case "google":
				part.ProviderOptions = fantasy.ProviderOptions{google.Name: &google.ReasoningMetadata{Signature: b.ThinkingSignature}}
			default:
				continue
			}
			parts = append(parts, part)
		case message.BlockToolCall:
			input := string(b.Arguments)
			if input == "" {
				input = "{}"
			}
			parts = append(parts, fantasy.ToolCallPart{ToolCallID: b.ID, ToolName: b.Name, Input: input})
		}
	}
	return parts
}

func toolOutput(m message.Message) fantasy.ToolResultOutputContent {
	text := m.Text()
	if m.IsError {
		return fantasy.ToolResultOutputContentError{Error: textError(text)}
	}
	if images := m.Images(); len(images) > 0 {
		return fantasy.ToolResultOutputContentMedia{Data: images[0].Data, MediaType: images[0].MimeType, Text: text}
	}
	return fantasy.ToolResultOutputContentText{Text: text}
}

type textError string

func (e textError) Error() string { return string(e) }

func tools(list []Tool) []fantasy.Tool {
	out := make([]fantasy.Tool, 0, len(list))
	for _, t := range list {
		var schema map[string]any
		_ = json.Unmarshal(t.Schema, &schema) // a tool without a schema takes no arguments
		if schema == nil {
			schema = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		out = append(out, fantasy.FunctionTool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	return out
}
