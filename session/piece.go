package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

// A piece is a range of a log, read and scanned by itself so that several can be at once. It owns
// the lines that start in it.

const pieceSize = 256 << 10

// found is one JSON object of a piece: an entry, a header or a title line.
type found struct {
	off, size int64
	line      int // in the piece, from 0
	typ, role string
	id        idKey
	parent    idKey
	hasParent bool // a parentId is there, perhaps null
	hasTime   bool // a timestamp is there, readable or not
	timeOK    bool
	time      int64 // ms
	flags     flags
	recovered bool         // from a line that holds more than one write
	hash      uint64       // of an object without an id
	label     *labelChange // of a label entry
	raw       []byte       // of a header or a title line
}

// labelChange is what a label entry says.
type labelChange struct {
	target string
	text   string // "": cleared
	bad    bool
}

type piece struct {
	found    []found
	problems []Problem // Line counts from 0 in the piece
	lines    int       // that start in the piece
	// consumed is the end of what is settled: the piece's lines, or, of a last line without '\n',
	// up to its last complete object.
	consumed int64
	open     bool // the piece ends with a line that has no '\n'
}

func (p *piece) reset() {
	clear(p.found)
	*p = piece{found: p.found[:0]}
}

// pieceReader scans pieces. It is used by one goroutine and keeps its buffer between them.
type pieceReader struct {
	src     io.ReaderAt
	size    int64 // of the log; what comes after is not read
	buf     []byte
	scan    scanner
	strings map[string]string
}

func newPieceReader(src io.ReaderAt, size int64) *pieceReader {
	return &pieceReader{src: src, size: size, strings: map[string]string{}}
}

// read scans the lines that start in [start, end). fresh says that a line starts at start, as it
// does at 0 and where an earlier read left off; otherwise that depends on the byte before.
func (r *pieceReader) read(start, end int64, fresh bool, out *piece) error {
	out.reset()
	base := start // offset of r.buf[0]
	if !fresh {
		base--
	}
	r.buf = r.buf[:0]
	if err := r.extend(base, int(end-base)); err != nil {
		return err
	}
	at := 0
	if !fresh {
		nl := bytes.IndexByte(r.buf, '\n')
		if nl < 0 {
			out.consumed = end
			return nil
		}
		at = nl + 1
	}
	for base+int64(at) < end {
		next, err := r.line(base, at, out)
		if err != nil {
			return err
		}
		out.lines++
		at = next
		out.consumed = max(out.consumed, base+int64(at))
		if out.open {
			break
		}
	}
	if out.lines == 0 {
		out.consumed = end
	}
	if cap(r.buf) > 16*pieceSize {
		r.buf = nil // a long line came by
	}
	return nil
}

// extend reads n more bytes behind r.buf, which starts at base, or what there is of them.
func (r *pieceReader) extend(base int64, n int) error {
	have := len(r.buf)
	n = int(min(int64(n), r.size-base-int64(have)))
	if n <= 0 {
		return nil
	}
	if cap(r.buf) < have+n {
		room := int(min(r.size-base, pieceSize+16<<10)) // of a small log no more than it has
		grown := make([]byte, have, max(have+n, room))
		copy(grown, r.buf)
		r.buf = grown
	}
	r.buf = r.buf[:have+n]
	got, err := r.src.ReadAt(r.buf[have:], base+int64(have))
	if got == n {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF // shorter than it was a moment ago
	}
	return err
}

