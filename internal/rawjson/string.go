package rawjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// String decodes the string that b holds, quotes and all, as encoding/json does: a lone surrogate
// and invalid UTF-8 read as U+FFFD. It returns false if b is not exactly one string.
func String(b []byte) (string, bool) {
	if len(b) < 2 || b[0] != '"' {
		return "", false
	}
	end, escaped, s := SkipString(b, 1)
	if s != OK || end != len(b)-1 {
		return "", false
	}
	raw := b[1:end]
	if escaped || !utf8.Valid(raw) {
		raw = Unescape(raw)
	}
	return string(raw), true
}

// Unescape decodes the inside of a string that is known to be sound.
func Unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\':
			i++
			switch raw[i] {
			case 'b':
				out = append(out, '\b')
			case 'f':
				out = append(out, '\f')
			case 'n':
				out = append(out, '\n')
			case 'r':
				out = append(out, '\r')
			case 't':
				out = append(out, '\t')
			case 'u':
				r := hex4(raw[i+1:])
				i += 4
				if utf16.IsSurrogate(r) {
					pair := rune(utf8.RuneError)
					if i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
						pair = utf16.DecodeRune(r, hex4(raw[i+3:]))
					}
					if pair != utf8.RuneError {
						i += 6
					}
					r = pair
				}
				out = utf8.AppendRune(out, r)
			default: // a quote, a slash, a backslash
				out = append(out, raw[i])
			}
			i++
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	return out
}

func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}
