package journeys

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
)

// traveller is someone with a home, a project and perhaps a model server.
type traveller struct {
	t       *testing.T
	home    string
	project string
	editor  string
	server  *modeltest.Server
}

func newTraveller(t *testing.T, settings string, script ...modeltest.Turn) *traveller {
	t.Helper()
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &traveller{t: t, home: filepath.Join(base, "home"), project: filepath.Join(base, "shop")}
	for _, dir := range []string{p.home, p.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if len(script) > 0 {
		p.server = modeltest.NewServer(t, modeltest.OpenAI, script...)
		settings = "model = \"local/small\"\n" + settings + fmt.Sprintf(`
[providers.local]
type = "openai-compatible"
base_url = %q
[[providers.local.models]]
id = "small"
context_window = 100000
`, p.server.BaseURL(modeltest.OpenAI))
	}
	p.write(filepath.Join(p.home, "config", "ramo", "config.toml"), settings)
	return p
}

func (p *traveller) env() []string {
	return []string{
		"HOME=" + p.home, "XDG_CONFIG_HOME=" + p.home + "/config", "XDG_DATA_HOME=" + p.home + "/data",
		"XDG_STATE_HOME=" + p.home + "/state", "XDG_CACHE_HOME=" + p.home + "/cache", "TZ=UTC", "LANG=C.UTF-8",
		"PATH=" + os.Getenv("PATH"), "EDITOR=" + p.editor,
	}
}

func (p *traveller) write(path, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// session puts a session of pi about the project where pi keeps them.
func (p *traveller) session(entries ...string) (path string) {
	p.t.Helper()
	dir := "--" + strings.ReplaceAll(strings.Trim(p.project, "/"), "/", "-") + "--"
	path = filepath.Join(p.home, ".pi", "agent", "sessions", dir, "2026-03-09T09-00-00-000Z_0195a0b0-0000-7000-8000-000000000001.jsonl")
	header := fmt.Sprintf(`{"type":"session","version":3,"id":"0195a0b0-0000-7000-8000-000000000001","timestamp":"2026-03-09T09:00:00.000Z","cwd":%q}`, p.project)
	p.write(path, header+"\n"+strings.Join(entries, "\n")+"\n")
	return path
}

// said is an entry of a session: who said what after which.
func said(id, parent, role, text string) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	message := fmt.Sprintf(`{"role":"user","content":%q,"timestamp":1773046800000}`, text)
	if role == "assistant" {
		message = fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%q}],"api":"openai-completions","provider":"local","model":"small","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1773046800000}`, text)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-09T09:00:%s.000Z","message":%s}`, id, up, id[len(id)-2:], message)
}

// soup is a conversation of three requests in one line.
func (p *traveller) soup() (path string) {
	p.t.Helper()
	return p.session(
		said("00000001", "", "user", "how do I make onion soup"),
		said("00000002", "00000001", "assistant", "Cut four onions and let them brown for an hour."),
		said("00000003", "00000002", "user", "which wine goes into it"),
		said("00000004", "00000003", "assistant", "A dry white one."),
		said("00000005", "00000004", "user", "and what about the bread"),
		said("00000006", "00000005", "assistant", "Old bread, toasted, with cheese."),
	)
}

// entry is a line of a session file, as far as the journeys look at it.
type entry struct {
	Type     string  `json:"type"`
	ID       string  `json:"id"`
	ParentID *string `json:"parentId"`
	TargetID string  `json:"targetId"`
	Label    string  `json:"label"`
	Name     string  `json:"name"`
	Summary  string  `json:"summary"`
	FromID   string  `json:"fromId"`
	Parent   string  `json:"parentSession"`
	Message  struct {
		Role       string          `json:"role"`
		StopReason string          `json:"stopReason"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

func (e entry) parent() string {
	if e.ParentID == nil {
		return ""
	}
	return *e.ParentID
}

func (e entry) has(text string) bool { return strings.Contains(string(e.Message.Content), text) }

// lines reads a session file as anyone would, a JSON object a line.
func (p *traveller) lines(path string) []entry {
	p.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	var all []entry
	for k, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.t.Fatalf("%s:%d: %v: %s", path, k+1, err, line)
		}
		all = append(all, e)
	}
	return all
}

// last is the newest entry of a file that a condition holds for.
func (p *traveller) last(path string, wanted func(entry) bool) entry {
	p.t.Helper()
	all := p.lines(path)
	for k := len(all) - 1; k >= 0; k-- {
		if wanted(all[k]) {
			return all[k]
		}
	}
	p.t.Fatalf("%s has no such entry: %+v", path, all)
	return entry{}
}

func containing(text string) func(entry) bool { return func(e entry) bool { return e.has(text) } }
func ofType(typ string) func(entry) bool      { return func(e entry) bool { return e.Type == typ } }

func (p *traveller) read(path string) string {
	p.t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}
