package model

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"

	"github.com/ramo-dev/ramo/message"
)

// prompt gives a request's messages the form that fantasy takes.
func (c *chat) prompt(r Request) fantasy.Prompt {
	var out fantasy.Prompt
	if r.System != "" {
		out = append(out, fantasy.NewSystemMessage(r.System))
	}
	add := func(role fantasy.MessageRole, parts ...fantasy.MessagePart) {
		if len(parts) > 0 {
			out = append(out, fantasy.Message{Role: role, Content: parts})
		}
	}
	for i := 0; i < len(r.Messages); i++ {
		m := r.Messages[i]
		switch m.Role {
		case message.RoleAssistant:
			add(fantasy.MessageRoleAssistant, c.answerParts(m)...)
		case message.RoleToolResult:
			// The results of one answer's calls belong into one message, and nothing may stand
			// between them: the images that do not fit into results follow.
			var results, images []fantasy.MessagePart
			for ; i < len(r.Messages) && r.Messages[i].Role == message.RoleToolResult; i++ {
				result, rest := c.result(r.Messages[i])
				results, images = append(results, result), append(images, rest...)
			}
			i--
			add(fantasy.MessageRoleTool, results...)
			add(fantasy.MessageRoleUser, images...)
		default: // user, and developer, which not every provider has
			add(fantasy.MessageRoleUser, c.userParts(m.Content)...)
		}
	}
	if c.provider.kind == "anthropic" {
		keepPrefix(out)
	}
	return out
}

// keepPrefix asks Anthropic to keep what this request has in common with the next, which then costs
// a tenth: the system prompt, and all up to the last two messages that are not the model's (two, for
// when the user goes back one).
func keepPrefix(p fantasy.Prompt) {
	mark := fantasy.ProviderOptions{anthropic.Name: &anthropic.ProviderCacheControlOptions{CacheControl: anthropic.CacheControl{Type: "ephemeral"}}}
	last := 0
	for i := len(p) - 1; i >= 0; i-- {
		switch {
		case p[i].Role == fantasy.MessageRoleSystem:
			p[i].ProviderOptions = mark
		case p[i].Role != fantasy.MessageRoleAssistant && last < 2:
			p[i].ProviderOptions = mark
			last++
		}
	}
}

func (c *chat) userParts(blocks []message.Block) []fantasy.MessagePart {
	var parts []fantasy.MessagePart
	for _, b := range blocks {
		switch b.Type {
		case message.BlockText:
			parts = append(parts, fantasy.TextPart{Text: b.Text})
		case message.BlockImage:
			parts = append(parts, c.image(b))
		}
	}
	return parts
}

// pictures are the types of images that every provider takes.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// image is an image, or words in its place where it cannot be sent: one image that a provider
// refuses would end the session for that provider.
func (c *chat) image(b message.Block) fantasy.MessagePart {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	switch {
	case err != nil || len(data) == 0:
		return fantasy.TextPart{Text: "(an image that cannot be read)"}
	case !slices.Contains(pictures, b.MimeType):
		return fantasy.TextPart{Text: "(an image of type " + b.MimeType + ", which cannot be sent)"}
	case !c.info.Images:
		return fantasy.TextPart{Text: "(an image, left out because this model cannot see)"}
	}
	return fantasy.FilePart{Data: data, MediaType: b.MimeType}
}

