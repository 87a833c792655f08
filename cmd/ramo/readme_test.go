package main

import (
	"strings"
	"testing"
)

// TestTheTreeInTheReadmeIsTheToursOwn: every line that the README shows is one that the program
// prints, in the same order; some are left out.
func TestTheTreeInTheReadmeIsTheToursOwn(t *testing.T) {
	_, shown, _ := strings.Cut(read(t, "../../README.md"), "\n```\n")
	shown, _, ok := strings.Cut(shown, "\n```\n")
	if !ok || !strings.Contains(shown, "← here") {
		t.Fatalf("no tree near the README's top, but %q", shown)
	}
	m := newMachine(t)
	rest := "\n" + m.ok(m.tour())
	for _, line := range linesOf(shown) {
		_, after, ok := strings.Cut(rest, "\n"+line+"\n")
		if !ok {
			t.Fatalf("the tour's tree has no %q where the README shows it", line)
		}
		rest = "\n" + after
	}
}
