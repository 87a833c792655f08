package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/export"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/session"
)

type exported struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Bytes  int64  `json:"bytes"`
}

func newExport() *cobra.Command {
	var leaf, format string
	var force bool
	cmd := &cobra.Command{
		Use:   "export SESSION [FILE]",
		Short: "Write the active branch as a document or as a session of its own",
		Long: `Write the branch that ends at the leaf: as Markdown to read, or as JSONL, a session of its own whose entries have
the bytes they have here. The file's name tells which, .md or .jsonl. Without a FILE, or with -, it goes to
standard output, as Markdown if --format does not say otherwise; --json changes nothing there.`,
		Example: "  ramo export - talk.md\n  ramo export - --leaf 'first try' --format jsonl > try.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage("usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: completeExport,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if len(args) == 2 && args[1] != "-" {
				path = args[1]
			}
			format, err := exportFormat(format, path)
			if err != nil {
				return err
			}
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			at, none, err := leafOf(s, leaf)
			if err != nil {
				return err
			}
			if none {
				at = export.Root
			}
			out := newOutput(cmd)
			if path == "" {
				return out.flushed(exportTo(cmd.Context(), toTerminal(out), s, at, format))
			}
			done, err := exportFile(cmd.Context(), path, force, s, at, format)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return out.flushed(printJSON(out, done))
			}
			fmt.Fprintf(out, "Exported to %s (%s)\n", display.Line(done.Path, 0), display.Bytes(done.Bytes))
			return out.flushed(nil)
		},
	}
	leafFlag(cmd, &leaf)
	cmd.Flags().StringVar(&format, "format", "", "md or jsonl; by default what the file's name says")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "overwrite the file if there is one")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"md", "jsonl"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func completeExport(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return nil, cobra.ShellCompDirectiveDefault // a file
	}
	return completeSession(cmd, args, toComplete)
}

// exportFormat is what --format or else the file's name says: md or jsonl.
func exportFormat(flag, path string) (string, error) {
	switch flag {
	case "md", "jsonl":
		return flag, nil
	case "":
	default:
		return "", usage("--format is md or jsonl, not %q", flag)
	}
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case path == "", ext == ".md", ext == ".markdown":
		return "md", nil
	case ext == ".jsonl":
		return "jsonl", nil
	}
	return "", usage("the name %s does not say what to write: end it in .md or .jsonl, or give --format", path)
}

func exportTo(ctx context.Context, w io.Writer, s *session.Session, leaf, format string) error {
	if format == "jsonl" {
		return export.JSONL(ctx, w, s, leaf)
	}
	return export.Markdown(&interruptible{ctx, w}, s, leaf)
}

// interruptible is a writer that fails once its context is cancelled.
type interruptible struct {
	ctx context.Context
	io.Writer
}

func (w *interruptible) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// exportFile writes the file whole or not at all, as a session's is written. Only force lets it take
// the place of another.
func exportFile(ctx context.Context, path string, force bool, s *session.Session, leaf, format string) (exported, error) {
	done := exported{Format: format}
	file, err := session.NewFileStore(path)
	if err != nil {
		return done, err
	}
	done.Path = file.Name()
	put := file.Create
	switch there, err := os.Stat(path); {
	case err != nil: // nothing there, or Create says what
	case there.IsDir():
		return done, fmt.Errorf("%s is a directory: name a file in it", path)
	case !there.Mode().IsRegular():
		return done, fmt.Errorf("%s is not a regular file: name another, or - for standard output", path)
	case sameFile(there, s.Path()):
		return done, fmt.Errorf("%s is the session itself: choose another name", path)
	case force:
		put = func(write func(io.Writer) error, _ bool) error { return file.Replace(write, "") }
	}
	err = put(func(w io.Writer) error {
		counted := &counter{Writer: w}
		err := exportTo(ctx, counted, s, leaf, format)
		done.Bytes = counted.n
		return err
	}, true)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s exists already: choose another name, or --force to overwrite it", path)
	}
	return done, err
}

// counter counts the bytes that go through it.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

func sameFile(there fs.FileInfo, path string) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(there, info)
}

// toTerminal is where what may hold any bytes is written: on a terminal, those that would act on it
// are shown as JSON's escapes.
func toTerminal(out *output) io.Writer {
	if out.width == 0 {
		return out
	}
	return &escaping{to: out}
}

// escaping writes whole lines.
type escaping struct {
	to   io.Writer
	line []byte
}

func (w *escaping) Write(p []byte) (int, error) {
	for rest := p; ; {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		w.line = append(w.line, line...)
		if !whole {
			return len(p), nil
		}
		if _, err := w.to.Write(append(escapeHostile(w.line), '\n')); err != nil {
			return 0, err
		}
		w.line, rest = w.line[:0], more
	}
}
