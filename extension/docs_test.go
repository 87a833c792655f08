package extension

import (
	"os"
	"strings"
	"testing"
)

func TestTheDocumentHasEveryMessage(t *testing.T) {
	b, err := os.ReadFile("../docs/extensions.md")
	if err != nil {
		t.Fatal(err)
	}
	row := func(name string) {
		if !strings.Contains(string(b), "| `"+name+"` |") {
			t.Errorf("docs/extensions.md has no row for %s", name)
		}
	}
	for name := range forwards {
		row(name)
	}
	for name := range requests {
		row(name)
	}
	for _, name := range []string{"request `initialize`", "request `command`", "request `tool`", "notification `$/cancel`"} {
		if !strings.Contains(string(b), "| "+name) {
			t.Errorf("docs/extensions.md has no row for the %s", name)
		}
	}
}
