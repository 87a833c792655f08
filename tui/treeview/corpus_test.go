package treeview_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// Every session of the corpus has a row for each entry, whose text is what other lists show too,
// and fits.
func TestCorpus(t *testing.T) {
	dir := cmp.Or(os.Getenv("RAMO_CORPUS"), filepath.Join("..", "..", "..", "shared", "corpus"))
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("no corpus in ", dir)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := session.Open(context.Background(), file, session.WithoutPosition())
			if err != nil {
				t.Skip(err)
			}
			defer func() { _ = s.Close() }()
			view := treeview.New(s)
			view.SetFilter(treeview.All)
			if view.Len() != s.Len() {
				t.Errorf("%d rows for %d entries", view.Len(), s.Len())
			}
			var texts display.Lines
			for _, l := range view.Window(100_000, view.Len()) {
				if want := texts.Entry(l.Entry); !strings.HasSuffix(l.String(), want) {
					t.Errorf("%s: %q, elsewhere %q", l.Entry.ID(), l, want)
				}
			}
			for _, l := range view.Window(60, view.Len()) {
				text := l.String()
				if w := ansi.StringWidth(text); w > 60 {
					t.Errorf("%s: %d columns: %q", l.Entry.ID(), w, text)
				}
				if strings.ContainsFunc(text, unicode.IsControl) {
					t.Errorf("%s: control characters: %q", l.Entry.ID(), text)
				}
			}
			if err := view.Prepare(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			view.Update()
			view.SetQuery("user")
			view.Window(80, 50)
		})
	}
}