// line scans the line at r.buf[at:] and returns where the next one starts.
func (r *pieceReader) line(base int64, at int, out *piece) (int, error) {
	for step := 8 << 10; ; {
		atEOF := base+int64(len(r.buf)) >= r.size
		// The usual line is one object and a '\n': one scan does both.
		start := at
		if base+int64(at) == 0 && bytes.HasPrefix(r.buf[at:], bom) {
			start += len(bom)
		}
		if start < len(r.buf) && r.buf[start] == '{' {
			var s scanned
			if e, _ := r.scan.scanObject(r.buf, start, &s); e == rawjson.OK {
				end := s.end
				for end < len(r.buf) && (r.buf[end] == ' ' || r.buf[end] == '\t' || r.buf[end] == '\r') {
					end++
				}
				if end < len(r.buf) && r.buf[end] == '\n' {
					r.emit(base, start, &s, false, out)
					return end + 1, nil
				}
			}
		}
		if nl := bytes.IndexByte(r.buf[at:], '\n'); nl >= 0 {
			r.oddLine(base, at, at+nl, true, out)
			return at + nl + 1, nil
		}
		if atEOF {
			out.open = true
			return r.openLine(base, at, out), nil
		}
		if err := r.extend(base, step); err != nil {
			return 0, err
		}
		if bytes.IndexByte(r.buf[at:], '\n') < 0 {
			// A long line. Look for its end first: then the buffer grows once, to what is needed.
			var err error
			if step, err = r.lineRest(base + int64(len(r.buf))); err != nil {
				return 0, err
			}
		}
	}
}

// lineRest is how many bytes from off on belong to the line that off is in, with its '\n'.
func (r *pieceReader) lineRest(off int64) (int, error) {
	window := make([]byte, 64<<10)
	for n := 0; off < r.size; {
		w := window[:min(int64(len(window)), r.size-off)]
		if got, err := r.src.ReadAt(w, off); got < len(w) {
			return 0, cmp.Or(err, io.ErrUnexpectedEOF)
		}
		if i := bytes.IndexByte(w, '\n'); i >= 0 {
			return n + i + 1, nil
		}
		n += len(w)
		off += int64(len(w))
		if off >= r.size {
			return n, nil
		}
	}
	return 0, nil
}

var bom = []byte("\xef\xbb\xbf")

// oddLine scans a line, without its '\n', that is not just one object: blank, with NUL bytes
// around it, several writes merged into one, or no JSON. It returns the end of the last complete
// object, or at when there is none.
func (r *pieceReader) oddLine(base int64, at, end int, ended bool, out *piece) int {
	from, to := at, end
	nul := false
	for from < to && (isSpace(r.buf[from]) || r.buf[from] == 0) {
		nul = nul || r.buf[from] == 0
		from++
	}
	if base == 0 && from == 0 && bytes.HasPrefix(r.buf[:to], bom) {
		return r.oddLine(base, len(bom), end, ended, out)
	}
	for to > from && (isSpace(r.buf[to-1]) || r.buf[to-1] == 0) {
		nul = nul || r.buf[to-1] == 0
		to--
	}
	if nul {
		r.problem(out, base+int64(at), ProblemNUL, "NUL bytes, skipped")
	}
	if from == to {
		return at
	}
	if r.buf[from] == '{' {
		var s scanned
		if e, _ := r.scan.scanObject(r.buf[:to], from, &s); e == rawjson.OK && s.end == to {
			r.emit(base, from, &s, false, out)
			return to
		}
	}
	last, n := r.recover(base, from, to, ended, out)
	switch {
	case n > 0:
		r.problem(out, base+int64(from), ProblemMergedLines, fmt.Sprintf("several writes on one line; entries recovered: %d", n))
		return last
	default:
		r.problem(out, base+int64(from), ProblemNotJSON, "not a JSON object: "+excerpt(r.buf[from:to]))
	}
	return at
}

// openLine scans the last line of the log, which has no '\n'.
func (r *pieceReader) openLine(base int64, at int, out *piece) int {
	before := len(out.problems)
	end := r.oddLine(base, at, len(r.buf), false, out)
	tail := bytes.Trim(r.buf[end:], "\x00 \t\r")
	if base == 0 && end == 0 {
		tail = bytes.TrimPrefix(tail, bom)
	}
	if len(tail) == 0 {
		// Nothing but blanks, NULs and complete objects. Blanks stay unsettled: more may follow.
		return end
	}
	if end == at {
		out.problems = out.problems[:before]
		r.problem(out, base+int64(at), ProblemTornTail, "the last line is cut short: "+excerpt(tail))
	}
	return end
}

