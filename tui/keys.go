package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/config"
)

// keyContext is the part of the app in which a binding holds.
type keyContext string

const (
	inChat   keyContext = "chat"
	inEditor keyContext = "editor"
	inTree   keyContext = "tree"
	inList   keyContext = "list"
	inDialog keyContext = "dialog"
)

// action is what a key does. Its name is the one that [keys] in the settings uses.
type action string

// binding are the keys of an action. Which of several contexts is meant is told by the context that the
// keys are looked up in: one key may do different things in the editor and in the tree.
type binding struct {
	action  action
	context keyContext
	keys    []string // as tea.Key.String spells them
	help    string   // what it does, in a few words
}

// defaultBindings are the keys of those who set none.
var defaultBindings = slices.Concat(chatBindings, editorBindings, treeBindings, listBindings, dialogBindings)

// keymap holds all bindings: the defaults, with the user's own from the settings.
type keymap struct {
	bindings []binding
}

// newKeymap is the default bindings with the settings' changes. An action that is no action is an error
// with a suggestion.
func newKeymap(s *config.Settings) (*keymap, error) {
	m := &keymap{}
	var names []string
	for _, b := range defaultBindings {
		names = append(names, string(b.action))
		if own, ok := s.Keys[string(b.action)]; ok {
			b.keys = slices.Clone(own)
		}
		m.bindings = append(m.bindings, b)
	}
	return m, s.CheckKeys(names)
}

// action is what a key does in a context, "" for nothing.
func (m *keymap) action(c keyContext, key tea.KeyPressMsg) action {
	name := key.String()
	for _, b := range m.bindings {
		if b.context == c && slices.Contains(b.keys, name) {
			return b.action
		}
	}
	return ""
}

// of are the keys of an action.
func (m *keymap) of(a action) []string {
	for _, b := range m.bindings {
		if b.action == a {
			return b.keys
		}
	}
	return nil
}

// hint is an action's first key as people write it, "" when it has none.
func (m *keymap) hint(a action) string {
	keys := m.of(a)
	if len(keys) == 0 {
		return ""
	}
	return keyName(keys[0])
}

// keyName writes a key for people: Ctrl+O, Shift+Tab, ↑.
func keyName(key string) string {
	parts := strings.Split(key, "+")
	for i, p := range parts {
		switch p {
		case "up":
			p = "↑"
		case "down":
			p = "↓"
		case "left":
			p = "←"
		case "right":
			p = "→"
		case "pgup":
			p = "PgUp"
		case "pgdown":
			p = "PgDn"
		case "L":
			p = "Shift+L"
		default:
			if p != "" && (len(parts) > 1 || len(p) > 1) {
				p = strings.ToUpper(p[:1]) + p[1:]
			}
		}
		parts[i] = p
	}
	return strings.Join(parts, "+")
}
