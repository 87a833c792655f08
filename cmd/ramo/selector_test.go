package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

// TestTheCommandShowsTheSelectorsRows: the tree that is printed and the one that the app selects from
// have the same rows in the same order, for every filter, and with a search.
func TestTheCommandShowsTheSelectorsRows(t *testing.T) {
	files, err := filepath.Glob("../../session/testdata/vectors/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	if testing.Short() {
		files = files[:len(files)/5]
	}
	dir := os.Getenv("RAMO_CORPUS")
	if dir == "" {
		dir = "../../../shared/corpus"
	}
	others, _ := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	files = append(append(files, others...), "../../examples/tour.jsonl")
	bare := func(line string) string {
		return strings.TrimSuffix(strings.TrimLeft(line, "│├└─•›… "), "  ← here")
	}
	for _, file := range files {
		s, err := session.Open(context.Background(), file, session.WithoutPosition())
		if err != nil {
			continue // not a session
		}
		for _, filter := range []string{"default", "no-tools", "user-only", "labeled-only", "all"} {
			searches := []string{""}
			if strings.HasSuffix(file, "tour.jsonl") {
				searches = append(searches, "REFUND coupon", "bash test", "diagnosis", "aborted", "read money.go", "opus", "user cents", "wisdom")
			}
			for _, search := range searches {
				show, err := filterNamed(filter)
				if err != nil {
					t.Fatal(err)
				}
				got := printed(t, s, show, search)
				tree := treeview.New(s)
				f, err := treeview.ParseFilter(filter)
				if err != nil {
					t.Fatal(err)
				}
				tree.SetFilter(f)
				if err := tree.Prepare(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
				tree.Update()
				tree.SetQuery(search)
				var want []string
				for _, line := range tree.Window(9000, tree.Len()) {
					want = append(want, bare(line.String()))
				}
				for i := range got {
					got[i] = bare(got[i])
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s, %q:\n%s\nthe selector has\n%s", file, filter, search, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
		_ = s.Close()
	}
}

// printed is what the command prints, on a terminal that is wide enough.
func printed(t *testing.T, s *session.Session, show func(session.Node, bool) bool, search string) []string {
	t.Helper()
	var b bytes.Buffer
	out := &output{Writer: bufio.NewWriter(&b), width: 9000}
	err := newTreeView(context.Background(), out, s, show, search).print()
	if err = out.flushed(err); err != nil {
		t.Fatal(err)
	}
	if b.Len() == 0 {
		return nil
	}
	return linesOf(b.String())
}
