package model_test

import (
	"errors"
	"strings"
	"testing"

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
