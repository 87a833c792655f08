package library

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestADamagedIndexIsMadeAnew, whatever happened to its file, while it is open and before it is.
func TestADamagedIndexIsMadeAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be exchanged there")
	}
	damages := map[string]func(path string) error{
		"deleted":     os.Remove,
		"empty":       func(p string) error { return os.Truncate(p, 0) },
		"cut":         func(p string) error { return os.Truncate(p, 5000) },
		"no database": func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("hello ", 5000)), 0o600) },
		"overwritten": func(p string) error {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for i := range b {
				if i > 4096 && i%50 != 0 {
					b[i] = 'x'
				}
			}
			return os.WriteFile(p, b, 0o600)
		},
		"replaced": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.WriteFile(p, []byte("another file"), 0o600)
		},
		"other tables": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			x := &Index{dir: filepath.Dir(p)}
			if err := x.make(); err != nil {
				return err
			}
			if _, err := x.db.Exec("DROP TABLE entries; PRAGMA user_version = 99"); err != nil {
				return err
			}
			return x.Close()
		},
	}
	for name, damage := range damages {
		for _, open := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, open %v", name, open), func(t *testing.T) {
				b := newBookcase(t)
				var lines []string
				for i := range 200 {
					lines = append(lines, user(fmt.Sprint(i), "", strings.Repeat(fmt.Sprintf("apple%d ", i), 20)))
				}
				path := b.write("s", lines...)
				b.update()
				if _, err := b.x.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
					t.Fatal(err)
				}
				if !open {
					if err := b.x.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if err := damage(b.x.path); err != nil {
					t.Fatal(err)
				}
				if !open {
					b.open()
				}
				b.append(path, user("new", "", "pears"))
				b.update()
				for _, q := range []string{"pears", "apple7"} {
					// A search that meets damage says so, and the next one does not.
					hits, err := b.x.Search(context.Background(), q, SearchOptions{})
					if err != nil {
						b.update()
						hits, err = b.x.Search(context.Background(), q, SearchOptions{})
					}
					if err != nil || len(hits) != 1 {
						t.Errorf("%s: %d hits, %v", q, len(hits), err)
					}
				}
			})
		}
	}
}

func TestTheIndexIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	b := newBookcase(t)
	b.write("s", user("a", "", "apples"))
	b.update()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(b.x.path), "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", f, info.Mode())
		}
	}
}

func TestAnIndexThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir + "/file", dir + "/file/x"} {
		if x, err := OpenIndex(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v %v", path, x, err)
		}
	}
	var none *Index
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	x, err := OpenIndex(dir + "/with ? # % in it/x")
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Search(context.Background(), "a", SearchOptions{}); err == nil {
		t.Error("a closed index answers")
	}
	if _, err := os.Stat(dir + "/with ? # % in it/x"); err != nil {
		t.Error(err)
	}
}

// TestSeveralProcessesShareTheIndex: some update it, some search, one deletes it, while the sessions
// grow. In the end everything is found.
func TestSeveralProcessesShareTheIndex(t *testing.T) {
	if os.Getenv("RAMO_TEST_UPDATES") != "" {
		workOnTheIndex(t)
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be deleted there")
	}
	b := newBookcase(t)
	var paths []string
	for i := range 8 {
		paths = append(paths, b.write(fmt.Sprint(i), user("first", "", "apples")))
	}
	var processes []*exec.Cmd
	var outputs []*strings.Builder
	for range 4 {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestSeveralProcessesShareTheIndex$")
		cmd.Env = append(os.Environ(), "RAMO_TEST_UPDATES=10")
		out := new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes, outputs = append(processes, cmd), append(outputs, out)
	}
	var here sync.WaitGroup
	here.Go(func() {
		for n := range 40 {
			for _, p := range paths {
				b.append(p, user(fmt.Sprint("n", n), "", "pears"))
			}
			if n == 20 {
				if err := os.Remove(b.x.path); err != nil {
					t.Error(err)
				}
			}
			b.update()
		}
	})
	here.Wait()
	for i, p := range processes {
		if err := p.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s", i, err, outputs[i])
		}
	}
	b.update()
	if apples, pears := b.found("apples"), b.found("pears"); apples != 8 || pears != 8*40 {
		t.Errorf("apples %d times of 8, pears %d of %d", apples, pears, 8*40)
	}
}

func workOnTheIndex(t *testing.T) {
	x, err := OpenIndex("")
	if err != nil {
		t.Fatal(err)
	}
	lib := New()
	for range 10 {
		if err := x.Update(context.Background(), lib, nil); err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(context.Background(), "apples", SearchOptions{})
		if err != nil || slices.ContainsFunc(hits, func(h Hit) bool { return h.Snippet != "apples" }) {
			t.Fatal(hits, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUpdatesAtOnce: several in one process, on one Index and on two.
func TestUpdatesAtOnce(t *testing.T) {
	b := newBookcase(t)
	for i := range 20 {
		b.write(fmt.Sprint(i), user("first", "", "apples"))
	}
	other, err := OpenIndex("")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var all sync.WaitGroup
	for _, x := range []*Index{b.x, b.x, other} {
		all.Go(func() {
			if err := x.Update(context.Background(), b.lib, nil); err != nil {
				t.Error(err)
			}
			if hits, err := x.Search(context.Background(), "apples", SearchOptions{Limit: 50}); err != nil || len(hits) != 20 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
		})
	}
	all.Wait()
	if n := b.found("apples"); n != 20 {
		t.Errorf("%d documents of 20", n)
	}
}
