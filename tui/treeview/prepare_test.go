package treeview_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/ramo-dev/ramo/tui/treeview"
)

func messages(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "e%d user number %d of the %s kind\n", i, i, []string{"even", "odd"}[i%2])
	}
	return b.String()
}

// What a search finds in texts that are not ready comes in with the Updates that follow.
func TestResultsAreCompletedAsTextsBecomeReady(t *testing.T) {
	_, s := newNotation(t, messages(2000))
	view := treeview.New(s)
	view.SetQuery("odd")
	if view.Len() != 0 {
		t.Fatalf("%d rows before any text was read", view.Len())
	}
	var seen []int
	steps := make(chan struct{})
	goOn := make(chan struct{})
	go func() {
		_ = view.Prepare(context.Background(), func(int, int) { steps <- struct{}{}; <-goOn })
		close(steps)
	}()
	for range steps {
		view.Update()
		seen = append(seen, view.Len())
		if e, ok := view.Selected(); !ok || !strings.Contains(view.Window(80, 5)[0].String(), "odd") {
			t.Fatalf("selected %v %v", e.ID(), ok)
		}
		goOn <- struct{}{}
	}
	if len(seen) < 2 || seen[len(seen)-1] != 1000 {
		t.Errorf("rows after each step: %v", seen)
	}
	for i := 1; i < len(seen); i++ {
		if seen[i] <= seen[i-1] {
			t.Errorf("a step found nothing: %v", seen)
		}
	}
	if done, total := view.Prepared(); done != 2000 || total != 2000 {
		t.Errorf("prepared %d of %d", done, total)
	}
}

func TestPrepareStopsWithItsContext(t *testing.T) {
	_, s := newNotation(t, messages(2000))
	view := treeview.New(s)
	ctx, cancel := context.WithCancel(context.Background())
	if err := view.Prepare(ctx, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if done, total := view.Prepared(); done == 0 || done == total {
		t.Errorf("prepared %d of %d", done, total)
	}
	if err := view.Prepare(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if done, total := view.Prepared(); done != total {
		t.Errorf("prepared %d of %d after going on", done, total)
	}
}

// Prepare, appends and rewritten logs run beside the reader.
func TestEverythingAtOnce(t *testing.T) {
	ctx := context.Background()
	log, s := newNotation(t, messages(500))
	view := treeview.New(s)
	var work sync.WaitGroup
	done := make(chan struct{})
	work.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := view.Prepare(ctx, nil); err != nil {
					t.Error(err)
				}
			}
		}
	})
	work.Go(func() {
		defer close(done)
		for i := range 60 {
			if i%10 == 9 {
				var kept strings.Builder
				kept.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n")
				for e := range s.Entries() {
					if raw, err := e.Raw(); err == nil && e.Index() < 500-i {
						fmt.Fprintf(&kept, "%s\n", raw)
					}
				}
				if err := log.store.Replace(func(w io.Writer) error { _, err := io.WriteString(w, kept.String()); return err }, ""); err != nil {
					t.Error(err)
				}
			}
			log.add(t, fmt.Sprintf("new%d user odd one out %d", i, i))
			if _, err := s.Refresh(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	for i := 0; ; i++ {
		select {
		case <-done:
			work.Wait()
			view.SetQuery("")
			view.SetFilter(treeview.All)
			view.Update()
			fresh := treeview.New(s)
			fresh.SetFilter(treeview.All)
			fresh.SelectRow(view.SelectedRow())
			if got, want := trimmed(view.Window(80, 2000)), trimmed(fresh.Window(80, 2000)); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			return
		default:
			view.Update()
			view.SetQuery([]string{"", "o", "odd", "odd one"}[i%4])
			view.SetFilter(treeview.Filter(i % 5))
			view.Down()
			view.Window(80, 20)
		}
	}
}

// A log that another program rewrote keeps the selection and the folds by their ids.
func TestRewrittenLogKeepsThePlace(t *testing.T) {
	ctx := context.Background()
	tree := "a user one\nb user two\nc < b user three\nd < b user four\ne user five\n"
	log, s := newNotation(t, tree)
	view := treeview.New(s)
	view.Select("d")
	view.Fold()
	view.Select("c")

	other, _ := newNotation(t, "x user before\n"+strings.Replace(tree, "a user", "a < - user", 1))
	v, err := other.store.Open()
	if err != nil {
		t.Fatal(err)
	}
	size, err := v.Size()
	if err != nil {
		t.Fatal(err)
	}
	if err := log.store.Replace(func(w io.Writer) error { _, err := io.Copy(w, io.NewSectionReader(v, 0, size)); return err }, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if !view.Update() {
		t.Error("Update says that nothing changed")
	}
	if e, _ := view.Selected(); e.ID() != "c" {
		t.Errorf("%s is selected", e.ID())
	}
	if got := trimmed(view.Window(80, 20)); !strings.Contains(got, "▸1 user: four") || strings.Contains(got, "five") {
		t.Errorf("the fold is lost:\n%s", got)
	}
	if view.Update() {
		t.Error("Update says that something changed when nothing did")
	}
}
