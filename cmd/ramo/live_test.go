package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
)

// withModel gives the machine a model, test/m, whose server answers by a script.
func (m *machine) withModel(script ...modeltest.Turn) *modeltest.Server {
	m.t.Helper()
	s := modeltest.NewServer(m.t, modeltest.OpenAI, script...)
	m.settings(`model = "test/m"
[providers.test]
base_url = "` + s.BaseURL(modeltest.OpenAI) + `"
api_key = "sk-in-the-settings"
[[providers.test.models]]
id = "m"
name = "Test model"
context_window = 100000
prices = { input = 1, output = 10 }
[compaction]
keep_recent_tokens = 100
`)
	return s
}

func (m *machine) settings(toml string) {
	m.t.Helper()
	m.file(filepath.Join(m.home, ".config", "ramo", "config.toml"), toml)
}

var stamps = regexp.MustCompile(`"timestamp":(\d+|"[^"]*")`)

// TestGoldenLive shows what the commands print that ask a model: one file of testdata/golden a story.
func TestGoldenLive(t *testing.T) {
	answer := modeltest.Turn{Text: []string{"All is ", "well."}}
	summary := modeltest.Turn{Text: []string{"## Goal\nRight totals."}}
	for _, c := range []struct {
		name   string
		script []modeltest.Turn
		steps  []string
	}{
		{"live-prompt", []modeltest.Turn{
			answer,
			answer,
			{Calls: []modeltest.Call{{ID: "c1", Name: "nothing", Arguments: `{"a":"b\u001b[2J"}`}}}, {Thinking: []string{"hm"}, Text: []string{"So it ", "\x1b[2Jis."}},
			{Status: 400, Message: "no such thing\x1b[2J"},
			{Text: []string{"It broke"}, Fail: "broken"},
			{Status: 429, Message: "slow down", Header: map[string]string{"Retry-After": "0"}}, answer,
		}, []string{
			"prompt tour.jsonl How+is+it?",
			"prompt tour.jsonl << And from standard input?\n",
			"prompt tour.jsonl Use+a+tool.",
			"prompt tour.jsonl This+is+refused.",
			"prompt tour.jsonl This+breaks.",
			"prompt tour.jsonl This+is+tried+again.",
			"tree tour.jsonl --filter user-only",
		}},
		{"live-prompt-json", []modeltest.Turn{answer}, []string{"prompt tour.jsonl --json How+is+it?"}},
		{"live-prompt-refused", []modeltest.Turn{answer}, []string{
			"prompt",
			"prompt tour.jsonl << \n",
			"prompt nosuch.jsonl hello",
			"prompt tour.jsonl hello --model test",
			"prompt tour.jsonl hello --model tset/m",
			"prompt tour.jsonl hello --model ramo/extract",
			"prompt tour.jsonl hello --model openai/gpt-5",
		}},
		{"live-compact", []modeltest.Turn{summary, {Text: []string{"Right totals"}}}, []string{
			"compact tour.jsonl --instructions keep+the+numbers",
			"compact tour.jsonl",
			"context tour.jsonl",
			"compact extract.jsonl --model ramo/extract --json",
			"compact tour.jsonl --model nosuch/m",
			"compact",
		}},
		{"live-nav", []modeltest.Turn{summary}, []string{
			"nav tour.jsonl diagnosis --summarize --instructions mind+the+cents",
			"nav tour.jsonl this+branch --summarize --json",
			"nav tour.jsonl e94903e2 --summarize --model ramo/extract",
			"tree tour.jsonl --filter user-only",
			"nav tour.jsonl diagnosis --model test/m",
			"nav tour.jsonl diagnosis --summarize --model nosuch/m",
		}},
		{"live-models", []modeltest.Turn{answer}, []string{"models", "models --json", "models extra"}},
		{"live-config", []modeltest.Turn{answer}, []string{"config", "config --json", "config trust", "config untrust .", "config nosuch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.env = append(m.env, "COLUMNS=90")
			m.tour()
			m.file("extract.jsonl", read(t, "../../examples/tour.jsonl"))
			server := m.withModel(c.script...)
			var story strings.Builder
			for _, step := range c.steps {
				line, in, _ := strings.Cut(step, " << ")
				args := strings.Split(line, " ")
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "+", " ")
				}
				o := m.run(in, args...)
				fmt.Fprintf(&story, "$ ramo %q", args)
				if in != "" {
					fmt.Fprintf(&story, " << %q", in)
				}
				fmt.Fprintf(&story, "\n%s%s", o.out, o.err)
				if o.code != 0 {
					fmt.Fprintf(&story, "exit %d\n", o.code)
				}
				if strings.ContainsAny(o.out+o.err, "\x1b\a") {
					t.Errorf("ramo %q prints what acts on a terminal: %q %q", args, o.out, o.err)
				}
			}
			got := strings.ReplaceAll(story.String(), server.URL, "SERVER")
			got = stamps.ReplaceAllString(m.normalized(got), `"timestamp":TIME`)
			file := filepath.Join("testdata", "golden", c.name)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := read(t, file); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestWithoutAModelTheWayOutIsNamed(t *testing.T) {
	for args, want := range map[string]string{
		"prompt tour.jsonl hello":              "--model",
		"compact tour.jsonl":                   "ramo/extract",
		"nav tour.jsonl diagnosis --summarize": "ramo/extract",
	} {
		m := newMachine(t)
		path := m.file("tour.jsonl", strings.ReplaceAll(read(t, "../../examples/tour.jsonl"), "anthropic", "nowhere"))
		before := read(t, path)
		o := m.run("", strings.Fields(args)...)
		if o.code != exitFailed || o.out != "" || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, want) {
			t.Errorf("ramo %s: exit %d, %q, %q", args, o.code, o.out, o.err)
		}
		if read(t, path) != before {
			t.Errorf("ramo %s: the session changed", args)
		}
	}
}

func TestWhatAModelSaidIsInTheSession(t *testing.T) {
	m := newMachine(t)
	path := m.tour()
	before := read(t, path)
	server := m.withModel(modeltest.Turn{Text: []string{"All is well."}, Input: 1000, Output: 100})
	m.run("", "prompt", "tour.jsonl", "How is it?")
	after := read(t, path)
	if !strings.HasPrefix(after, before) {
		t.Error("what was there changed")
	}
	var added []struct {
		ID, ParentID string
		Message      struct {
			Role  string
			Usage *message.Usage
		}
	}
	for line := range strings.Lines(strings.TrimPrefix(after, before)) {
		added = append(added, struct {
			ID, ParentID string
			Message      struct {
				Role  string
				Usage *message.Usage
			}
		}{})
		if err := json.Unmarshal([]byte(line), &added[len(added)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if len(added) != 2 || added[0].Message.Role != "user" || added[1].Message.Role != "assistant" || added[1].ParentID != added[0].ID {
		t.Fatalf("%+v", added)
	}
	if u := added[1].Message.Usage; u == nil || u.Input != 1000 || u.Output != 100 || u.Cost.Total != 0.002 {
		t.Errorf("%+v", u)
	}
	if sent := server.Requests()[0].Raw; !strings.Contains(sent, "How is it?") || !strings.Contains(sent, "Right totals") && !strings.Contains(sent, "Changelog, then commit") {
		t.Errorf("the model was asked: %s", sent)
	}
}

// TestKeysNeverLeak has a key in the settings, in a header and in the environment, and a provider
// that says it back in everything it says.
func TestKeysNeverLeak(t *testing.T) {
	const inSettings, inHeader, inEnv, inAddress = "sk-5e771n65-aaaa", "hdr-5ec4e7-bbbb", "sk-env-5ec4e7-cccc", "pass-5ec4e7-dddd"
	secrets := []string{inSettings, inHeader, inEnv, inAddress}
	for _, c := range []struct {
		name  string
		serve func(key string) modeltest.Turn
	}{
		{"refused", func(key string) modeltest.Turn {
			return modeltest.Turn{Status: 401, Message: "Incorrect API key provided: " + key, Echo: true}
		}},
		{"a body that is no JSON", func(key string) modeltest.Turn {
			return modeltest.Turn{Status: 403, Body: "<html>Bearer " + key + " may not " + inHeader + "</html>"}
		}},
		{"a rate limit that lasts", func(key string) modeltest.Turn {
			return modeltest.Turn{Status: 429, Message: "too much for " + key, Echo: true, Header: map[string]string{"Retry-After": "100000"}}
		}},
		{"an error in the middle of the answer", func(key string) modeltest.Turn {
			return modeltest.Turn{Text: []string{"half"}, Fail: "the key " + key + " has run out"}
		}},
	} {
		for _, protocol := range []struct {
			name, provider, env string
			speaks              modeltest.Protocol
		}{
			{"compatible", "own", "OWN_API_KEY", modeltest.OpenAI},
			{"anthropic", "anthropic", "ANTHROPIC_API_KEY", modeltest.Anthropic},
			{"google", "google", "GEMINI_API_KEY", modeltest.Google},
		} {
			for _, where := range []string{"settings", "environment"} {
				t.Run(c.name+"/"+protocol.name+"/"+where, func(t *testing.T) {
					m := newMachine(t)
					m.env = append(m.env, protocol.env+"="+inEnv)
					path := m.tour()
					key, own := inEnv, ""
					if where == "settings" {
						key, own = inSettings, "api_key = \""+inSettings+"\"\n"
					}
					server := modeltest.NewServer(t, protocol.speaks, c.serve(key))
					address := strings.Replace(server.BaseURL(protocol.speaks), "http://", "http://user:"+inAddress+"@", 1)
					m.settings(fmt.Sprintf("model = \"%[1]s/m\"\n[providers.%[1]s]\nbase_url = %[2]q\n%[3]sheaders = { X-Team-Token = %[4]q }\n", protocol.provider, address, own, inHeader))
					var said strings.Builder
					for _, args := range [][]string{
						{"prompt", path, "hello"}, {"prompt", path, "hello", "--json"}, {"compact", path}, {"compact", path, "--json"},
						{"nav", path, "diagnosis", "--summarize"}, {"config"}, {"config", "--json"}, {"models", "--all"}, {"info", path}, {"context", path},
					} {
						o := m.run("", args...)
						said.WriteString(o.out + o.err)
						if args[0] == "prompt" && o.code != exitFailed {
							t.Errorf("ramo %q: exit %d, %s%s", args, o.code, o.out, o.err)
						}
					}
					if n := len(server.Requests()); n == 0 {
						t.Fatal("nothing was asked")
					}
					all := map[string]string{"the output": said.String()}
					err := filepath.WalkDir(filepath.Dir(m.home), func(path string, d os.DirEntry, err error) error {
						if err == nil && d.Type().IsRegular() && d.Name() != "config.toml" {
							all[path] = read(t, path)
						}
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
					for where, text := range all {
						for _, secret := range secrets {
							if i := strings.Index(text, secret); i >= 0 {
								t.Errorf("%s is in %s: …%q", secret, where, text[max(0, i-200):i+len(secret)])
							}
						}
					}
					if all[path] == "" || strings.TrimPrefix(all[path], read(t, "../../examples/tour.jsonl")) == "" {
						t.Error("nothing came into the session: the test would see no leak there")
					}
				})
			}
		}
	}
}
