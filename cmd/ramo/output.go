package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strconv"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
)

// output is where a command prints: buffered, and in colour where colours are shown.
type output struct {
	*bufio.Writer
	color bool
	width int // of the terminal; 0 when it is none
}

func newOutput(cmd *cobra.Command) *output {
	out := &output{Writer: bufio.NewWriterSize(cmd.OutOrStdout(), 32<<10)}
	if f, ok := cmd.OutOrStdout().(*os.File); ok && term.IsTerminal(f.Fd()) {
		out.color = colorprofile.Detect(f, os.Environ()) > colorprofile.ASCII
		if w, _, err := term.GetSize(f.Fd()); err == nil {
			out.width = w
		}
	}
	return out
}

// columns is how wide a line may be: as the terminal, or in a pipe as $COLUMNS says.
func (o *output) columns() int {
	if o.width > 0 {
		return o.width
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 100
}

// flushed ends a command's output.
func (o *output) flushed(err error) error {
	if err != nil {
		_ = o.Flush() // what was printed before the error
		return err
	}
	return o.Flush()
}

// style wraps text in a colour, an SGR parameter such as "1;32".
func (o *output) style(sgr, text string) string {
	if !o.color || text == "" || sgr == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

const (
	bold    = "1"
	faint   = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	magenta = "35"
	cyan    = "36"
)

func wantsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json")
	return on
}

// printJSON writes a value as one line, without escapes for HTML.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// orNull is an id as JSON has it: null for none.
func orNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
