package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Settings are all there is to set; docs/settings.md says what each means.
type Settings struct {
	Model              string              `toml:"model"`                // provider/model; empty: none
	SummaryModel       string              `toml:"summary_model"`        // empty: Model
	BranchSummary      string              `toml:"branch_summary"`       // ask, never, always
	DoubleEscape       string              `toml:"double_escape"`        // tree, branch, none
	Thinking           string              `toml:"thinking"`             // off … xhigh
	Theme              string              `toml:"theme"`                // auto, light, dark
	SystemPrompt       string              `toml:"system_prompt"`        // a text, or @ and an absolute path; empty: Ramo's own
	AppendSystemPrompt string              `toml:"append_system_prompt"` // the same, behind it
	Allow              []string            `toml:"allow"`                // beginnings of commands
	SessionDirs        []string            `toml:"session_dirs"`
	Compaction         Compaction          `toml:"compaction"`
	Tools              Tools               `toml:"tools"`
	Keys               map[string][]string `toml:"keys"` // by action
	Providers          map[string]Provider `toml:"providers"`
	Extensions         []Extension         `toml:"extensions"`

	origins map[string]Origin // of every key and table that was set
	ignored []Ignored
}

// Compaction says when a context is compacted (section 11 of the specification). In tokens.
type Compaction struct {
	Enabled          bool  `toml:"enabled"`
	ReserveTokens    int64 `toml:"reserve_tokens"`
	KeepRecentTokens int64 `toml:"keep_recent_tokens"`
}

// Tools are the permissions of the tools that can change something: off, ask or allow.
type Tools struct {
	Write string `toml:"write"`
	Edit  string `toml:"edit"`
	Bash  string `toml:"bash"`
}

// Provider is a service that runs models. Load fills in Type.
type Provider struct {
	Type      string            `toml:"type"` // anthropic, openai, google, openrouter, openai-compatible
	BaseURL   string            `toml:"base_url"`
	APIKey    Secret            `toml:"api_key"`
	APIKeyEnv string            `toml:"api_key_env"` // the variable that holds the key
	Headers   map[string]Secret `toml:"headers"`
	Models    []Model           `toml:"models"`
}

// Model describes a model that the catalogue does not know, or knows wrongly. Zero means not said.
type Model struct {
	ID            string `toml:"id"`
	Name          string `toml:"name"`
	ContextWindow int64  `toml:"context_window"` // tokens
	MaxOutput     int64  `toml:"max_output"`     // tokens
	Reasoning     *bool  `toml:"reasoning"`      // whether it can think before it answers; nil: not said
	Images        *bool  `toml:"images"`         // whether it can see images; nil: not said
	Prices        Prices `toml:"prices"`
}

// Prices are US dollars for a million tokens.
type Prices struct {
	Input      float64 `toml:"input"`
	Output     float64 `toml:"output"`
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
}

// Extension is a program to start with each session.
type Extension struct {
	Command []string          `toml:"command"` // program, absolute or to be found on PATH, and arguments
	Env     map[string]Secret `toml:"env"`     // added to the environment
	Timeout time.Duration     `toml:"timeout"` // for each of its handlers; 0: not said
}

// Default returns the settings of someone who set nothing.
func Default() *Settings {
	return &Settings{
		BranchSummary: "ask",
		DoubleEscape:  "tree",
		Thinking:      "off",
		Theme:         "auto",
		Compaction:    Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000},
		Tools:         Tools{Write: "off", Edit: "off", Bash: "off"},
		origins:       map[string]Origin{},
	}
}

// Origin tells where the value of a key comes from, such as "compaction.enabled", "providers.ollama.base_url" or
// "extensions[0].command". One that was not set is from the defaults.
func (s *Settings) Origin(key string) Origin { return s.origins[key] }

// Ignored are the settings of an untrusted project that were left out, in order.
func (s *Settings) Ignored() []Ignored { return slices.Clone(s.ignored) }

// Ignored is a setting that was left out.
type Ignored struct {
	Key     string
	Origin  Origin
	Project string // the directory that is not trusted
}

func (i Ignored) String() string {
	return fmt.Sprintf("%s: %s is ignored, for the directory %s is not trusted", i.Origin.at(), i.Key, i.Project)
}

// Source is a kind of place that a setting can come from.
type Source int

// The sources, each of which goes before those above it.
const (
	FromDefault Source = iota
	FromUser
	FromProject
	FromEnvironment
)

// Origin is the place that a setting comes from. The zero value is the defaults.
type Origin struct {
	Source   Source
	File     string // of FromUser and FromProject
	Line     int    // from 1
	Variable string // of FromEnvironment
}

func (o Origin) String() string {
	switch o.Source {
	case FromUser:
		return "user " + o.at()
	case FromProject:
		return "project " + o.at()
	case FromEnvironment:
		return "environment " + o.Variable
	}
	return "default"
}

func (o Origin) at() string {
	switch {
	case o.Variable != "":
		return o.Variable
	case o.Line == 0:
		return o.File
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Error is one thing that is wrong with a setting. The error that Load returns can be several, joined.
type Error struct {
	Origin Origin
	Key    string // empty when the file as a whole is meant
	Reason string
}

func (e *Error) Error() string {
	if e.Key == "" {
		return e.Origin.at() + ": " + e.Reason
	}
	return e.Origin.at() + ": " + e.Key + ": " + e.Reason
}

// Secret is a text that nobody should see: it prints and encodes as stars.
type Secret string

const stars = "********"

// Reveal is the text itself.
func (s Secret) Reveal() string { return string(s) }

// String is stars, or nothing if there is nothing to hide.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return stars
}

// Format prints stars under every verb.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'q' || f.Flag('#') {
		_, _ = fmt.Fprintf(f, "%q", s.String()) // as for any Formatter, the error is fmt's
		return
	}
	_, _ = f.Write([]byte(s.String()))
}

// MarshalText encodes stars.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON encodes stars.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
