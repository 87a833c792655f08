package model

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

// ExtractName is the model that needs no network: it only summarises, from the entries themselves,
// and must be chosen by name (section 12).
const ExtractName = "ramo/extract"

// Registry knows the models.
type Registry struct {
	providers map[string]*provider
	models    map[string]Info
}

// NewRegistry knows the models of the providers that catwalk lists and Ramo speaks to, and those
// that the settings add. Settings are by the provider's name.
func NewRegistry(settings map[string]Settings) *Registry {
	r := &Registry{providers: map[string]*provider{}, models: map[string]Info{}}
	for name := range usualKeys {
		r.providers[name] = newProvider(name, settings[name])
	}
	for _, p := range embedded.GetAll() {
		name := string(p.ID)
		if p.ID == catwalk.InferenceProviderGemini {
			name = "google"
		}
		if r.providers[name] == nil {
			continue
		}
		for _, m := range p.Models {
			r.add(Info{
				Provider: name, ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, MaxOutput: m.DefaultMaxTokens,
				Reasoning: m.CanReason, Images: m.SupportsImages, Efforts: m.ReasoningLevels, Price: price(m),
			})
		}
	}
	for name, s := range settings {
		if r.providers[name] == nil {
			r.providers[name] = newProvider(name, s)
		}
		for _, m := range s.Models {
			known, ok := r.models[name+"/"+m.ID]
			if !ok {
				known = Info{Provider: name, ID: m.ID, Name: m.ID, Images: true}
			}
			known = known.with(m)
			known.Images = known.Images && !slices.Contains(s.NoImages, m.ID)
			known.Reasoning = known.Reasoning && !slices.Contains(s.NoReasoning, m.ID)
			r.add(known)
		}
	}
	return r
}

func (r *Registry) add(i Info) { r.models[i.Ref()] = i }

// with is what is known of a model, but what the settings say where they say something.
func (i Info) with(s Info) Info {
	i.Name = cmp.Or(s.Name, i.Name)
	i.ContextWindow = cmp.Or(s.ContextWindow, i.ContextWindow)
	i.MaxOutput = cmp.Or(s.MaxOutput, i.MaxOutput)
	i.Reasoning = i.Reasoning || s.Reasoning
	i.Images = i.Images || s.Images
	if len(s.Efforts) > 0 {
		i.Efforts = s.Efforts
	}
	i.Price = cmp.Or(s.Price, i.Price)
	return i
}

// price reads catwalk's prices. Which of its two prices of cached tokens is the one for reading
// differs between its providers; but reading is always cheaper than the prompt itself, and writing,
// where it has a price, dearer. Where there is none, a cached token costs what any other does.
func price(m catwalk.Model) Price {
	p := Price{Input: m.CostPer1MIn, Output: m.CostPer1MOut, CacheRead: m.CostPer1MIn, CacheWrite: m.CostPer1MIn}
	for _, cost := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		if cost > 0 {
			p.CacheRead = min(p.CacheRead, cost)
		}
	}
	p.CacheWrite = max(p.CacheWrite, m.CostPer1MInCached)
	return p
}

// Known is a model that the registry knows, and whether it could be asked now.
type Known struct {
	Info
	Usable bool
	Need   string // what it would take, when it is not usable
}

// List is all known models, the usable ones first.
func (r *Registry) List() []Known {
	var out []Known
	for _, info := range r.models {
		p := r.providers[info.Provider]
		k := Known{Info: info, Usable: p.usable()}
		switch {
		case k.Usable:
		case p.kind == compatible:
			k.Need = "base_url in the settings"
		default:
			k.Need = p.keyEnv()
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Known) int {
		if a.Usable != b.Usable {
			if a.Usable {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Ref(), b.Ref())
	})
	return out
}

// Model finds a model by its name, "provider/modelId". A model that is not known but whose provider
// is gets asked all the same: providers have newer ones than any list. If that provider does not
// know it either, the stream's error is ErrUnknown, with the name that was perhaps meant; so is the
// error here when there is no such provider.
func (r *Registry) Model(name string) (Model, error) {
	if name == "" {
		return nil, fmt.Errorf("%w: no model is set: 'ramo models' lists those that there are", ErrUnknown)
	}
	if name == ExtractName {
		return extract{}, nil
	}
	providerName, id, ok := strings.Cut(name, "/")
	p := r.providers[providerName]
	if !ok || id == "" || p == nil {
		hint := "a model's name is provider/model, and the providers are " + strings.Join(slices.Sorted(maps.Keys(r.providers)), ", ")
		if near := r.nearest(name); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, fmt.Errorf("%w: %q: %s", ErrUnknown, name, hint)
	}
	if info, known := r.models[name]; known {
		return &chat{provider: p, info: info, listed: true}, nil
	}
	info := Info{Provider: providerName, ID: id, Name: id, Images: true, Reasoning: p.kind != compatible}
	return &chat{provider: p, info: info, near: r.nearest(name)}, nil
}

// Usable tells whether a model could be asked now: its provider is known, and there is a key if it
// needs one.
func (r *Registry) Usable(name string) bool {
	provider, id, ok := strings.Cut(name, "/")
	p := r.providers[provider]
	return ok && id != "" && p != nil && p.usable()
}

// nearest is the known model whose name, or whose name without the provider, is most like a name.
func (r *Registry) nearest(name string) string {
	best, at := "", max(3, len(name)/3)+1
	for ref, info := range r.models {
		for _, form := range []string{ref, info.ID} {
			d := distance(strings.ToLower(name), strings.ToLower(form))
			if d < at || d == at && ref < best {
				best, at = ref, d
			}
		}
	}
	return best
}

// distance is how many letters must be changed, added or left out to make b from a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// extract stands for ramo/extract where a chat model is asked for.
type extract struct{}

func (extract) Info() Info {
	return Info{Provider: "ramo", ID: "extract", Name: "Extract (no network)"}
}

func (extract) Stream(context.Context, Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		yield(Event{}, fmt.Errorf("%w: set up a model: put a key into ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or name a server of your own in the settings, then choose one that 'ramo models' lists", ErrNotForChat))
	}
}
