package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Permission says whether a tool that changes things is there, and whether the user is asked before each call.
type Permission string

// The permissions. The zero value is as Off.
const (
	Off   Permission = "off"
	Ask   Permission = "ask"
	Allow Permission = "allow"
)

// Options of a Workspace. The zero value gives the tools that only read.
type Options struct {
	Write, Edit, Bash Permission

	// AllowCommands are beginnings of commands that bash may run without asking, such as "go test". A
	// beginning ends at a word's end, and counts only for a plain command: one with pipes, redirections,
	// lists, variables or substitutions is asked for. What such a command does with its
	// arguments is up to it: "find" also allows "find -delete".
	AllowCommands []string

	// Env is the environment of commands, as os.Environ gives it; nil is the process's own.
	Env []string
}

// Workspace is the directory that built-in tools work in. It is safe for concurrent use.
type Workspace struct {
	dir     string // absolute, as the user names it
	real    string // without symbolic links
	root    *os.Root
	options Options
	writing sync.Mutex // held while a file is read and replaced
}

// Open returns the workspace of an existing directory. Close it when no tool runs any more.
func Open(dir string, options Options) (*Workspace, error) {
	for name, p := range map[string]Permission{"write": options.Write, "edit": options.Edit, "bash": options.Bash} {
		switch p {
		case "", Off, Ask, Allow:
		default:
			return nil, fmt.Errorf("permission %q of the tool %s is none of off, ask, allow", p, name)
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the working directory %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("opening the working directory: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the working directory: %w", err), root.Close())
	}
	return &Workspace{dir: abs, real: real, root: root, options: options}, nil
}

// Dir is the working directory, an absolute path.
func (w *Workspace) Dir() string { return w.dir }

// Close lets go of the directory. Calls made later are errors.
func (w *Workspace) Close() error { return w.root.Close() }

// Tools are the tools that the options turn on, the reading ones first.
func (w *Workspace) Tools() []Tool {
	tools := []Tool{w.readTool(), w.grepTool(), w.lsTool()}
	for _, t := range []struct {
		permission Permission
		tool       func() Tool
	}{{w.options.Write, w.writeTool}, {w.options.Edit, w.editTool}, {w.options.Bash, w.bashTool}} {
		if t.permission == Ask || t.permission == Allow {
			tool := t.tool()
			tool.NeedsApproval = t.permission == Ask
			tools = append(tools, tool)
		}
	}
	return tools
}

// relative is the path as the root wants it. It is not cleaned: "link/.." is where the link leads to.
func (w *Workspace) relative(path string) (string, error) {
	path = filepath.FromSlash(path)
	if path == "" {
		return "", errors.New("the path is empty; give one relative to the working directory")
	}
	if !filepath.IsAbs(path) {
		return path, nil
	}
	for _, dir := range []string{w.dir, w.real} {
		if path == dir {
			return ".", nil
		}
		prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			if rest = strings.TrimLeft(rest, string(filepath.Separator)); rest == "" {
				rest = "."
			}
			return rest, nil
		}
	}
	return "", outside(path)
}

func outside(path string) error {
	return fmt.Errorf("%s is outside the working directory; only paths inside it can be used", path)
}

// openFile opens a regular file in root. It opens first and looks then, so that nothing can be put in
// between, and does not wait for the other end of a FIFO.
func openFile(root *os.Root, path string) (*os.File, fs.FileInfo, error) {
	f, info, err := open(root, path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %s, not a file", path, kind(info.Mode()))
		if info.IsDir() {
			err = fmt.Errorf("%s is a directory; use ls to list it", path)
		}
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, err
}

func open(root *os.Root, path string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(explain(path, err), f.Close())
	}
	return f, info, nil
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a device"
}

// explain says in a model's words why a path cannot be used. The path is as the model gave it.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist; use ls to see what does", path)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("a part of %s is a file, not a directory", path)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	// os has no name for this error.
	if strings.Contains(err.Error(), "escapes from parent") {
		return outside(path)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// reader makes reading end with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
