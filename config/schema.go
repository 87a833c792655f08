package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// setting is what is known of a key beyond its type, which Settings says. A "*" in the key stands for any name, "[]"
// for a list's elements. Tests hold this table, Settings and docs/settings.md against each other.
type setting struct {
	key      string
	doc      string
	values   []string
	check    func(value any, from place) string // why a value is not allowed, or ""
	required bool
	file     bool   // it may be @ and the name of a file
	appends  bool   // a project's list goes after the user's, in place of replacing it
	env      string // the variable that sets it
}

var settings = []setting{
	{key: "model", doc: "The model to talk to, `provider/model`, where the session does not name one that can be asked here: a conversation goes on with the model it was had with. `--model` and `/model` choose another.", check: modelName, env: "RAMO_MODEL"},
	{key: "summary_model", doc: "The model that writes branch summaries and compactions, `provider/model`; a cheaper one will do. Without it `model` does.", check: modelName, env: "RAMO_SUMMARY_MODEL"},
	{key: "branch_summary", doc: "Whether to summarise what is left when moving in the tree.", values: []string{"ask", "never", "always"}, env: "RAMO_BRANCH_SUMMARY"},
	{key: "double_escape", doc: "What pressing Esc twice on an empty editor opens.", values: []string{"tree", "branch", "none"}},
	{key: "thinking", doc: "How much the model thinks before it answers, where the session does not say.", values: []string{"off", "minimal", "low", "medium", "high", "xhigh"}, env: "RAMO_THINKING"},
	{key: "theme", doc: "The colours; `auto` asks the terminal.", values: []string{"auto", "light", "dark"}, env: "RAMO_THEME"},
	{key: "system_prompt", doc: "What a model is told before the conversation, in place of Ramo's own words and the project's instructions (`AGENTS.md`, else `CLAUDE.md`, of the working directory and those above it in the repository). A text, or `@` and the path of a file of up to 64 kB: an absolute path, one that begins with `~/`, or in a project's file one that starts at the project.", check: promptText, file: true},
	{key: "append_system_prompt", doc: "What a model is told besides, behind that; in the same form.", check: promptText, file: true},
	{key: "allow", doc: "Beginnings of commands that bash may run without asking, whole words, such as `\"go test\"`. Commands with pipes, lists, redirections or substitutions are always asked for.", check: eachNotEmpty, appends: true},
	{key: "session_dirs", doc: "More directories to look for sessions in. `~/` is the home directory; in a project's file a relative path starts at the project.", check: directories, appends: true},
	{key: "compaction.enabled", doc: "Compact the context by itself when it gets too long."},
	{key: "compaction.reserve_tokens", doc: "How many tokens of the context window to keep free.", check: notNegative},
	{key: "compaction.keep_recent_tokens", doc: "About how many tokens of the latest messages a compaction keeps as they are.", check: notNegative},
	{key: "tools.write", doc: "The tool that makes and replaces files.", values: permissions},
	{key: "tools.edit", doc: "The tool that changes a part of a file.", values: permissions},
	{key: "tools.bash", doc: "The tool that runs commands, as the user and not confined to the project.", values: permissions},
	{key: "keys.*", doc: "The keys for an action, such as `tree = [\"ctrl+t\"]`, in place of its own.", check: keyNames},
	{key: "providers.*.type", doc: "The protocol that the provider speaks. If it is not given: the provider's name if that is one of these, otherwise `openai-compatible`.", values: providerTypes},
	{key: "providers.*.base_url", doc: "The server's address; `openai-compatible` needs it, such as `http://localhost:11434/v1` for Ollama.", check: webAddress},
	{key: "providers.*.api_key", doc: "The key. Better kept in the environment, see `api_key_env`."},
	{key: "providers.*.api_key_env", doc: "The environment variable that holds the key, in place of the provider's usual one.", check: variableName},
	{key: "providers.*.headers.*", doc: "More HTTP headers to send with each request.", check: headerValue},
	{key: "providers.*.models[].id", doc: "The model's name at the provider.", check: notEmpty, required: true},
	{key: "providers.*.models[].name", doc: "The model's name to show."},
	{key: "providers.*.models[].context_window", doc: "How many tokens its context holds.", check: notNegative},
	{key: "providers.*.models[].max_output", doc: "How many tokens an answer can have.", check: notNegative},
	{key: "providers.*.models[].reasoning", doc: "Whether it can think before it answers, as much as `thinking` says. Of a model that is in no list it is presumed that it cannot."},
	{key: "providers.*.models[].images", doc: "Whether it can see images. Of a model that is in no list it is presumed that it can; with `false` it is told in words that there was one."},
	{key: "providers.*.models[].prices.input", doc: "US dollars for a million tokens read.", check: notNegative},
	{key: "providers.*.models[].prices.output", doc: "US dollars for a million tokens written.", check: notNegative},
	{key: "providers.*.models[].prices.cache_read", doc: "US dollars for a million tokens read from the cache.", check: notNegative},
	{key: "providers.*.models[].prices.cache_write", doc: "US dollars for a million tokens written to the cache.", check: notNegative},
	{key: "extensions[].command", doc: "The program and its arguments. The program is a name on `PATH` or a path: an absolute one, one that begins with `~/`, or in a project's file one that starts at the project. A project's extensions go after the user's.", check: commandLine, required: true},
	{key: "extensions[].env.*", doc: "More environment variables for the program.", check: noNUL},
	{key: "extensions[].timeout", doc: "How long it may take over an event, such as `\"5s\"`; without it the extension host's own limit.", check: notNegative},
}

