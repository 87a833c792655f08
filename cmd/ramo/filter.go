package main

import (
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

var filterNames = []string{"default", "no-tools", "user-only", "labeled-only", "all"}

// filterNamed is the rule of a filter (section 12): which nodes it shows.
func filterNamed(name string) (func(n session.Node, leaf bool) bool, error) {
	var rule func(n session.Node) bool
	switch name {
	case "default":
		rule = func(n session.Node) bool { return !bookkeeping(n.Type()) }
	case "no-tools":
		rule = func(n session.Node) bool { return !bookkeeping(n.Type()) && n.Role() != message.RoleToolResult }
	case "user-only":
		rule = func(n session.Node) bool { return n.Role() == message.RoleUser }
	case "labeled-only":
		rule = func(n session.Node) bool { return n.Label != "" }
	case "all":
		return func(session.Node, bool) bool { return true }, nil
	default:
		return nil, usage("--filter is one of %s, not %q", strings.Join(filterNames, ", "), name)
	}
	return func(n session.Node, leaf bool) bool {
		onlyCalls := n.Role() == message.RoleAssistant && n.HasToolCalls() && !n.HasText() && !n.Failed() && !n.Aborted()
		return rule(n) && (!onlyCalls || leaf)
	}, nil
}

// bookkeeping tells of entries that are no part of what was said.
func bookkeeping(typ string) bool {
	switch typ {
	case session.TypeMessage, session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction, session.TypeResetBoundary:
		return false
	}
	return true
}

// matches tells whether all words stand somewhere in what a node is searched by.
func matches(words []string, label, text string) bool {
	all := text + "\n" + display.Fold(label)
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
