package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/config"
)

// home is a user's home directory with a project in it.
type home struct {
	t       *testing.T
	dir     string
	user    string // the user's config.toml
	project string // a git repository
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "xdg"))
	for _, v := range []string{"RAMO_MODEL", "RAMO_SUMMARY_MODEL", "RAMO_BRANCH_SUMMARY", "RAMO_THINKING", "RAMO_THEME"} {
		t.Setenv(v, "")
	}
	h := &home{t, dir, filepath.Join(dir, "xdg", "ramo", "config.toml"), filepath.Join(dir, "src", "project")}
	h.mkdir(filepath.Join(h.project, ".git"))
	return h
}

func (h *home) mkdir(dir string) {
	h.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) put(file, content string) string {
	h.t.Helper()
	h.mkdir(filepath.Dir(file))
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return file
}

func (h *home) putProject(content string) string {
	h.t.Helper()
	return h.put(filepath.Join(h.project, ".ramo", "config.toml"), content)
}

func (h *home) load() *config.Settings {
	h.t.Helper()
	s, err := config.Load(h.project)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *home) trust() {
	h.t.Helper()
	if err := config.Trust(h.project); err != nil {
		h.t.Fatal(err)
	}
}

func TestWithoutFilesThereAreTheDefaults(t *testing.T) {
	h := newHome(t)
	s := h.load()
	if !reflect.DeepEqual(s, config.Default()) {
		t.Errorf("got %+v", s)
	}
	for _, r := range s.List() {
		if r.Origin.String() != "default" {
			t.Errorf("%s is from %s", r.Key, r.Origin)
		}
	}
	if left, err := os.ReadDir(h.dir); err != nil || len(left) != 1 {
		t.Errorf("loading wrote something: %v, %v", left, err)
	}
}

const everything = `model = "ollama/qwen"
summary_model = "ollama/small"
branch_summary = "always"
double_escape = "branch"
thinking = "high"
theme = "dark"
system_prompt = "You are kind."
append_system_prompt = "@~/more.md"
allow = ["go test", "ls"]
session_dirs = ["~/sessions", "/srv/sessions"]

[compaction]
enabled = false
reserve_tokens = 1
keep_recent_tokens = 2

[tools]
write = "allow"
edit = "ask"
bash = "ask"

[keys]
tree = ["ctrl+t", "alt+shift+f2"]
plus = ["+", "ctrl++"]

[providers.ollama]
base_url = "http://localhost:11434/v1"
headers = { X-Team = "secret-team" }
[[providers.ollama.models]]
id = "qwen"
name = "Qwen"
context_window = 32768
max_output = 4096
prices = { input = 1, output = 2.5, cache_read = 0.1, cache_write = 3 }
reasoning = true
images = false
[[providers.ollama.models]]
id = "small"
[providers.anthropic]
api_key = "secret-key"
api_key_env = "MY_KEY"

[[extensions]]
command = ["python3", "guard.py"]
timeout = "1m30s"
[extensions.env]
TOKEN = "secret-token"
[[extensions]]
command = ["~/bin/x", "./y"]
`

