package tool

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxOutputHead = 16 << 10 // bytes
	maxOutputTail = maxText - maxOutputHead
)

// output keeps the beginning and the end of what is written to it, and shows all of it as it comes.
type output struct {
	show    func(string)
	head    []byte
	tail    []byte // at most twice what is kept, so that it is rarely moved
	total   int64
	partial []byte // the beginning of a character whose rest is still to come
}

func (o *output) Write(p []byte) (int, error) {
	o.total += int64(len(p))
	rest := p
	if room := maxOutputHead - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	if over := len(rest) - maxOutputTail; over > 0 {
		rest = rest[over:]
	}
	o.tail = append(o.tail, rest...)
	if len(o.tail) > 2*maxOutputTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-maxOutputTail:]...)
	}
	o.pass(p)
	return len(p), nil
}

// pass shows p, but never a part of a character.
func (o *output) pass(p []byte) {
	all := append(o.partial, p...)
	whole := len(all)
	for back := 1; back < utf8.UTFMax && back <= len(all); back++ {
		if c := all[len(all)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(all[len(all)-back:]) {
				whole = len(all) - back
			}
			break
		}
	}
	if whole > 0 {
		o.show(strings.ToValidUTF8(string(all[:whole]), "\uFFFD"))
	}
	o.partial = append([]byte(nil), all[whole:]...)
}

// text is all of the output, or its beginning and end in whole lines with a note between them, and how
// many bytes are missing.
func (o *output) text() (string, int64) {
	head, tail := o.head, o.tail[max(0, len(o.tail)-maxOutputTail):]
	omitted := o.total - int64(len(head)+len(tail))
	if omitted == 0 {
		return strings.ToValidUTF8(string(head)+string(tail), "\uFFFD"), 0
	}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 && i+1 < len(tail) {
		tail = tail[i+1:]
	}
	omitted = o.total - int64(len(head)+len(tail))
	return strings.ToValidUTF8(string(head), "\uFFFD") +
		fmt.Sprintf("\n[… %s left out …]\n\n", size(omitted)) +
		strings.ToValidUTF8(string(tail), "\uFFFD"), omitted
}
