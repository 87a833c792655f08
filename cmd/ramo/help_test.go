package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestHelpFitsTheTerminal: descriptions are wrapped between words; what is to be typed stays whole.
func TestHelpFitsTheTerminal(t *testing.T) {
	m := newMachine(t)
	typed := regexp.MustCompile(`^  (ramo|echo) |^Use "ramo`)
	env := m.env
	for _, width := range []int{60, 80, 100} {
		m.env = append(env[:len(env):len(env)], fmt.Sprintf("COLUMNS=%d", width))
		for _, c := range newRoot().Commands() {
			help := m.ok(c.Name(), "--help")
			for _, line := range linesOf(help) {
				if w := ansi.StringWidth(line); w > width && !typed.MatchString(line) {
					t.Errorf("%s --help: %d columns, not %d: %q", c.Name(), w, width, line)
				}
			}
			unwrapped := strings.Join(strings.Fields(help), " ")
			if want := strings.Join(strings.Fields(c.Long), " "); !strings.Contains(unwrapped, want) {
				t.Errorf("%s --help is\n%s\nwant in it\n%s", c.Name(), help, want)
			}
		}
	}
}

// TestEveryCommandIsInAGroup, so that the help lists it where it belongs.
func TestEveryCommandIsInAGroup(t *testing.T) {
	for _, c := range newRoot().Commands() {
		if c.GroupID == "" {
			t.Errorf("%s is in no group: see newRoot", c.Name())
		}
	}
}
