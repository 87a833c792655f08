package tool

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	maxDiff     = 256 << 10 // bytes
	diffContext = 3         // lines
)

// unifiedDiff is the change in the form of diff -u, as one hunk: from the first line that differs
// to the last. It is empty when nothing differs, or when it would be longer than maxDiff.
func unifiedDiff(path string, before, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	a, b := splitLines(before), splitLines(after)
	start := 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		start++
	}
	end := 0 // lines that are the same at the end
	for end < len(a)-start && end < len(b)-start && bytes.Equal(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	from := max(0, start-diffContext)
	tail := max(0, end-diffContext)
	var d diff
	fmt.Fprintf(&d, "--- a/%s\n+++ b/%[1]s\n@@ -%s +%s @@\n", path, span(from, len(a)-tail), span(from, len(b)-tail))
	d.lines(' ', a[from:start])
	d.lines('-', a[start:len(a)-end])
	d.lines('+', b[start:len(b)-end])
	d.lines(' ', a[len(a)-end:len(a)-tail])
	if d.Len() > maxDiff {
		return ""
	}
	return strings.ToValidUTF8(d.String(), "\uFFFD")
}

type diff struct{ strings.Builder }

func (d *diff) lines(sign byte, lines [][]byte) {
	for _, l := range lines {
		d.WriteByte(sign)
		d.Write(l)
		if !bytes.HasSuffix(l, []byte("\n")) {
			d.WriteString("\n\\ No newline at end of file\n")
		}
		if d.Len() > maxDiff {
			return
		}
	}
}

// span is a range of lines as a hunk's header has it: an empty one is named by the line before it.
func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func splitLines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n := len(lines) - 1; len(lines[n]) == 0 {
		lines = lines[:n]
	}
	return lines
}
