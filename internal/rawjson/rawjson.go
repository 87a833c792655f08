// Package rawjson takes JSON apart without decoding it: an object into its members, an array into
// its elements, as the bytes that stand there. It accepts exactly what encoding/json accepts, and
// allocates nothing but what a decoded string needs.
package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// MaxDepth is the nesting that encoding/json accepts.
const MaxDepth = 10000

// Status tells how reading went.
type Status uint8

// What reading can end with.
const (
	OK     Status = iota
	Short         // the bytes end, or a raw line break comes, where the value is not complete
	Syntax        // not JSON
)

// Object calls member with each member of the object that b holds, in order: its key, decoded, and
// where its value stands in b. It returns false if b is not exactly one object; member may have been
// called before that was known.
func Object(b []byte, member func(key []byte, start, end int)) bool {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return skipSpace(b, i+1) == len(b)
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return false
		}
		end, escaped, s := SkipString(b, i+1)
		if s != OK {
			return false
		}
		key := b[i+1 : end]
		if escaped {
			key = Unescape(key)
		}
		if i = skipSpace(b, end+1); i >= len(b) || b[i] != ':' {
			return false
		}
		start := skipSpace(b, i+1)
		if end, s = skipValue(b, start, 1); s != OK {
			return false
		}
		member(key, start, end)
		if i = skipSpace(b, end); i >= len(b) {
			return false
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return skipSpace(b, i+1) == len(b)
		default:
			return false
		}
	}
}

// Array calls element with each element of the array that b holds, in order. It returns false if b
// is not exactly one array.
func Array(b []byte, element func(value []byte)) bool {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '[' {
		return false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return skipSpace(b, i+1) == len(b)
	}
	for {
		end, s := skipValue(b, i, 1)
		if s != OK {
			return false
		}
		element(b[i:end:end])
		if i = skipSpace(b, end); i >= len(b) {
			return false
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return skipSpace(b, i+1) == len(b)
		default:
			return false
		}
	}
}

// Valid tells whether b is exactly one JSON value.
func Valid(b []byte) bool {
	end, s := skipValue(b, skipSpace(b, 0), 0)
	return s == OK && skipSpace(b, end) == len(b)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue finds the end of the value that starts at b[i], inside of depth containers. It does not
// recurse, however deep the value is.
func skipValue(b []byte, i, depth int) (int, Status) {
	var few [64]byte
	open := few[:0] // the brackets that are open
	for {
		// A value starts here.
		if i >= len(b) {
			return i, Short
		}
		switch c := b[i]; c {
		case '"':
			end, _, s := SkipString(b, i+1)
			if s != OK {
				return end, s
			}
			i = end + 1
		case '{', '[':
			if depth+len(open) >= MaxDepth {
				return i, Syntax
			}
			open = append(open, c)
			i = skipSpace(b, i+1)
			if i < len(b) && b[i] == c+2 { // '}' or ']'
				break // it is closed below
			}
			if c == '{' {
				end, s := skipKey(b, i)
				if s != OK {
					return end, s
				}
				i = end
			}
			continue
		default:
			end, s := SkipScalar(b, i)
			if s != OK {
				return end, s
			}
			i = end
		}
		// A value, or an empty container's opening, is behind.
		for {
			if len(open) == 0 {
				return i, OK
			}
			if i = skipSpace(b, i); i >= len(b) {
				return i, Short
			}
			c := open[len(open)-1]
			if b[i] == c+2 {
				open = open[:len(open)-1]
				i++
				continue
			}
			if b[i] != ',' {
				return i, Syntax
			}
			i = skipSpace(b, i+1)
			if c == '{' {
				end, s := skipKey(b, i)
				if s != OK {
					return end, s
				}
				i = end
			}
			break
		}
	}
}

// skipKey finds the value behind the key that starts at b[i].
func skipKey(b []byte, i int) (int, Status) {
	if i >= len(b) {
		return i, Short
	}
	if b[i] != '"' {
		return i, Syntax
	}
	end, _, s := SkipString(b, i+1)
	if s != OK {
		return end, s
	}
	if i = skipSpace(b, end+1); i >= len(b) {
		return i, Short
	}
	if b[i] != ':' {
		return i, Syntax
	}
	return skipSpace(b, i+1), OK
}

// StopAt is the status for a byte that cannot stand where it does: a line break cuts a value of a
// log short, anything else is no JSON.
func StopAt(b []byte, i int) (Status, int) {
	if b[i] == '\n' {
		return Short, i
	}
	return Syntax, i
}

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slashs = '\\' * ones
	blanks = 0x20 * ones
)

