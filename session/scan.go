package session

import (
	"encoding/binary"
	"math/bits"
)

// The scanner reads one JSON object and notes where the few members are that the index needs. It
// accepts exactly what encoding/json accepts (FuzzScan holds it to that), in one pass and without
// allocating. A '\n' ends the object even between tokens: in a log it ends the line.

// maxDepth is the nesting that encoding/json accepts.
const maxDepth = 10000

// span is a half-open range of the scanned bytes. The zero span means "absent".
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// valueKind tells what a member's value is.
type valueKind uint8

const (
	absent valueKind = iota
	stringValue
	nullValue
	otherValue
)

// member is the last value seen for a key; span is without the quotes for a string.
type member struct {
	span
	kind    valueKind
	escaped bool
}

// scanned holds what one object says. Offsets are into the bytes given to scanObject.
type scanned struct {
	end       int // just after the closing brace
	typ       member
	id        member
	parent    member
	timestamp member
	role      member
	stop      member
	hasText   bool // the message has text that is not blank
	hasCalls  bool // the message has tool calls
}

type scanError uint8

const (
	scanOK     scanError = iota
	scanShort            // the bytes end, or the line does, inside the object
	scanSyntax           // not JSON
)

// What the value about to be read is, when the index cares.
type slot uint8

const (
	slotNone slot = iota
	slotType
	slotID
	slotParent
	slotTimestamp
	slotMessage
	slotRole
	slotStop
	slotContent
	slotBlockType
	slotBlockText
)

// The containers whose keys the index cares about. Only the first few levels can be one.
type container uint8

const (
	inOther container = iota
	inEntry
	inMessage
	inContent
	inBlock
)

const watchedDepth = 5

type scanner struct {
	stack []byte // '{' or '[' for each open container
}

