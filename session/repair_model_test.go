package session_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ramo-dev/ramo/session"
	"pgregory.net/rapid"
)

// TestRepairOfRandomDamageKeepsTheTree repairs logs of random lines: the same tree comes out, with
// nothing left to repair.
func TestRepairOfRandomDamageKeepsTheTree(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		log := []byte(header3)
		for _, line := range rapid.SliceOfN(rapid.Custom(damagedLine), 1, 20).Draw(t, "lines") {
			log = append(append(log, line...), '\n')
		}
		path := filepath.Join(dir, "damaged.jsonl")
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := session.Repair(context.Background(), path, session.RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, log) {
			t.Fatalf("the damaged file changed (%v)", err)
		}
		repaired, err := session.Open(context.Background(), report.Path, session.WithoutPosition())
		if err != nil {
			t.Fatal(err)
		}
		defer repaired.Close()
		for _, p := range repaired.Problems() {
			switch p.Kind { // what only a person can decide
			case session.ProblemMissingParent, session.ProblemForwardParent, session.ProblemMissingTarget, session.ProblemBadTimestamp:
			default:
				t.Fatalf("a problem is left: %v", p)
			}
		}
		// The shape is the old one; ids changed only where several entries had one.
		damaged := readNaive(log)
		if repaired.Len() != len(damaged.entries) {
			t.Fatalf("%d entries, want %d", repaired.Len(), len(damaged.entries))
		}
		for i, want := range damaged.entries {
			e := repaired.At(i)
			parent, hasParent := e.Parent()
			if hasParent != (want.parent != nil) || hasParent && parent.Index() != want.parent.n || e.Label() != want.label || e.Type() != want.typ {
				t.Fatalf("entry %d, %s, hangs from %q with the label %q; it was %s with %q", i, e.ID(), parent.ID(), e.Label(), want.raw, want.label)
			}
			if want.address == want.id && e.ID() != want.id {
				t.Fatalf("entry %d was %s and is %s", i, want.id, e.ID())
			}
		}
		again, err := session.Repair(context.Background(), report.Path, session.RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		first, _ := os.ReadFile(report.Path)
		second, _ := os.ReadFile(again.Path)
		if !slices.Equal(first, second) {
			t.Fatalf("a second repair changes the file again:\n%s\n%s\n%v", first, second, again.Actions)
		}
	})
}

// TestReattachHangsOrphansFromTheEntryBefore: section 2, and no cycle comes of it.
func TestReattachHangsOrphansFromTheEntryBefore(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		log := []byte(header3)
		for _, line := range rapid.SliceOfN(rapid.Custom(randomEntry), 1, 20).Draw(t, "lines") {
			log = append(append(log, line...), '\n')
		}
		path := filepath.Join(dir, "damaged.jsonl")
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := session.Repair(context.Background(), path, session.RepairOptions{Reattach: true, InPlace: true})
		if err != nil {
			t.Fatal(err)
		}
		if backup, err := os.ReadFile(report.Backup); err != nil || !slices.Equal(backup, log) || report.Backup != path+".bak" {
			t.Fatalf("the backup %s is not what was there (%v)", report.Backup, err)
		}
		s, err := session.Open(context.Background(), path, session.WithoutPosition())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		damaged := readNaive(log)
		if s.Len() != len(damaged.entries) {
			t.Fatalf("%d entries, want %d", s.Len(), len(damaged.entries))
		}
		for i, want := range damaged.entries {
			e := s.At(i)
			parent, hasParent := e.Parent()
			orphan := want.parentID != "" && len(damaged.byID[want.parentID]) == 0
			switch {
			case want.parent != nil && (!hasParent || parent.Index() != want.parent.n):
				t.Fatalf("%s lost its parent", e.ID())
			case orphan && hasParent && parent.Index() != i-1:
				t.Fatalf("%s was hung from %s, not from the entry before it", e.ID(), parent.ID())
			case !orphan && want.parent == nil && hasParent:
				t.Fatalf("the root %s was hung from %s", e.ID(), parent.ID())
			}
		}
		n := 0
		for range s.Tree() {
			n++
		}
		if n != s.Len() {
			t.Fatalf("the tree has %d of %d entries: a cycle", n, s.Len())
		}
	})
}