// SkipString finds the closing quote of a string whose first byte is b[i]. It looks at eight bytes
// at a time: the usual string is long text with an escape here and there.
func SkipString(b []byte, i int) (end int, escaped bool, e Status) {
words:
	for i+9 <= len(b) { // a byte more than a word, for an escape that the word ends with
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^quotes, w^slashs
		// The lowest bit set marks the first byte that is a quote, a backslash or a control
		// character; higher ones may mark others too.
		m := (((q - ones) &^ q) | ((s - ones) &^ s) | ((w - blanks) &^ w)) & highs
		for m != 0 {
			k := bits.TrailingZeros64(m) >> 3
			switch c := byte(w >> (8 * k)); {
			case c == '"':
				return i + k, escaped, OK
			case c == '\\':
				escaped = true
				if escapes[b[i+k+1]] != 1 {
					i += k
					break words
				}
				if k == 7 {
					i += 9
					continue words
				}
				m &^= 0xffff << (8 * k)
			case c < 0x20:
				e, i := StopAt(b, i+k)
				return i, escaped, e
			default:
				m &= m - 1
			}
		}
		i += 8
	}
	// Byte by byte: near the end of b, or an escape of four digits, after which there may be words again.
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i, escaped, OK
		case c < 0x20:
			e, i := StopAt(b, i)
			return i, escaped, e
		case c != '\\':
			i++
			continue
		}
		escaped = true
		if i+1 >= len(b) {
			return i, escaped, Short
		}
		switch escapes[b[i+1]] {
		case 1:
			i += 2
		case 4:
			for k := i + 2; k < i+6; k++ {
				if k >= len(b) {
					return k, escaped, Short
				}
				if !isHex(b[k]) {
					e, k := StopAt(b, k)
					return k, escaped, e
				}
			}
			i += 6
			goto words
		default:
			e, i := StopAt(b, i+1)
			return i, escaped, e
		}
	}
	return i, escaped, Short
}

// escapes tells of the byte behind a backslash how many more belong to it, counting itself as one
// and the digits of \u as four. 0: no escape.
var escapes = [256]uint8{'"': 1, '\\': 1, '/': 1, 'b': 1, 'f': 1, 'n': 1, 'r': 1, 't': 1, 'u': 4}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// SkipScalar finds the end of a number or of true, false, null.
func SkipScalar(b []byte, i int) (int, Status) {
	switch c := b[i]; {
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	}
	e, i := StopAt(b, i)
	return i, e
}

func skipWord(b []byte, i int, word string) (int, Status) {
	for k := 0; k < len(word); k++ {
		if i+k >= len(b) {
			return i + k, Short
		}
		if b[i+k] != word[k] {
			e, at := StopAt(b, i+k)
			return at, e
		}
	}
	return i + len(word), OK
}

func skipNumber(b []byte, i int) (int, Status) {
	if b[i] == '-' {
		i++
	}
	var e Status
	switch {
	case i >= len(b):
		return i, Short
	case b[i] == '0':
		i++
	default:
		if i, e = skipDigits(b, i); e != OK {
			return i, e
		}
	}
	if i < len(b) && b[i] == '.' {
		if i, e = skipDigits(b, i+1); e != OK {
			return i, e
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i, e = skipDigits(b, i); e != OK {
			return i, e
		}
	}
	return i, OK
}

// skipDigits wants at least one digit.
func skipDigits(b []byte, i int) (int, Status) {
	if i >= len(b) {
		return i, Short
	}
	if b[i] < '0' || b[i] > '9' {
		e, i := StopAt(b, i)
		return i, e
	}
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i, OK
}