// recover looks for complete entries on a line that is not one object: two writes that were
// merged, of which the first may be torn. An object counts only if it has all that an entry or a
// header has, for a torn message leaves complete objects of other kinds behind.
//
// Nor does one count that may be part of a torn entry, such as a copy of an entry in an extension's
// data. What was written behind a torn entry reaches at least to where the torn one stops making
// sense; where it never does, the line must end with it, and have ended: of a line without '\n' more
// may be on its way.
func (r *pieceReader) recover(base int64, from, to int, ended bool, out *piece) (last, n int) {
	budget := 16*(to-from) + 1<<16 // a line made to be slow is given up on
	reach := 0
	for i := from; i < to && budget > 0; {
		open := bytes.IndexByte(r.buf[i:to], '{')
		if open < 0 {
			break
		}
		i += open
		var s scanned
		e, stop := r.scan.scanObject(r.buf[:to], i, &s)
		budget -= stop - i + 1
		if e != rawjson.OK {
			if e == rawjson.Short && !ended {
				break
			}
			reach = max(reach, stop)
			i++
			continue
		}
		header := string(s.typ.of(r.buf)) == "session" && s.id.kind == stringValue
		entry := s.typ.kind == stringValue && s.id.kind == stringValue && s.timestamp.kind != absent &&
			(s.parent.kind == stringValue || s.parent.kind == nullValue)
		if (header || entry) && s.end >= reach {
			r.emit(base, i, &s, true, out)
			last, n = s.end, n+1
		}
		i = s.end
	}
	return last, n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func (r *pieceReader) problem(out *piece, off int64, kind ProblemKind, msg string) {
	out.problems = append(out.problems, Problem{Line: out.lines, Offset: off, Kind: kind, Message: msg})
}

// excerpt quotes the start of bytes that could not be read.
func excerpt(b []byte) string {
	const most = 40
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}

func (r *pieceReader) emit(base int64, at int, s *scanned, recovered bool, out *piece) {
	b := r.buf
	f := found{
		off:       base + int64(at),
		size:      int64(s.end - at),
		line:      out.lines,
		typ:       r.intern(b, s.typ),
		id:        s.id.key(b),
		parent:    s.parent.key(b),
		hasParent: s.parent.kind == stringValue || s.parent.kind == nullValue,
		hasTime:   s.timestamp.kind == stringValue || s.timestamp.kind == otherValue,
		recovered: recovered,
	}
	f.time, f.timeOK = s.timestamp.millis(b)
	switch f.typ {
	case TypeMessage:
		f.role = r.intern(b, s.role)
		if s.hasText {
			f.flags |= flagText
		}
		if s.hasCalls {
			f.flags |= flagCalls
		}
		switch string(s.stop.of(b)) {
		case "error":
			f.flags |= flagFailed
		case "aborted":
			f.flags |= flagAborted
		}
	case TypeLabel:
		f.label = readLabel(b[at:s.end])
	case typeSession, typeTitle:
		f.raw = bytes.Clone(b[at:s.end])
	}
	if !f.id.ok {
		sum := sha256.Sum256(b[at:s.end])
		f.hash = binary.BigEndian.Uint64(sum[:])
	}
	out.found = append(out.found, f)
}

func (r *pieceReader) intern(b []byte, m member) string {
	if m.kind != stringValue {
		return ""
	}
	if s, ok := r.strings[string(m.of(b))]; ok && !m.escaped {
		return s
	}
	s := m.text(b)
	if !m.escaped && len(r.strings) < 1024 {
		r.strings[string(m.of(b))] = s
	}
	return s
}

func readLabel(raw []byte) *labelChange {
	var e struct {
		Target any `json:"targetId"`
		Label  any `json:"label"`
	}
	_ = json.Unmarshal(raw, &e) // the scanner accepted it; a member of another type is looked at below
	target, ok := e.Target.(string)
	text, isText := e.Label.(string)
	return &labelChange{target: target, text: text, bad: !ok || target == "" || e.Label != nil && !isText}
}