// scanObject scans the object that starts at b[i], which must be '{'. The second result is where
// the scan stopped.
func (s *scanner) scanObject(b []byte, i int, out *scanned) (scanError, int) {
	*out = scanned{}
	var (
		in        [watchedDepth + 1]container
		next      slot
		blockType member
		blockText bool
	)
	s.stack = append(s.stack[:0], '{')
	in[1] = inEntry
	depth := 1
	i++
	// After '{': a key or the end.
	for {
		if i >= len(b) {
			return scanShort, i
		}
		c := b[i]
		if c == ' ' || c == '\t' || c == '\r' {
			i++
			continue
		}
		if c == '"' {
			goto key
		}
		if c == '}' {
			goto closing
		}
		return stopAt(b, i)
	}

key:
	{
		// b[i] is the opening quote.
		start := i + 1
		end, escaped, e := skipString(b, start)
		if e != scanOK {
			return e, end
		}
		next = slotNone
		if depth <= watchedDepth && in[depth] != inOther {
			name := b[start:end]
			if escaped {
				name = unescape(name)
			}
			next = slotFor(in[depth], name)
		}
		i = end + 1
		for {
			if i >= len(b) {
				return scanShort, i
			}
			c := b[i]
			if c == ':' {
				i++
				break
			}
			if c != ' ' && c != '\t' && c != '\r' {
				return stopAt(b, i)
			}
			i++
		}
	}

value:
	for {
		if i >= len(b) {
			return scanShort, i
		}
		switch c := b[i]; c {
		case ' ', '\t', '\r':
			i++
			continue
		case '"':
			start := i + 1
			end, escaped, e := skipString(b, start)
			if e != scanOK {
				return e, end
			}
			i = end + 1
			m := member{span{start, end}, stringValue, escaped}
			switch next {
			case slotNone:
			case slotBlockType:
				blockType = m
			case slotBlockText:
				blockText = !blank(b[start:end])
			case slotContent:
				out.hasText, out.hasCalls = !blank(b[start:end]), false
			default:
				out.set(next, m)
			}
			goto after
		case '{', '[':
			if len(s.stack) >= maxDepth {
				return scanSyntax, i
			}
			s.stack = append(s.stack, c)
			depth++
			if depth <= watchedDepth {
				in[depth] = inOther
				switch {
				case next == slotMessage && c == '{':
					in[depth] = inMessage
				case next == slotContent && c == '[':
					in[depth] = inContent
				case c == '{' && in[depth-1] == inContent:
					in[depth] = inBlock
				}
			}
			switch {
			case next == slotBlockType || next == slotBlockText:
				blockType, blockText = forgetBlock(next, blockType, blockText)
			case depth <= watchedDepth && in[depth] == inBlock:
				blockType, blockText = member{}, false
			}
			out.set(next, member{span{i, i + 1}, otherValue, false})
			i++
			// An empty container, or its first key or value.
			for {
				if i >= len(b) {
					return scanShort, i
				}
				d := b[i]
				if d == ' ' || d == '\t' || d == '\r' {
					i++
					continue
				}
				if c == '{' {
					if d == '"' {
						goto key
					}
					if d != '}' {
						return stopAt(b, i)
					}
					goto closing
				}
				if d == ']' {
					goto closing
				}
				break
			}
			next = slotNone
			continue
		default:
			end, e := skipScalar(b, i)
			if e != scanOK {
				return e, end
			}
			kind := otherValue
			if c == 'n' {
				kind = nullValue
			}
			out.set(next, member{span{i, end}, kind, false})
			blockType, blockText = forgetBlock(next, blockType, blockText)
			i = end
			goto after
		}
	}

closing:
	// b[i] is the closing bracket of the innermost container, which it matches.
	if depth <= watchedDepth && in[depth] == inBlock {
		name := blockType.of(b)
		if blockType.escaped {
			name = unescape(name)
		}
		if blockType.kind == stringValue {
			switch string(name) {
			case "text":
				out.hasText = out.hasText || blockText
			case "toolCall":
				out.hasCalls = true
			}
		}
	}
	i++
	depth--
	s.stack = s.stack[:depth]
	if depth == 0 {
		out.end = i
		return scanOK, i
	}

after:
	for {
		if i >= len(b) {
			return scanShort, i
		}
		switch c := b[i]; c {
		case ' ', '\t', '\r':
			i++
			continue
		case ',':
			i++
			if s.stack[depth-1] == '[' {
				next = slotNone
				goto value
			}
			for {
				if i >= len(b) {
					return scanShort, i
				}
				d := b[i]
				if d == '"' {
					goto key
				}
				if d != ' ' && d != '\t' && d != '\r' {
					return stopAt(b, i)
				}
				i++
			}
		case '}':
			if s.stack[depth-1] != '{' {
				return scanSyntax, i
			}
			goto closing
		case ']':
			if s.stack[depth-1] != '[' {
				return scanSyntax, i
			}
			goto closing
		default:
			return stopAt(b, i)
		}
	}
}

// forgetBlock drops what an earlier member of the same name said: the last one counts.
func forgetBlock(at slot, typ member, text bool) (member, bool) {
	switch at {
	case slotBlockType:
		typ = member{}
	case slotBlockText:
		text = false
	}
	return typ, text
}

// set notes a value. The last of several members with one name counts, so a second "message" or
// "content" also undoes what the first one held.
func (o *scanned) set(at slot, m member) {
	switch at {
	case slotType:
		o.typ = m
	case slotID:
		o.id = m
	case slotParent:
		o.parent = m
	case slotTimestamp:
		o.timestamp = m
	case slotRole:
		o.role = m
	case slotStop:
		o.stop = m
	case slotMessage:
		o.role, o.stop, o.hasText, o.hasCalls = member{}, member{}, false, false
	case slotContent:
		o.hasText, o.hasCalls = false, false
	}
}