func TestEverySettingIsRead(t *testing.T) {
	h := newHome(t)
	h.put(h.user, everything)
	s := h.load()
	want := config.Default()
	want.Model, want.SummaryModel, want.BranchSummary, want.DoubleEscape = "ollama/qwen", "ollama/small", "always", "branch"
	want.Thinking, want.Theme = "high", "dark"
	want.SystemPrompt, want.AppendSystemPrompt = "You are kind.", "@"+filepath.Join(h.dir, "more.md")
	want.Allow = []string{"go test", "ls"}
	want.SessionDirs = []string{filepath.Join(h.dir, "sessions"), "/srv/sessions"}
	want.Compaction = config.Compaction{Enabled: false, ReserveTokens: 1, KeepRecentTokens: 2}
	want.Tools = config.Tools{Write: "allow", Edit: "ask", Bash: "ask"}
	want.Keys = map[string][]string{"tree": {"ctrl+t", "alt+shift+f2"}, "plus": {"+", "ctrl++"}}
	want.Providers = map[string]config.Provider{
		"ollama": {
			Type: "openai-compatible", BaseURL: "http://localhost:11434/v1", Headers: map[string]config.Secret{"X-Team": "secret-team"},
			Models: []config.Model{
				{ID: "qwen", Name: "Qwen", ContextWindow: 32768, MaxOutput: 4096, Reasoning: new(true), Images: new(false), Prices: config.Prices{Input: 1, Output: 2.5, CacheRead: 0.1, CacheWrite: 3}},
				{ID: "small"},
			},
		},
		"anthropic": {Type: "anthropic", APIKey: "secret-key", APIKeyEnv: "MY_KEY"},
	}
	want.Extensions = []config.Extension{
		{Command: []string{"python3", "guard.py"}, Timeout: 90 * time.Second, Env: map[string]config.Secret{"TOKEN": "secret-token"}},
		{Command: []string{filepath.Join(h.dir, "bin", "x"), "./y"}},
	}
	got, err := visible(s), error(nil)
	if want := visible(want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if s.Providers["anthropic"].APIKey.Reveal() != "secret-key" {
		t.Error("the key cannot be used")
	}
}

// visible is what anyone can see of settings.
func visible(s *config.Settings) map[string]any {
	m := map[string]any{}
	v := reflect.ValueOf(s).Elem()
	for f, field := range v.Fields() {
		if f.IsExported() {
			m[f.Name] = field.Interface()
		}
	}
	return m
}

func TestListShowsEveryValueWithItsOriginAndNoSecret(t *testing.T) {
	h := newHome(t)
	h.put(h.user, everything)
	h.putProject("theme = \"light\"\n[compaction]\n\nreserve_tokens = 7\n")
	t.Setenv("RAMO_THINKING", "low")
	s := h.load()
	var got strings.Builder
	for _, r := range s.List() {
		fmt.Fprintf(&got, "%s = %s (%s)\n", r.Key, r.Value, r.Origin)
		if s.Origin(r.Key) != r.Origin {
			t.Errorf("Origin(%s) is %s", r.Key, s.Origin(r.Key))
		}
	}
	want := strings.NewReplacer("USER", "user "+h.user, "PROJECT", "project "+filepath.Join(h.project, ".ramo", "config.toml"), "HOME", h.dir).Replace(
		`model = "ollama/qwen" (USER:1)
summary_model = "ollama/small" (USER:2)
branch_summary = "always" (USER:3)
double_escape = "branch" (USER:4)
thinking = "low" (environment RAMO_THINKING)
theme = "light" (PROJECT:1)
system_prompt = "You are kind." (USER:7)
append_system_prompt = "@HOME/more.md" (USER:8)
allow[0] = "go test" (USER:9)
allow[1] = "ls" (USER:9)
session_dirs[0] = "HOME/sessions" (USER:10)
session_dirs[1] = "/srv/sessions" (USER:10)
compaction.enabled = false (USER:13)
compaction.reserve_tokens = 7 (PROJECT:4)
compaction.keep_recent_tokens = 2 (USER:15)
tools.write = "allow" (USER:18)
tools.edit = "ask" (USER:19)
tools.bash = "ask" (USER:20)
keys.plus = ["+", "ctrl++"] (USER:24)
keys.tree = ["ctrl+t", "alt+shift+f2"] (USER:23)
providers.anthropic.type = "anthropic" (default)
providers.anthropic.api_key = "********" (USER:40)
providers.anthropic.api_key_env = "MY_KEY" (USER:41)
providers.ollama.type = "openai-compatible" (default)
providers.ollama.base_url = "http://localhost:11434/v1" (USER:27)
providers.ollama.headers.X-Team = "********" (USER:28)
providers.ollama.models[0].id = "qwen" (USER:30)
providers.ollama.models[0].name = "Qwen" (USER:31)
providers.ollama.models[0].context_window = 32768 (USER:32)
providers.ollama.models[0].max_output = 4096 (USER:33)
providers.ollama.models[0].reasoning = true (USER:35)
providers.ollama.models[0].images = false (USER:36)
providers.ollama.models[0].prices.input = 1 (USER:34)
providers.ollama.models[0].prices.output = 2.5 (USER:34)
providers.ollama.models[0].prices.cache_read = 0.1 (USER:34)
providers.ollama.models[0].prices.cache_write = 3 (USER:34)
providers.ollama.models[1].id = "small" (USER:38)
extensions[0].command = ["python3", "guard.py"] (USER:44)
extensions[0].env.TOKEN = "********" (USER:47)
extensions[0].timeout = "1m30s" (USER:45)
extensions[1].command = ["HOME/bin/x", "./y"] (USER:49)
`)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestASecretIsNeverPrinted(t *testing.T) {
	h := newHome(t)
	h.put(h.user, everything)
	s := h.load()
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	key := s.Providers["anthropic"].APIKey
	for _, out := range []string{
		fmt.Sprint(s), fmt.Sprintf("%v", *s), fmt.Sprintf("%+v", *s), fmt.Sprintf("%#v", *s), string(encoded),
		fmt.Sprintf("%s %q %x %X %d %#v %v", key, key, key, key, key, key, &key), key.String(), fmt.Sprint(s.List()),
	} {
		if strings.Contains(out, "secret") || strings.Contains(out, "736563726574") {
			t.Errorf("a secret in %s", out)
		}
	}
	h.put(h.user, "[providers.x]\nbase_url = \"https://me:secret@example.com/v1\"\n")
	if out := fmt.Sprint(h.load().List()); strings.Contains(out, "secret") || !strings.Contains(out, "example.com") {
		t.Errorf("a password in %s", out)
	}
}

func TestErrorsNameFileLineAndWhatWouldBeRight(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a typo", "\nmodle = \"a/b\"", "FILE:2: modle: there is no such setting; did you mean model?"},
		{"letters swapped", "[tools]\nbahs = \"ask\"", "FILE:2: tools.bahs: there is no such setting; did you mean bash?"},
		{"upper case", "Theme = \"dark\"", "FILE:1: Theme: there is no such setting; did you mean theme?"},
		{"a typo in a table's name", "[compactoin]\nenabled = true", "FILE:1: compactoin: there is no such setting; did you mean compaction?"},
		{"a typo in a list of tables", "[[extensions]]\ncommand = [\"a\"]\n[[extensions]]\ncommand = [\"b\"]\ntimout = \"1s\"", "FILE:5: extensions[1].timout: there is no such setting; did you mean timeout?"},
		{"a typo deep down", "[[providers.a.models]]\nid = \"x\"\n[providers.a.models.prices]\nouput = 1\n[providers.a]\nbase_url=\"http://x\"", "FILE:4: providers.a.models[0].prices.ouput: there is no such setting; did you mean output?"},
		{"nothing like it", "[tools]\nfrobnicate = 1", "FILE:2: tools.frobnicate: there is no such setting; there are bash, edit, write"},
		{"not one of the values", "branch_summary = \"sometimes\"", "FILE:1: branch_summary: \"sometimes\" is not allowed; it must be one of ask, never, always"},
		{"a wrong type with values", "theme = 1", "FILE:1: theme: must be a string, not an integer; one of auto, light, dark"},
		{"a number in quotes", "[compaction]\nreserve_tokens = \"16384\"", "FILE:2: compaction.reserve_tokens: must be an integer, not a string"},
		{"a fraction", "[compaction]\nreserve_tokens = 1.5", "FILE:2: compaction.reserve_tokens: must be an integer, not a number with a fraction"},
		{"yes for true", "[compaction]\nenabled = \"yes\"", "FILE:2: compaction.enabled: must be a boolean, not a string"},
		{"negative", "[compaction]\nreserve_tokens = -1", "FILE:2: compaction.reserve_tokens: must not be negative"},
		{"a value for a table", "tools = \"allow\"", "FILE:1: tools: must be a table, not a string"},
		{"a table for a value", "[theme]\na = 1", "FILE:1: theme: must be a string, not a table; one of auto, light, dark"},
		{"a string for a list", "allow = \"ls\"", "FILE:1: allow: must be a list of strings, not a string"},
		{"a list of something else", "allow = [\n\"ls\",\n1]", "FILE:1: allow: must be a list of strings; it holds an integer"},
		{"a date", "theme = 2020-01-01", "FILE:1: theme: must be a string, not a date or time; one of auto, light, dark"},
		{"one table for a list of them", "[extensions]\ncommand = [\"a\"]", "FILE:1: extensions: must be a list of tables, not a table"},
		{"a model without its provider", "model = \"sonnet\"", "FILE:1: model: must be provider/model, such as \"anthropic/NAME\" or \"ollama/NAME\""},
		{"a key that is none", "[keys]\ntree = [\"control+x\"]", "FILE:2: keys.tree: \"control+x\" is not the name of a key; it must be such as \"ctrl+x\" or \"f2\", with the modifiers ctrl, alt, shift, meta, hyper, super"},
		{"a relative directory", "session_dirs = [\"a\"]", "FILE:1: session_dirs: \"a\" must be an absolute path or start with ~/"},
		{"seconds as a number", "[[extensions]]\ncommand = [\"a\"]\ntimeout = 5", "FILE:3: extensions[0].timeout: must be a duration in quotes, such as \"5s\" or \"1m30s\", not an integer"},
		{"a duration without a unit", "[[extensions]]\ncommand = [\"a\"]\ntimeout = \"5\"", "FILE:3: extensions[0].timeout: must be a duration such as \"5s\" or \"1m30s\", not \"5\""},
		{"no time at all", "[[extensions]]\ncommand = [\"a\"]\ntimeout = \"0s\"", "FILE:3: extensions[0].timeout: must be longer than nothing"},
		{"no command", "\n[[extensions]]\ntimeout = \"5s\"", "FILE:2: extensions[0].command: is missing; every extension needs it"},
		{"an empty command", "[[extensions]]\ncommand = []", "FILE:2: extensions[0].command: must name a program, such as [\"python3\", \"/path/to/extension.py\"]"},
		{"a program that depends on the directory", "[[extensions]]\ncommand = [\"./guard.sh\"]", "FILE:2: extensions[0].command: the program \"./guard.sh\" must be a name on PATH, an absolute path, or start with ~/"},
		{"no model id", "[providers.a]\nbase_url = \"http://x\"\n\n[[providers.a.models]]\nname = \"x\"", "FILE:4: providers.a.models[0].id: is missing; every model needs it"},
		{"a file that is none", "system_prompt = \"@\"", "FILE:1: system_prompt: must name a file after the @"},
		{"a file that is another in each directory", "append_system_prompt = \"@more.md\"", "FILE:1: append_system_prompt: \"more.md\" must be an absolute path or start with ~/"},
		{"an inline table", "[providers.a]\nbase_url = \"http://x\"\nmodels = [\n  {id = \"x\", prize = 1},\n]", "FILE:3: providers.a.models[0].prize: there is no such setting; did you mean prices?"},
		{"no address", "[providers.\"my server\"]\napi_key_env = \"X\"", "FILE:1: providers.\"my server\".base_url: is missing; an openai-compatible provider needs it"},
		{"an address that is none", "[providers.a]\nbase_url = \"localhost:11434\"", "FILE:2: providers.a.base_url: must be an address that begins with http:// or https://"},
		{"an unknown protocol", "[providers.a]\ntype = \"ollama\"\nbase_url = \"http://x\"", "FILE:2: providers.a.type: \"ollama\" is not allowed; it must be one of anthropic, openai, google, openrouter, openai-compatible"},
		{"a provider with a slash", "[providers.\"a/b\"]\nbase_url = \"http://x\"", "FILE:1: providers.\"a/b\": must have a name, without a slash"},
		{"not TOML", "theme = \"dark\"\nmodel =\n", "FILE:2: not valid TOML: expected value but found '\\n' instead"},
		{"twice", "theme = \"dark\"\n\ntheme = \"dark\"", "FILE:3: not valid TOML: Key 'theme' has already been defined."},
		{"all at once", "modle = \"a/b\"\n[tools]\nbash = \"yes\"\n", "FILE:1: modle: there is no such setting; did you mean model?\nFILE:3: tools.bash: \"yes\" is not allowed; it must be one of off, ask, allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.put(h.user, c.text)
			s, err := config.Load(h.project)
			if want := strings.ReplaceAll(c.want, "FILE", h.user); err == nil || err.Error() != want || s != nil {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if e, ok := errors.AsType[*config.Error](err); !ok || e.Origin.Source != config.FromUser {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestNoErrorQuotesASecret(t *testing.T) {
	for _, text := range []string{
		"[providers.openai]\napi_key = secret",
		"[providers.openai]\napi_key = truesecret",
		"[providers.openai]\napi_key = \"secret",
		"[providers.openai]\napi_key = \"secret\\q\"",
		"[providers.openai]\napi_key = 5secret",
		"[providers.openai]\napi_key = [\"secret\"]",
		"[providers.openai]\napi_key = {secret=1}",
		"[providers.openai]\napi_key_env = \"sk-secret\"",
		"[providers.openai]\nbase_url = \"ftp://me:secret@x\"",
		"[providers.openai.headers]\nX = \"secret\\nX\"",
		"[providers.openai]\nheaders = \"secret\"",
		"[providers]\nopenai = \"secret\"",
		"[[extensions]]\ncommand = [\"x\"]\nenv = {A = \"secret\\u0000\"}",
	} {
		h := newHome(t)
		h.put(h.user, text)
		if _, err := config.Load(h.project); err == nil || strings.Contains(strings.ReplaceAll(err.Error(), "openai.api_key.secret", ""), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	h := newHome(t)
	h.put(h.user, "model = \"a/b\"\n")
	t.Setenv("RAMO_MODEL", "c/d/e")
	s := h.load()
	if got := s.Origin("model"); s.Model != "c/d/e" || got.String() != "environment RAMO_MODEL" {
		t.Errorf("got %s from %s", s.Model, got)
	}
	t.Setenv("RAMO_THEME", "pink")
	if _, err := config.Load(h.project); err == nil || err.Error() != `RAMO_THEME: theme: "pink" is not allowed; it must be one of auto, light, dark` {
		t.Errorf("got %v", err)
	}
}

func TestOddFiles(t *testing.T) {
	h := newHome(t)
	h.put(h.user, "\ufefftheme = \"dark\"\r\n\r\nthinking = \"low\"\r\n")
	if s := h.load(); s.Theme != "dark" || s.Origin("thinking").Line != 3 {
		t.Errorf("a byte order mark and CRLF: %s, line %d", s.Theme, s.Origin("thinking").Line)
	}
	h.put(h.user, "")
	if s := h.load(); s.Theme != "auto" {
		t.Error("an empty file")
	}
	h.put(h.user, "# "+strings.Repeat("x", 1<<20))
	if _, err := config.Load(h.project); err == nil || err.Error() != h.user+": is larger than 1 MB" {
		t.Errorf("a huge file: %v", err)
	}
	if err := os.Remove(h.user); err != nil {
		t.Fatal(err)
	}
	h.mkdir(h.user)
	if _, err := config.Load(h.project); err == nil || err.Error() != h.user+": is not a regular file" {
		t.Errorf("a directory: %v", err)
	}
}

func TestWhichFileIsTheProjects(t *testing.T) {
	h := newHome(t)
	repo := h.project
	outside := t.TempDir() // neither in a repository nor at home
	inHome := filepath.Join(h.dir, "notes", "2024")
	h.mkdir(inHome)
	h.mkdir(filepath.Join(repo, "a", "b"))
	h.mkdir(filepath.Join(outside, "a"))
	for _, c := range []struct {
		name  string
		files []string // directories that have .ramo/config.toml
		cwd   string
		want  string
	}{
		{"none", nil, repo, ""},
		{"here", []string{repo}, repo, repo},
		{"above", []string{repo}, filepath.Join(repo, "a", "b"), repo},
		{"the nearest", []string{repo, filepath.Join(repo, "a")}, filepath.Join(repo, "a", "b"), filepath.Join(repo, "a")},
		{"none above the repository's root", []string{filepath.Dir(repo)}, repo, ""},
		{"up to the home directory", []string{h.dir}, inHome, h.dir},
		{"none above the home directory", []string{filepath.Dir(h.dir)}, inHome, ""},
		{"outside, here", []string{outside}, outside, outside},
		{"outside, none above", []string{outside}, filepath.Join(outside, "a"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range c.files {
				h.put(filepath.Join(d, ".ramo", "config.toml"), "")
				defer os.RemoveAll(filepath.Join(d, ".ramo"))
			}
			if got, err := config.Project(c.cwd); err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestCheckKeys(t *testing.T) {
	h := newHome(t)
	h.put(h.user, "[keys]\ntree = [\"ctrl+t\"]\nlabl = [\"ctrl+l\"]\nxyzzy = []\n")
	err := h.load().CheckKeys([]string{"tree", "label"})
	if want := h.user + ":3: keys.labl: there is no such action; did you mean label?\n" + h.user + ":4: keys.xyzzy: there is no such action; there are tree, label"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := h.load().CheckKeys([]string{"tree", "labl", "xyzzy"}); err != nil {
		t.Error(err)
	}
}
