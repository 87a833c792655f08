package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const maxNames = 500

var lsParameters = json.RawMessage(`{"type":"object","properties":{
"path":{"type":"string","description":"The directory, relative to the working directory, which is the default."},
"limit":{"type":"integer","minimum":1,"description":"How many names at most; 500 if not given."}},
"additionalProperties":false}`)

type lsArguments struct {
	Path  string
	Limit count
}

func (w *Workspace) lsTool() Tool {
	return Tool{
		Name:        "ls",
		Description: "List a directory, hidden files too, in alphabetical order. Directories end in /, symbolic links show where they lead.",
		Parameters:  lsParameters,
		Run:         bind(lsParameters, w.ls),
	}
}

func (w *Workspace) ls(ctx context.Context, a lsArguments) (Result, error) {
	path, err := w.relative(orDot(a.Path))
	if err != nil {
		return Result{}, err
	}
	entries, err := readDir(ctx, w.root, path)
	if err != nil {
		return Result{}, err
	}
	limit := maxNames
	if a.Limit > 0 {
		limit = int(a.Limit)
	}
	var out strings.Builder
	shown := 0
	for _, e := range entries {
		line := w.nameLine(path, e)
		if shown == limit || out.Len()+len(line) > maxText {
			break
		}
		out.WriteString(line)
		shown++
	}
	switch left := len(entries) - shown; {
	case len(entries) == 0:
		return Text("[The directory is empty.]"), nil
	case left > 0:
		fmt.Fprintf(&out, "\n[%d of %d names; %d are not shown.]", shown, len(entries), left)
	}
	return Text(out.String()), nil
}

func (w *Workspace) nameLine(dir string, e fs.DirEntry) string {
	name := plainName(e.Name())
	switch m := e.Type(); {
	case m.IsDir():
		return name + "/\n"
	case m&fs.ModeSymlink != 0:
		if to, err := w.root.Readlink(join(dir, e.Name())); err == nil {
			return name + " -> " + plainName(to) + "\n"
		}
		return name + "@\n" // it was just removed, or cannot be read
	}
	return name + "\n"
}

// join does not clean, for link/.. is where the link leads to.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimRight(dir, string(filepath.Separator)) + string(filepath.Separator) + name
}

// plainName keeps a name on one line.
func plainName(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return filepath.ToSlash(name)
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// readDir returns a directory's entries in order of their names.
func readDir(ctx context.Context, root *os.Root, path string) ([]fs.DirEntry, error) {
	d, info, err := open(root, path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory; use read to see a file", path)
	}
	var entries []fs.DirEntry
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some, err := d.ReadDir(1000)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, explain(path, err)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
