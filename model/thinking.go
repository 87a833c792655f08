package model

import (
	"slices"
	"strings"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
	"charm.land/fantasy/providers/openrouter"
)

// Levels are the thinking levels, least first.
var Levels = []string{"off", "minimal", "low", "medium", "high", "xhigh"}

// budgets are the tokens a level may think, for models that are given a number of them.
var budgets = map[string]int64{"minimal": 1024, "low": 4096, "medium": 10240, "high": 20480, "xhigh": 32768}

// efforts are the words that providers have for how much to think, least first.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// effort is the word nearest to a level of those a model knows, the greater of two that are as near.
func effort(level string, known []string) string {
	if level == "off" {
		level = "none"
	}
	best, at := "", len(efforts)
	for _, word := range known {
		rank := slices.Index(efforts, word)
		if rank < 0 {
			continue
		}
		d := rank - slices.Index(efforts, level)
		if d < 0 {
			d = -d
		}
		if d < at || d == at && rank > slices.Index(efforts, best) {
			best, at = word, d
		}
	}
	return best
}

// budget is how many tokens a model is given to think with, 0 if it is not given a number.
func (c *chat) budget(level string) int64 {
	if !c.info.Reasoning || c.adaptive() || c.provider.kind == "google" && len(c.info.Efforts) > 0 {
		return 0
	}
	if c.provider.kind != "anthropic" && c.provider.kind != "google" {
		return 0
	}
	return budgets[level]
}

// adaptive tells whether a model of Anthropic decides itself how much it thinks. Those that do know
// a word for the most.
func (c *chat) adaptive() bool {
	return c.provider.kind == "anthropic" && slices.Contains(c.info.Efforts, "max")
}

// thinking gives a level the form that the provider takes. A model that cannot think is not asked
// to; one that cannot be stopped is asked for as little as it knows.
func (c *chat) thinking(level string) fantasy.ProviderOptions {
	if level == "" {
		level = "off"
	}
	off := !slices.Contains(Levels, level) || level == "off"
	if !c.info.Reasoning {
		return c.cached(nil)
	}
	known := c.info.Efforts
	if len(known) == 0 {
		known = []string{"low", "medium", "high"} // what every provider has
	}
	word := effort(level, known)
	if word == "" {
		return c.cached(nil) // only words that Ramo cannot rank
	}
	switch c.provider.kind {
	case "anthropic":
		if off {
			return nil
		}
		if c.adaptive() {
			e := anthropic.Effort(word)
			return fantasy.ProviderOptions{anthropic.Name: &anthropic.ProviderOptions{Effort: &e}}
		}
		return fantasy.ProviderOptions{anthropic.Name: &anthropic.ProviderOptions{Thinking: &anthropic.ThinkingProviderOption{BudgetTokens: c.budget(level)}}}
	case "google":
		t := &google.ThinkingConfig{IncludeThoughts: fantasy.Opt(!off)}
		if len(c.info.Efforts) > 0 {
			word = strings.ToUpper(word)
			t.ThinkingLevel = &word
		} else if b := c.budget(level); b > 0 {
			t.ThinkingBudget = &b
		} else {
			return nil
		}
		return fantasy.ProviderOptions{google.Name: &google.ProviderOptions{ThinkingConfig: t}}
	case "openrouter":
		if off {
			return c.cached(nil)
		}
		e := openrouter.ReasoningEffort(word)
		return c.cached(&openrouter.ReasoningOptions{Effort: &e})
	case "openai":
		if off && len(c.info.Efforts) == 0 {
			return nil
		}
		e := openai.ReasoningEffort(word)
		if !c.provider.responses(c.info.ID) {
			return fantasy.ProviderOptions{openai.Name: &openai.ProviderOptions{ReasoningEffort: &e}}
		}
		o := &openai.ResponsesProviderOptions{ReasoningEffort: &e}
		if !off {
			o.ReasoningSummary = fantasy.Opt("auto")
		}
		return fantasy.ProviderOptions{openai.Name: o}
	}
	if off {
		return nil
	}
	e := openai.ReasoningEffort(word)
	// A compatible provider's options go by its own name, not by that of its kind.
	return fantasy.ProviderOptions{c.provider.name: &openaicompat.ProviderOptions{ReasoningEffort: &e}}
}

// cached are OpenRouter's options. The models of Anthropic that it passes on keep a prompt for the
// next request only when asked to.
func (c *chat) cached(r *openrouter.ReasoningOptions) fantasy.ProviderOptions {
	if c.provider.kind != "openrouter" {
		return nil
	}
	o := &openrouter.ProviderOptions{Reasoning: r}
	if strings.HasPrefix(c.info.ID, "anthropic/") {
		o.ExtraBody = map[string]any{"cache_control": map[string]any{"type": "ephemeral"}}
	}
	return fantasy.ProviderOptions{openrouter.Name: o}
}
