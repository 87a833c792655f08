//go:build unix

package tui

import (
	"strings"
	"testing"
)

const tour = "../examples/tour.jsonl"

// The conversation of the branch: requests behind a bar, results in a line, summaries and compactions as
// marked blocks, a mark where another branch leaves.
func TestTheConversationOfTheActiveBranch(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("Committed as 3f0c2d1", "$0.14")
	m.golden("conversation")
	m.press("ctrl+home")
	m.see("Orders with two coupons")
	m.golden("conversation-beginning")
	m.press("ctrl+o") // thinking and results in full
	m.golden("conversation-unfolded")
}

func TestTheTreeSelector(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.golden("tree")
	m.press("home")
	m.golden("tree-home")
	m.press("up") // wraps
	m.golden("tree-up-wraps")
	m.press("down")
	m.golden("tree-home")
	m.press("end", "pgup")
	m.golden("tree-page-up")
	m.press("pgdown")
	m.golden("tree-up-wraps")
	m.typed("refund")
	m.see("search refund")
	m.golden("tree-search")
	m.press("backspace")
	m.see("search refun")
	m.press("ctrl+u")
	m.see("type to search")
	m.press("alt+u")
	m.golden("tree-user-only")
	m.press("alt+l")
	m.golden("tree-labeled-only")
	m.press("alt+t")
	m.golden("tree-no-tools")
	m.press("alt+a")
	m.golden("tree-all")
	m.press("alt+d", "ctrl+o")
	m.golden("tree-no-tools")
	m.press("ctrl+shift+o")
	m.press("home")
	m.golden("tree-home")
	m.press("ctrl+down")
	m.golden("tree-next-branch-point")
	m.press("ctrl+down")
	m.press("ctrl+up")
	m.golden("tree-next-branch-point")
	m.press("down", "ctrl+left")
	m.golden("tree-folded")
	m.press("ctrl+right")
	m.see("[this branch] user")
	m.press("ctrl+p")
	m.golden("tree-without-preview")
	m.press("esc")
	m.gone("type to search")
}

func TestTheTreeBesideItsPreview(t *testing.T) {
	m := open(t, tour, setup{width: 140, height: 36})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.golden("tree-wide")
}

func TestTheSmallestTerminal(t *testing.T) {
	m := open(t, tour, setup{width: 40, height: 10})
	m.see("$0.14")
	m.golden("smallest")
	m.press("ctrl+t")
	m.see("default")
	m.golden("smallest-tree")
	m.press("esc")
	m.resize(39, 10)
	m.see("too small")
	m.resize(100, 30)
	m.see("Committed as 3f0c2d1")
}

// A label is edited in its row: Enter saves it, Esc leaves it, an empty one is taken away.
func TestALabelIsEditedInPlace(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.typed("L")
	m.see("Enter saves the label")
	m.typed("the end of it")
	m.golden("label")
	m.press("enter")
	m.see("[the end of it] assistant: Committed")
	m.typed("L")
	m.see("Enter saves the label")
	m.typed("!")
	m.press("esc")
	m.see("[the end of it] assistant: Committed")
	m.typed("L")
	m.see("Enter saves the label")
	m.press("ctrl+u", "enter")
	m.gone("the end of it")
}

func TestHelpShowsEveryKeyAndCommand(t *testing.T) {
	m := open(t, tour, setup{width: 100, height: 200})
	m.see("$0.14")
	m.press("f1")
	m.see("Commands")
	m.golden("help")
	text := m.text()
	for _, b := range m.app.keys.bindings {
		if !strings.Contains(text, b.help) {
			t.Errorf("%s is not in the help", b.action)
		}
	}
}
