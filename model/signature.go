package model

import (
	"encoding/base64"
	"encoding/json"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"

	"github.com/ramo-dev/ramo/message"
)

// What a provider wants back with its thinking stands in the log as the block's thinkingSignature:
// Anthropic's as it is, Google's, which is bytes, in base64 (as pi writes both), and OpenRouter's,
// which has a form for each maker of models, as fantasy writes it in JSON.

// sign puts what came with a piece of thinking on its block.
func (p *provider) sign(b *message.Block, m fantasy.ProviderMetadata) {
	if len(m) == 0 {
		return
	}
	switch p.kind {
	case "anthropic":
		if d, ok := m[anthropic.Name].(*anthropic.ReasoningOptionMetadata); ok && d.Signature != "" {
			b.ThinkingSignature = d.Signature
		} else if ok && d.RedactedData != "" {
			*b = redacted(d.RedactedData)
		}
	case "google":
		if d, ok := m[google.Name].(*google.ReasoningMetadata); ok && d.Signature != "" {
			b.ThinkingSignature = base64.StdEncoding.EncodeToString([]byte(d.Signature))
		}
	case "openrouter":
		if s, err := json.Marshal(m); err == nil {
			b.ThinkingSignature = string(s)
		}
	}
}

// signed is what the provider gets back with its thinking; false if it takes none without.
func (p *provider) signed(b message.Block) (fantasy.ProviderOptions, bool) {
	s := b.ThinkingSignature
	switch p.kind {
	case "anthropic":
		if isRedacted(b) {
			return fantasy.ProviderOptions{anthropic.Name: &anthropic.ReasoningOptionMetadata{RedactedData: s}}, s != ""
		}
		return fantasy.ProviderOptions{anthropic.Name: &anthropic.ReasoningOptionMetadata{Signature: s}}, s != ""
	case "google":
		raw, err := base64.StdEncoding.DecodeString(s)
		return fantasy.ProviderOptions{google.Name: &google.ReasoningMetadata{Signature: string(raw)}}, err == nil && len(raw) > 0
	case "openrouter":
		var m map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &m) != nil {
			return nil, false
		}
		o, err := fantasy.UnmarshalProviderOptions(m)
		return o, err == nil && len(o) > 0
	case compatible:
		return nil, b.Thinking != "" // there are no signatures, and some servers want the text back
	}
	return nil, false
}

// redacted is a block of thinking that Anthropic shows no one, in pi's form.
func redacted(data string) (b message.Block) {
	raw, _ := json.Marshal(map[string]any{"type": message.BlockThinking, "thinking": "[Reasoning redacted]", "thinkingSignature": data, "redacted": true})
	_ = b.UnmarshalJSON(raw)
	return b
}

func isRedacted(b message.Block) bool {
	var d struct {
		Redacted bool `json:"redacted"`
	}
	return len(b.Raw()) > 0 && json.Unmarshal(b.Raw(), &d) == nil && d.Redacted
}
