package model

import (
	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
	"charm.land/fantasy/providers/openrouter"
)

// Levels are the thinking levels, least first.
var Levels = []string{"off", "minimal", "low", "medium", "high", "xhigh"}

// budgets are the tokens a level may think, for providers that count them.
var budgets = map[string]int64{"minimal": 1024, "low": 4096, "medium": 10240, "high": 20480, "xhigh": 32768}

// thinking gives a level the form that the provider takes. A model that cannot think is not asked
// to.
func (p *provider) thinking(info Info, level string) fantasy.ProviderOptions {
	budget, on := budgets[level]
	if !on || !info.Reasoning {
		return nil
	}
	effort := level
	if effort == "xhigh" {
		effort = "high" // the most that all take
	}
	switch p.kind {
	case "anthropic":
		return fantasy.ProviderOptions{anthropic.Name: &anthropic.ProviderOptions{Thinking: &anthropic.ThinkingProviderOption{BudgetTokens: budget}}}
	case "google":
		return fantasy.ProviderOptions{google.Name: &google.ProviderOptions{ThinkingConfig: &google.ThinkingConfig{ThinkingBudget: &budget, IncludeThoughts: fantasy.Opt(true)}}}
	case "openrouter":
		if effort == "minimal" {
			effort = "low"
		}
		e := openrouter.ReasoningEffort(effort)
		return fantasy.ProviderOptions{openrouter.Name: &openrouter.ProviderOptions{Reasoning: &openrouter.ReasoningOptions{Effort: &e}}}
	case "openai":
		e := openai.ReasoningEffort(effort)
		return fantasy.ProviderOptions{openai.Name: &openai.ProviderOptions{ReasoningEffort: &e}}
	}
	e := openai.ReasoningEffort(effort)
	return fantasy.ProviderOptions{openaicompat.Name: &openaicompat.ProviderOptions{ReasoningEffort: &e}}
}
