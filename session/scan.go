package session

import "github.com/ramo-dev/ramo/internal/rawjson"

// The scanner reads one JSON object and notes where the few members are that the index needs. It
// accepts exactly what encoding/json accepts (FuzzScan holds it to that), in one pass and without
// allocating. A '\n' ends the object even between tokens: in a log it ends the line.

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
func (s *scanner) scanObject(b []byte, i int, out *scanned) (rawjson.Status, int) {
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
			return rawjson.Short, i
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
		return rawjson.StopAt(b, i)
	}

key:
	{
		// b[i] is the opening quote.
		start := i + 1
		end, escaped, e := rawjson.SkipString(b, start)
		if e != rawjson.OK {
			return e, end
		}
		next = slotNone
		if depth <= watchedDepth && in[depth] != inOther {
			name := b[start:end]
			if escaped {
				name = rawjson.Unescape(name)
			}
			next = slotFor(in[depth], name)
		}
		i = end + 1
		for {
			if i >= len(b) {
				return rawjson.Short, i
			}
			c := b[i]
			if c == ':' {
				i++
				break
			}
			if c != ' ' && c != '\t' && c != '\r' {
				return rawjson.StopAt(b, i)
			}
			i++
		}
	}

value:
	for {
		if i >= len(b) {
			return rawjson.Short, i
		}
		switch c := b[i]; c {
		case ' ', '\t', '\r':
			i++
			continue
		case '"':
			start := i + 1
			end, escaped, e := rawjson.SkipString(b, start)
			if e != rawjson.OK {
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
			if len(s.stack) >= rawjson.MaxDepth {
				return rawjson.Syntax, i
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
					return rawjson.Short, i
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
						return rawjson.StopAt(b, i)
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
			end, e := rawjson.SkipScalar(b, i)
			if e != rawjson.OK {
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
			name = rawjson.Unescape(name)
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
		return rawjson.OK, i
	}

after:
	for {
		if i >= len(b) {
			return rawjson.Short, i
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
					return rawjson.Short, i
				}
				d := b[i]
				if d == '"' {
					goto key
				}
				if d != ' ' && d != '\t' && d != '\r' {
					return rawjson.StopAt(b, i)
				}
				i++
			}
		case '}':
			if s.stack[depth-1] != '{' {
				return rawjson.Syntax, i
			}
			goto closing
		case ']':
			if s.stack[depth-1] != '[' {
				return rawjson.Syntax, i
			}
			goto closing
		default:
			return rawjson.StopAt(b, i)
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
