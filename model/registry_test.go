package model_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/model"
)

func TestAnUnknownModelSuggestsTheNearest(t *testing.T) {
	r := model.NewRegistry(map[string]model.Settings{"local": {BaseURL: "http://127.0.0.1:1/v1", Models: []model.Info{{ID: "qwen3-coder"}}}})
	for _, name := range []string{"lokal/qwen3-coder", "qwen3-coder", "qwen3-codr"} {
		_, err := r.Model(name)
		if !errors.Is(err, model.ErrUnknown) || !strings.Contains(err.Error(), "local/qwen3-coder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := r.Model("local/vendor/newer"); err != nil || m.Info().ID != "vendor/newer" {
		t.Errorf("a model that no list has: %v", err)
	}
}

func TestWithoutAKeyTheErrorSaysWhichVariable(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	m, err := model.NewRegistry(nil).Model("anthropic/claude-sonnet-4-5")
	if err != nil {
		t.Fatal(err)
	}
	if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrAuth) || !strings.Contains(h.err.Error(), "ANTHROPIC_API_KEY") {
		t.Fatalf("%v", h.err)
	}
}

func TestKnownModelsHaveWindowsAndPrices(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "x123")
	t.Setenv("ANTHROPIC_API_KEY", "")
	usable, priced := 0, 0
	for _, k := range model.NewRegistry(nil).List() {
		if k.Usable {
			usable++
		} else if k.Need == "" {
			t.Errorf("%s: what does it need?", k.Ref())
		}
		if k.ContextWindow > 0 && k.Price.Output > 0 {
			priced++
		}
	}
	if usable == 0 || priced < 20 {
		t.Errorf("%d usable, %d with window and price", usable, priced)
	}
}

func TestExtractSaysThatItCannotChat(t *testing.T) {
	m, err := model.NewRegistry(nil).Model(model.ExtractName)
	if err != nil {
		t.Fatal(err)
	}
	if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrNotForChat) || !strings.Contains(h.err.Error(), "OPENAI_API_KEY") {
		t.Fatalf("%v", h.err)
	}
}

func TestPricesAreReadWhicheverWayTheyAreListed(t *testing.T) {
	for _, k := range model.NewRegistry(nil).List() {
		p := k.Price
		if p.CacheRead > p.Input || p.CacheWrite < p.Input || p.Input > 0 && p.CacheRead <= 0 {
			t.Errorf("%s: %+v", k.Ref(), p)
		}
	}
	// As the providers publish them.
	for name, want := range map[string]model.Price{
		"anthropic/claude-sonnet-4-5-20250929": {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		"openai/gpt-5.1":                       {Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 1.25},
		"google/gemini-2.5-flash":              {Input: 0.3, Output: 2.5, CacheRead: 0.03, CacheWrite: 0.3},
	} {
		m, err := model.NewRegistry(nil).Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Info().Price; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestSettingsChangeOnlyWhatTheySayOfAKnownModel(t *testing.T) {
	const name = "anthropic/claude-sonnet-4-5-20250929"
	before, err := model.NewRegistry(nil).Model(name)
	if err != nil {
		t.Fatal(err)
	}
	r := model.NewRegistry(map[string]model.Settings{"anthropic": {Models: []model.Info{{ID: "claude-sonnet-4-5-20250929", ContextWindow: 1_000_000}}}})
	after, err := r.Model(name)
	if err != nil {
		t.Fatal(err)
	}
	want := before.Info()
	want.ContextWindow = 1_000_000
	if got := after.Info(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSettingsSayWhatAModelCan(t *testing.T) {
	r := model.NewRegistry(map[string]model.Settings{
		"local": {
			BaseURL: "http://127.0.0.1:1/v1", Models: []model.Info{{ID: "plain"}, {ID: "thinks", Reasoning: true}, {ID: "blind"}},
			NoImages: []string{"blind"}, NoReasoning: []string{"plain"},
		},
		"anthropic": {
			Models:   []model.Info{{ID: "claude-sonnet-4-5-20250929"}},
			NoImages: []string{"claude-sonnet-4-5-20250929"}, NoReasoning: []string{"claude-sonnet-4-5-20250929"},
		},
	})
	for name, want := range map[string][2]bool{ // reasoning, images
		"local/plain": {false, true}, "local/thinks": {true, true}, "local/blind": {false, false},
		"anthropic/claude-sonnet-4-5-20250929": {false, false},
	} {
		m, err := r.Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if i := m.Info(); i.Reasoning != want[0] || i.Images != want[1] {
			t.Errorf("%s: reasoning %t, images %t; want %t, %t", name, i.Reasoning, i.Images, want[0], want[1])
		}
	}
}

func TestUsableIsWhatHasAKeyOrNeedsNone(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "MY_KEY"} {
		t.Setenv(name, "")
	}
	settings := map[string]model.Settings{
		"local": {BaseURL: "http://127.0.0.1:1/v1"},
		"empty": {},
		"work":  {Type: "anthropic", APIKeyEnv: "MY_KEY"},
	}
	r := model.NewRegistry(settings)
	check := func(step string, want map[string]bool) {
		t.Helper()
		for name, usable := range want {
			if r.Usable(name) != usable {
				t.Errorf("%s: %s: usable is %v", step, name, !usable)
			}
		}
	}
	check("no keys", map[string]bool{"local/m": true, "empty/m": false, "work/m": false, "google/m": false, "nobody/m": false, "local": false, "local/": false})
	t.Setenv("GOOGLE_API_KEY", "x123")
	t.Setenv("MY_KEY", "x123")
	check("two keys", map[string]bool{"google/m": true, "work/m": true, "anthropic/m": false})
}

func TestAKeyThatComesLaterIsFound(t *testing.T) {
	t.Setenv("LATER_KEY", "")
	s := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Turn{Text: []string{"ok"}})
	m, err := model.NewRegistry(map[string]model.Settings{"here": {Type: "anthropic", BaseURL: s.URL, APIKeyEnv: "LATER_KEY"}}).Model("here/m")
	if err != nil {
		t.Fatal(err)
	}
	if h := ask(t.Context(), m, model.Request{}); !errors.Is(h.err, model.ErrAuth) || !strings.Contains(h.err.Error(), "LATER_KEY") {
		t.Fatalf("%v", h.err)
	}
	t.Setenv("LATER_KEY", key)
	if h := ask(t.Context(), m, model.Request{}); h.err != nil || s.Requests()[0].Header.Get("X-Api-Key") != key {
		t.Fatalf("%v", h.err)
	}
}