// answerParts leaves out thinking of other models: no model takes it.
func (c *chat) answerParts(m message.Message) []fantasy.MessagePart {
	var parts []fantasy.MessagePart
	text := -1 // where text goes on
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockText:
			// Of several texts in one answer fantasy sends only the last by OpenAI's older protocol.
			if text >= 0 && strings.HasPrefix(c.provider.api(c.info.ID), "openai-completions") {
				before := parts[text].(fantasy.TextPart)
				before.Text += "\n" + b.Text
				parts[text] = before
				continue
			}
			text = len(parts)
			parts = append(parts, fantasy.TextPart{Text: b.Text})
		case message.BlockThinking:
			if m.Provider != c.info.Provider || m.Model != c.info.ID {
				continue
			}
			if o, ok := c.provider.signed(b); ok {
				parts = append(parts, fantasy.ReasoningPart{Text: b.Thinking, ProviderOptions: o})
			}
		case message.BlockToolCall:
			input := string(b.Arguments)
			if input == "" {
				input = "{}"
			}
			parts = append(parts, fantasy.ToolCallPart{ToolCallID: callID(b.ID), ToolName: b.Name, Input: input})
		}
	}
	return parts
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// callID is a call's id as every provider takes it. Those of other tools and other providers can be
// long or have signs in them.
func callID(id string) string {
	if plainID.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// result is a tool's result, and the images that do not fit into it: only Anthropic takes one
// there.
func (c *chat) result(m message.Message) (fantasy.ToolResultPart, []fantasy.MessagePart) {
	part := fantasy.ToolResultPart{ToolCallID: callID(m.ToolCallID)}
	text := m.Text()
	var images []fantasy.MessagePart
	for _, b := range m.Images() {
		if p, ok := c.image(b).(fantasy.TextPart); ok {
			text = strings.TrimPrefix(text+"\n"+p.Text, "\n")
		} else {
			images = append(images, c.image(b))
		}
	}
	if m.IsError {
		part.Output = fantasy.ToolResultOutputContentError{Error: textError(text)}
		return part, images
	}
	if c.provider.kind == "anthropic" && len(images) > 0 {
		first := images[0].(fantasy.FilePart)
		part.Output = fantasy.ToolResultOutputContentMedia{Data: base64.StdEncoding.EncodeToString(first.Data), MediaType: first.MediaType, Text: text}
		return part, images[1:]
	}
	if text == "" && len(images) > 0 {
		text = "(an image: it follows)"
	}
	part.Output = fantasy.ToolResultOutputContentText{Text: text}
	return part, images
}

type textError string

func (e textError) Error() string { return string(e) }

func tools(list []Tool) []fantasy.Tool {
	out := make([]fantasy.Tool, 0, len(list))
	for _, t := range list {
		var schema map[string]any
		_ = json.Unmarshal(t.Schema, &schema) // a tool without a schema takes no arguments
		if schema == nil {
			schema = map[string]any{"type": "object"}
		}
		if schema["properties"] == nil {
			schema["properties"] = map[string]any{}
		}
		// fantasy looks for the names as strings, and sends none otherwise.
		if list, ok := schema["required"].([]any); ok {
			names := make([]string, 0, len(list))
			for _, name := range list {
				if s, ok := name.(string); ok {
					names = append(names, s)
				}
			}
			schema["required"] = names
		}
		out = append(out, fantasy.FunctionTool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	return out
}

const (
	longestAnswer = 32_000 // tokens, unless the request asks for more: some providers reserve, and charge against a limit, all that is asked for
	imageTokens   = 1600   // about what one costs
)

// maxOutput is how many tokens the answer may have, nil to leave it to the provider. Most providers
// refuse a request whose prompt and answer together might not fit into the window.
func (c *chat) maxOutput(r Request) *int64 {
	most := r.MaxOutput
	if most <= 0 {
		most = min(c.info.MaxOutput, longestAnswer)
	}
	budget := c.budget(r.Thinking)
	if most <= 0 {
		if c.provider.kind != "anthropic" || budget == 0 {
			return nil
		}
		most = 4096 // what fantasy takes for Anthropic, which must be told
	}
	most += budget // what is thought counts as output
	if c.info.MaxOutput > 0 {
		most = min(most, max(c.info.MaxOutput, budget+1024))
	}
	if c.info.ContextWindow > 0 {
		most = max(min(most, c.info.ContextWindow-tokens(r)), min(most, budget+1024))
	}
	return &most
}

// tokens is about how many tokens a request has, rather too many than too few.
func tokens(r Request) int64 {
	chars, images := int64(len(r.System)), int64(0)
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Type == message.BlockImage {
				images++
			}
			chars += int64(len(b.Text) + len(b.Thinking) + len(b.Name) + len(b.Arguments))
		}
	}
	for _, t := range r.Tools {
		chars += int64(len(t.Name) + len(t.Description) + len(t.Schema))
	}
	return chars/3 + images*imageTokens
}
