package treeview_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/tui/treeview"
)

var update = flag.Bool("update", false, "write the golden windows anew")

// TestWindows plays the files of testdata: a tree in the notation, then after "---" what the reader
// does and what happens meanwhile. The golden file shows the window after each step.
func TestWindows(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tree")
	if err != nil || len(files) == 0 {
		t.Fatal("no trees", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tree"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(b))
			golden := strings.TrimSuffix(file, ".tree") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func play(t *testing.T, file string) string {
	ctx := context.Background()
	tree, steps, _ := strings.Cut(strings.ReplaceAll(file, "\r\n", "\n"), "---\n")
	log, s := newNotation(t, tree)
	view := treeview.New(s)
	if err := view.Prepare(ctx, nil); err != nil {
		t.Fatal(err)
	}
	view.Update()
	width, height := 60, 20
	ids := false // instead of texts, where what matters is which entries have rows
	var out strings.Builder
	show := func() {
		lines := view.Window(width, height)
		for _, l := range lines {
			if w := ansi.StringWidth(l.String()); w > width {
				t.Errorf("%d columns of %d: %q", w, width, l)
			}
			if text := &l.Segments[len(l.Segments)-1]; ids {
				text.Text = l.Entry.ID()
			}
			fmt.Fprintf(&out, "%s\n", strings.TrimRight(l.String(), " "))
		}
		if len(lines) == 0 {
			out.WriteString("(no rows)\n")
		}
	}
	for line := range strings.Lines(steps) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		do, arg, _ := strings.Cut(line, " ")
		switch do {
		case "ids":
			ids = true
			continue
		case "open":
		case "size":
			if _, err := fmt.Sscan(arg, &width, &height); err != nil {
				t.Fatal(err)
			}
			continue
		case "filter":
			f, err := treeview.ParseFilter(arg)
			if err != nil {
				t.Fatal(err)
			}
			view.SetFilter(f)
		case "search":
			view.SetQuery(arg)
		case "select":
			view.Select(arg)
		case "up":
			view.Up()
		case "down":
			view.Down()
		case "home":
			view.Home()
		case "end":
			view.End()
		case "pageup":
			view.PageUp()
		case "pagedown":
			view.PageDown()
		case "fold":
			view.Fold()
		case "unfold":
			view.Unfold()
		case "next-branch-point":
			view.NextBranchPoint()
		case "previous-branch-point":
			view.PreviousBranchPoint()
		case "leaf":
			if arg == "none" {
				s.ResetLeaf()
			} else if err := s.BranchTo(arg); err != nil {
				t.Fatal(err)
			}
			view.Update()
		case "append": // by another process
			log.add(t, arg)
			if _, err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			view.Update()
		case "prepare":
			if err := view.Prepare(ctx, nil); err != nil {
				t.Fatal(err)
			}
			view.Update()
		default:
			t.Fatalf("no step %q", line)
		}
		fmt.Fprintf(&out, "> %s\n", line)
		show()
		out.WriteString("\n")
	}
	return out.String()
}