func slotFor(c container, name []byte) slot {
	switch c {
	case inEntry:
		switch string(name) {
		case "type":
			return slotType
		case "id":
			return slotID
		case "parentId":
			return slotParent
		case "timestamp":
			return slotTimestamp
		case "message":
			return slotMessage
		}
	case inMessage:
		switch string(name) {
		case "role":
			return slotRole
		case "content":
			return slotContent
		case "stopReason":
			return slotStop
		}
	case inBlock:
		switch string(name) {
		case "type":
			return slotBlockType
		case "text":
			return slotBlockText
		}
	}
	return slotNone
}

// stopAt is the error for a byte that cannot stand where it does: the end of the line cuts the
// object short, anything else is no JSON.
func stopAt(b []byte, i int) (scanError, int) {
	if b[i] == '\n' {
		return scanShort, i
	}
	return scanSyntax, i
}

const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	slashs = '\\' * ones
	blanks = 0x20 * ones
)

// skipString finds the closing quote of a string whose first byte is b[i]. It looks at eight bytes
// at a time: the usual string is long text with an escape here and there.
func skipString(b []byte, i int) (end int, escaped bool, e scanError) {
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
				return i + k, escaped, scanOK
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
				e, i := stopAt(b, i+k)
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
			return i, escaped, scanOK
		case c < 0x20:
			e, i := stopAt(b, i)
			return i, escaped, e
		case c != '\\':
			i++
			continue
		}
		escaped = true
		if i+1 >= len(b) {
			return i, escaped, scanShort
		}
		switch escapes[b[i+1]] {
		case 1:
			i += 2
		case 4:
			for k := i + 2; k < i+6; k++ {
				if k >= len(b) {
					return k, escaped, scanShort
				}
				if !isHex(b[k]) {
					e, k := stopAt(b, k)
					return k, escaped, e
				}
			}
			i += 6
			goto words
		default:
			e, i := stopAt(b, i+1)
			return i, escaped, e
		}
	}
	return i, escaped, scanShort
}

// escapes tells of the byte behind a backslash how many more belong to it, counting itself as one
// and the digits of \u as four. 0: no escape.
var escapes = [256]uint8{'"': 1, '\\': 1, '/': 1, 'b': 1, 'f': 1, 'n': 1, 'r': 1, 't': 1, 'u': 4}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// skipScalar finds the end of a number or of true, false, null.
func skipScalar(b []byte, i int) (int, scanError) {
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
	e, i := stopAt(b, i)
	return i, e
}

func skipWord(b []byte, i int, word string) (int, scanError) {
	for k := 0; k < len(word); k++ {
		if i+k >= len(b) {
			return i + k, scanShort
		}
		if b[i+k] != word[k] {
			e, at := stopAt(b, i+k)
			return at, e
		}
	}
	return i + len(word), scanOK
}

func skipNumber(b []byte, i int) (int, scanError) {
	if b[i] == '-' {
		i++
	}
	var e scanError
	switch {
	case i >= len(b):
		return i, scanShort
	case b[i] == '0':
		i++
	default:
		if i, e = skipDigits(b, i); e != scanOK {
			return i, e
		}
	}
	if i < len(b) && b[i] == '.' {
		if i, e = skipDigits(b, i+1); e != scanOK {
			return i, e
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i, e = skipDigits(b, i); e != scanOK {
			return i, e
		}
	}
	return i, scanOK
}

// skipDigits wants at least one digit.
func skipDigits(b []byte, i int) (int, scanError) {
	if i >= len(b) {
		return i, scanShort
	}
	if b[i] < '0' || b[i] > '9' {
		e, i := stopAt(b, i)
		return i, e
	}
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i, scanOK
}

// blank tells whether a raw JSON string holds only white space, written plainly or as escapes.
func blank(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case ' ':
		case '\\':
			if i++; raw[i] != 'n' && raw[i] != 't' && raw[i] != 'r' {
				return false
			}
		default:
			return false
		}
	}
	return true
}
