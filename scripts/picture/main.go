// Picture turns what a terminal shows, as 'tmux capture-pane -e -p' prints it, into an SVG.
//
//	picture COLUMNS ROWS < screen > screen.svg
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"os"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// The size of a cell, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
)

const (
	background = "#16181d"
	foreground = "#d8dee9"
)

// palette are the sixteen colours, easy on the eyes.
var palette = [16]string{
	"#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9",
	"#7f8796", "#ff7b86", "#b5e890", "#ffd68a", "#7fc1ff", "#d89bef", "#7fd6e0", "#ffffff",
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: picture COLUMNS ROWS")
	}
	width, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	height, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	screen := vt.NewEmulator(width, height)
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	if _, err := screen.Write(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))); err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	draw(w, screen, width, height)
	return w.Flush()
}

func draw(w io.Writer, screen *vt.Emulator, width, height int) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">`+"\n",
		float64(width)*cellWidth+2*margin, height*cellHeight+2*margin)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	for y := range height {
		for x := 0; x < width; {
			x = drawRun(w, screen, x, y, width)
		}
	}
	fmt.Fprintln(w, "</svg>")
}

// drawRun draws the cells from x on that look alike, and returns where the next ones start.
func drawRun(w io.Writer, screen *vt.Emulator, x, y, width int) int {
	style := styleAt(screen, x, y)
	from := x
	var text strings.Builder
	for x < width && styleAt(screen, x, y) == style {
		step := 1
		if c := screen.CellAt(x, y); c != nil && c.Content != "" {
			text.WriteString(c.Content)
			step = max(c.Width, 1)
		} else {
			text.WriteByte(' ')
		}
		x += step
	}
	left, top := float64(from)*cellWidth+margin, y*cellHeight+margin
	if style.back != "" {
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(x-from)*cellWidth, cellHeight, style.back)
	}
	if strings.TrimSpace(text.String()) != "" {
		fmt.Fprintf(w, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="%s"%s>%s</text>`+"\n",
			left, top+13, float64(ansi.StringWidth(text.String()))*cellWidth, style.fore, style.more, html.EscapeString(text.String()))
	}
	return x
}

// look is how a cell is drawn.
type look struct{ fore, back, more string }

func styleAt(screen *vt.Emulator, x, y int) look {
	l := look{fore: foreground}
	c := screen.CellAt(x, y)
	if c == nil {
		return l
	}
	if c.Style.Fg != nil {
		l.fore = hex(c.Style.Fg)
	}
	if c.Style.Bg != nil {
		l.back = hex(c.Style.Bg)
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		l.fore, l.back = orElse(l.back, background), l.fore
	}
	if c.Style.Attrs&uv.AttrBold != 0 {
		l.more += ` font-weight="bold"`
	}
	if c.Style.Attrs&uv.AttrItalic != 0 {
		l.more += ` font-style="italic"`
	}
	return l
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func hex(c color.Color) string {
	if i, ok := c.(ansi.BasicColor); ok {
		return palette[i]
	}
	if i, ok := c.(ansi.IndexedColor); ok && i < 16 {
		return palette[i]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
