package agent_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

var threeModels = model.NewRegistry(map[string]model.Settings{
	"test":  {BaseURL: "http://127.0.0.1:1", Models: []model.Info{{ID: "own"}, {ID: "default"}, {ID: "chosen"}}},
	"nokey": {Type: "openai", APIKeyEnv: "RAMO_TEST_NO_SUCH_KEY", Models: []model.Info{{ID: "m"}}},
})

func write(t *testing.T, dir string, bodies ...session.Body) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	s, err := session.Create(path, session.NewHeader(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(bodies, session.Custom{CustomType: "end"}) {
		if _, err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WriteHeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openWith(t *testing.T, path string, o agent.Options) *agent.Agent {
	t.Helper()
	s, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func TestTheModelIsTheChosenElseTheSessionsElseTheDefault(t *testing.T) {
	for _, c := range []struct {
		name            string
		session         []session.Body
		options         agent.Options
		model, thinking string
	}{
		{name: "nothing says one", thinking: "off"},
		{"the default, where the session says nothing", nil, agent.Options{DefaultModel: "test/default", DefaultThinking: "low"}, "test/default", "low"},
		{"the session's own, before the default", []session.Body{session.ModelChange{Model: "test/own"}, session.ThinkingLevelChange{Level: "high"}},
			agent.Options{DefaultModel: "test/default", DefaultThinking: "low"}, "test/own", "high"},
		{"a level of off that the session says is one", []session.Body{session.ThinkingLevelChange{}}, agent.Options{DefaultThinking: "low"}, "", "off"},
		{"the default, where the session's cannot be asked here", []session.Body{session.ModelChange{Model: "nokey/m"}},
			agent.Options{DefaultModel: "test/default"}, "test/default", "off"},
		{"the default, where nobody here knows the session's provider", []session.Body{session.ModelChange{Model: "elsewhere/m"}},
			agent.Options{DefaultModel: "test/default"}, "test/default", "off"},
		{"the chosen, before all", []session.Body{session.ModelChange{Model: "test/own"}, session.ThinkingLevelChange{Level: "high"}},
			agent.Options{Model: "test/chosen", Thinking: "minimal", DefaultModel: "test/default", DefaultThinking: "low"}, "test/chosen", "minimal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Models = threeModels
			a := openWith(t, write(t, "", c.session...), c.options)
			info, ok := a.Model()
			if ok != (c.model != "") || ok && info.Ref() != c.model || a.Thinking() != c.thinking {
				t.Errorf("%s, thinking %s; want %q, %s", info.Ref(), a.Thinking(), c.model, c.thinking)
			}
		})
	}
}

func TestAModelThatNobodyKnowsIsAnErrorWhereverTheOptionsNameIt(t *testing.T) {
	for _, o := range []agent.Options{{Model: "tset/own"}, {DefaultModel: "tset/own"}} {
		o.Models = threeModels
		if _, err := agent.New(session.NewMemory(session.NewHeader("")), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestASwitchTakesUpTheOtherSessionsModel(t *testing.T) {
	own, other, silent := write(t, "", session.ModelChange{Model: "test/own"}), write(t, "", session.ModelChange{Model: "test/default"}), write(t, "")
	a := openWith(t, own, agent.Options{Models: threeModels, Model: "test/chosen", Thinking: "high"})
	for _, c := range []struct{ path, model, thinking string }{
		{other, "test/default", "off"},
		{silent, "test/default", "off"}, // it says nothing: the model stays
		{own, "test/own", "off"},
	} {
		if err := a.Switch(t.Context(), c.path); err != nil {
			t.Fatal(err)
		}
		if info, _ := a.Model(); info.Ref() != c.model || a.Thinking() != c.thinking {
			t.Errorf("%s, thinking %s; want %s, %s", info.Ref(), a.Thinking(), c.model, c.thinking)
		}
	}
	// A choice holds in new sessions, and for moves.
	if err := a.SetModel(t.Context(), "test/chosen"); err != nil {
		t.Fatal(err)
	}
	if err := a.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, _ := a.Model(); info.Ref() != "test/chosen" {
		t.Errorf("the new session's model is %s", info.Ref())
	}
	if err := a.Switch(t.Context(), filepath.Join(t.TempDir(), "none.jsonl")); err == nil {
		t.Error("no error for a session that is not there")
	}
	if info, _ := a.Model(); info.Ref() != "test/chosen" {
		t.Errorf("after a switch that failed the model is %s", info.Ref())
	}
}

// The tools of one project do not touch another's: they go with the session's directory.
func TestToolsAndPromptGoWithTheSessionsDirectory(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	var log []string
	o := agent.Options{Workspace: func(dir string) (agent.Workspace, error) {
		log = append(log, "open "+dir)
		return agent.Workspace{
			System: "You are in " + dir, Tools: []tool.Tool{{Name: "in " + dir}},
			Close: func() { log = append(log, "close "+dir) },
		}, nil
	}}
	a := openWith(t, write(t, one), o)
	for _, path := range []string{write(t, one), write(t, two)} {
		if err := a.Switch(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"open " + one, "open " + two, "close " + one, "close " + two}; !slices.Equal(log, want) {
		t.Errorf("%q, want %q", log, want)
	}
}