var (
	permissions   = []string{"off", "ask", "allow"} // from the strictest on
	providerTypes = []string{"anthropic", "openai", "google", "openrouter", "openai-compatible"}
)

// What a project's file may set only if the user trusts it; all else is harmless. Permissions it may
// always take away.
var (
	needTrust        = []string{"extensions", "providers", "allow", "keys", "system_prompt", "append_system_prompt"}
	onlyTightenTools = []string{"tools.write", "tools.edit", "tools.bash"}
	appendedTables   = []string{"extensions"}
)

var settingByKey = func() map[string]*setting {
	m := map[string]*setting{}
	for i := range settings {
		m[settings[i].key] = &settings[i]
	}
	return m
}()

// place is the directory that a file's relative paths start from; empty for the user's file.
type place struct{ project string }

func modelName(v any, _ place) string {
	provider, model, ok := strings.Cut(v.(string), "/")
	if !ok || provider == "" || model == "" {
		return "must be provider/model, such as \"anthropic/NAME\" or \"ollama/NAME\""
	}
	return ""
}

func notNegative(v any, _ place) string {
	switch v := v.(type) {
	case int64:
		if v >= 0 {
			return ""
		}
	case float64:
		if v >= 0 && v <= 1e9 { // neither NaN nor infinite
			return ""
		}
	case time.Duration:
		if v > 0 {
			return ""
		}
		return "must be longer than nothing"
	}
	return "must not be negative"
}

func notEmpty(v any, _ place) string {
	if v.(string) == "" {
		return "must not be empty"
	}
	return ""
}

func noNUL(v any, _ place) string {
	if strings.ContainsRune(string(v.(Secret)), 0) {
		return "must not hold a NUL"
	}
	return ""
}

func eachNotEmpty(v any, _ place) string {
	if slices.ContainsFunc(v.([]string), func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return "must not hold an empty text"
	}
	return ""
}

// promptText checks the name of a file; a text may be any.
func promptText(v any, from place) string {
	switch file, ok := strings.CutPrefix(v.(string), "@"); {
	case ok && file == "":
		return "must name a file after the @"
	case ok && from.isRelative(file):
		return fmt.Sprintf("%q must be an absolute path or start with ~/", file)
	}
	return ""
}

func commandLine(v any, from place) string {
	c := v.([]string)
	switch {
	case len(c) == 0 || c[0] == "":
		return "must name a program, such as [\"python3\", \"/path/to/extension.py\"]"
	case isPath(c[0]) && from.isRelative(c[0]):
		// It would start at the current directory, and so run a program of any project.
		return fmt.Sprintf("the program %q must be a name on PATH, an absolute path, or start with ~/", c[0])
	}
	return ""
}

func isPath(program string) bool { return strings.ContainsRune(filepath.ToSlash(program), '/') }

// isRelative tells whether a path leads to a different file in each directory.
func (from place) isRelative(path string) bool {
	return from.project == "" && !filepath.IsAbs(path) && path != "~" && !strings.HasPrefix(path, "~/")
}

var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

func keyNames(v any, _ place) string {
	for _, k := range v.([]string) {
		rest, bad := k, k == ""
		for len(rest) > 1 {
			modifier, after, ok := strings.Cut(rest, "+")
			if !ok {
				break
			}
			bad = bad || after == "" || !slices.Contains(modifiers, modifier)
			rest = after
		}
		if bad || strings.ContainsAny(k, " \t") {
			return fmt.Sprintf("%q is not the name of a key; it must be such as \"ctrl+x\" or \"f2\", with the modifiers %s", k, strings.Join(modifiers, ", "))
		}
	}
	return ""
}

func directories(v any, from place) string {
	for _, d := range v.([]string) {
		switch {
		case d == "":
			return "must not hold an empty text"
		case from.isRelative(d):
			return fmt.Sprintf("%q must be an absolute path or start with ~/", d)
		}
	}
	return ""
}

func webAddress(v any, _ place) string {
	// The address is not quoted: it can hold a password.
	u, err := url.Parse(v.(string))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "must be an address that begins with http:// or https://"
	}
	return ""
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func variableName(v any, _ place) string {
	if !variable.MatchString(v.(string)) {
		return "must be the name of an environment variable, such as \"MY_API_KEY\"" // not quoted: people put the key here
	}
	return ""
}

func headerValue(v any, _ place) string {
	if strings.ContainsAny(string(v.(Secret)), "\r\n\x00") {
		return "must be one line"
	}
	return ""
}

var durationType = reflect.TypeFor[time.Duration]()

// typeName is how a type is called in an error and in the documentation.
func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "list of strings"
	case t.Kind() == reflect.Slice:
		return "list of tables"
	case t.Kind() == reflect.Map, t.Kind() == reflect.Struct:
		return "table"
	case t.Kind() == reflect.Int64:
		return "integer"
	case t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Bool:
		return "boolean"
	}
	return "string"
}
