package library

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Library is where sessions are looked for. Its methods are safe for concurrent use, and none but
// those that say so ever writes into the folders.
type Library struct{ roots []Root }

// New is a library of the folders of ramo, pi and omp, and of the given ones.
func New(dirs ...string) *Library { return &Library{Roots(dirs...)} }

// Roots are the folders that are looked in.
func (l *Library) Roots() []Root { return slices.Clone(l.roots) }

// Skipped counts the files that were passed over, by the reason.
type Skipped map[string]int

// The reasons for which a file is passed over.
const (
	SkippedLink        = "link"
	SkippedUnreadable  = "unreadable"
	SkippedHalfWritten = "half-written"
	SkippedOther       = "not a session"
)

// file is a file with the name of a session.
type file struct {
	path string
	tool string // of the root
	info fs.FileInfo
}

// walk finds the files, the last used first. It reads folders only. Links are not followed, but for a
// root that is one: what they lead to has a place of its own.
func (l *Library) walk(ctx context.Context, skipped Skipped) ([]file, error) {
	var files []file
	seen := map[string]bool{}
	for _, root := range l.roots {
		if real, err := filepath.EvalSymlinks(root.Dir); err == nil {
			if seen[real] {
				continue
			}
			seen[real] = true
		}
		// With a separator behind it, a root that is a link is followed.
		err := filepath.WalkDir(root.Dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					skipped[SkippedUnreadable]++
				}
				return nil
			}
			if d.IsDir() {
				// Sessions are in the root and in a folder for each directory. What is deeper belongs to
				// a session: the output of its tools, the logs of its subagents.
				if rel, err := filepath.Rel(root.Dir, path); err == nil && strings.ContainsRune(rel, filepath.Separator) {
					return fs.SkipDir
				}
				return nil
			}
			if strings.HasPrefix(d.Name(), ".") || filepath.Ext(path) != ".jsonl" {
				if d.Type()&fs.ModeSymlink != 0 {
					if info, err := os.Stat(path); err == nil && info.IsDir() {
						skipped[SkippedLink]++
					}
				}
				return nil
			}
			switch info, err := d.Info(); {
			case d.Type()&fs.ModeSymlink != 0:
				skipped[SkippedLink]++
			case !d.Type().IsRegular():
				skipped[SkippedOther]++
			case err == nil: // else it is gone
				files = append(files, file{filepath.Clean(path), root.Tool, info})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(files, func(a, b file) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), cmp.Compare(b.path, a.path))
	})
	// Two roots may lie in each other.
	files = slices.CompactFunc(files, func(a, b file) bool { return a.path == b.path })
	return files, nil
}

// ListOptions say what is listed, and in which order.
type ListOptions struct {
	// Dir puts the sessions about this directory first; Only leaves out the others.
	Dir  string
	Only bool
	// Index gives the figures that it has. Without one, Known is false for every session.
	Index *Index
}

// Listing is one going through the library. It serves one goroutine.
type Listing struct {
	lib     *Library
	options ListOptions
	skipped Skipped
	err     error
}

// List lists the sessions, the last used first.
func (l *Library) List(o ListOptions) *Listing {
	return &Listing{lib: l, options: o, skipped: Skipped{}}
}

// Skipped counts what has been passed over so far.
func (l *Listing) Skipped() Skipped { return l.skipped }

// Err is the reason why the list ended early: that of its context. What cannot be read is never one.
func (l *Listing) Err() error { return l.err }

// readers is how many files are read at once: the time goes by waiting for them, not computing.
const readers = 8

// Sessions yields the sessions one after the other as they are read, which ends with ctx. The first
// ones come within milliseconds: only names and times of files are looked at before, and of each file
// its first and last few kilobytes are read. So the memory needed does not depend on their size.
//
// With Dir, those in a folder that is named for that directory come first, last used first, then all
// others. One about it in another folder comes among the others, for only its header tells.
func (l *Listing) Sessions(ctx context.Context) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		clear(l.skipped)
		l.err = nil
		files, err := l.lib.walk(ctx, l.skipped)
		if err != nil {
			l.err = err
			return
		}
		if l.options.Dir != "" && !l.options.Only {
			slices.SortStableFunc(files, func(a, b file) int {
				return cmp.Compare(l.rank(a), l.rank(b))
			})
		}
		var figures map[string]figures
		if l.options.Index != nil {
			figures, _ = l.options.Index.figures(ctx) // without them the list is as good as it was
		}
		same := dirMatcher(l.options.Dir)
		for r := range readAll(ctx, files) {
			if r.err != nil {
				if reason := reasonFor(r.err); reason != "" {
					l.skipped[reason]++
				}
				continue
			}
			if l.options.Only && !same(r.item.Cwd) {
				continue
			}
			if f, ok := figures[r.item.Path]; ok {
				f.addTo(&r.item)
			}
			if !yield(r.item) {
				return
			}
		}
		l.err = ctx.Err()
	}
}

func (l *Listing) rank(f file) int {
	if likelyAbout(filepath.Base(filepath.Dir(f.path)), l.options.Dir) {
		return 0
	}
	return 1
}

// dirMatcher is SameDir with one side fixed, which remembers the answers: sessions are many, and
// directories few.
func dirMatcher(dir string) func(string) bool {
	known := map[string]bool{}
	return func(cwd string) bool {
		same, ok := known[cwd]
		if !ok {
			same = SameDir(dir, cwd)
			known[cwd] = same
		}
		return same
	}
}

type readResult struct {
	item Item
	err  error
}

// readAll reads files, several at once, and yields them in order.
func readAll(ctx context.Context, files []file) iter.Seq[readResult] {
	return func(yield func(readResult) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		order := make(chan chan readResult, readers) // bounds how far the reading runs ahead
		go func() {
			defer close(order)
			for _, f := range files {
				out := make(chan readResult, 1)
				select {
				case order <- out:
				case <-ctx.Done():
					return
				}
				go func() {
					item, err := Read(f.path)
					item.Tool = cmp.Or(item.Tool, f.tool)
					out <- readResult{item, err}
				}()
			}
		}()
		for out := range order {
			if r := <-out; ctx.Err() != nil || !yield(r) {
				return
			}
		}
	}
}

func reasonFor(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "" // gone since the folder was read
	case errors.Is(err, errHalfWritten):
		return SkippedHalfWritten
	case errors.Is(err, errNotSession):
		return SkippedOther
	}
	return SkippedUnreadable
}
