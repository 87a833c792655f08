package main

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/ramo-dev/ramo/internal/display"
)

// escapeHostile writes as \u escapes, which mean the same in JSON, what would do something to a
// terminal.
func escapeHostile(raw []byte) []byte {
	var b strings.Builder
	for _, r := range string(raw) {
		switch {
		case !display.Hostile(r) || r == '\t':
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
	}
	return []byte(b.String())
}
