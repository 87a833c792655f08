package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The index holds a record of a few machine words for each entry of a log: where its bytes are and
// where it stands in the tree. Text stays in the log.
//
// Invariants, after settle:
//   - an entry's number is its place in the file, from 0; records are only ever added;
//   - a parent is the nearest earlier entry with the id that parentId names, or, when there is none,
//     the first later one; none otherwise (a root);
//   - no entry is its own ancestor;
//   - children are linked oldest to newest, equal times in file order; roots are in file order.

const none int32 = -1

type flags uint16

const (
	flagText     flags = 1 << iota // a message with text that is not blank
	flagCalls                      // a message with tool calls
	flagFailed                     // an assistant message that ended in an error
	flagAborted                    // an assistant message that was stopped
	flagShared                     // another entry has the same id
	flagOrphan                     // its parentId names no entry
	flagGivenID                    // the id comes from migration, not from the log
	flagUnsorted                   // settle must sort the children
	flagOwn                        // appended by this session itself
)

type record struct {
	off, size int64
	id        uint64 // the 8 hex digits, or longID plus the offset of the id in the index's ids
	time      int64  // ms; an unreadable one counts as that of the entry before
	parent    int32
	first     int32 // child
	last      int32 // child
	next      int32 // sibling
	kind      uint16
	role      uint16
	flags     flags
}

const longID = 1 << 63

// Records live in blocks, so that adding one never copies the others.
const (
	blockBits = 12
	blockSize = 1 << blockBits
)

type index struct {
	blocks []*[blockSize]record
	n      int32

	tildes bool     // some id has a '~' in it
	ids    []byte   // ids that are not 8 hex digits, each after its length
	table  []uint32 // open addressing: the number of the first entry with an id, plus 1
	used   int
	seed   maphash.Seed

	shared  map[idKey]*sharedID // ids that several entries have
	waiting map[idKey][]waiting // entries whose parent has not been seen, by the id they name
	orphans []waiting           // of those, the ones that settle has not looked at
	sortNow []int32             // entries whose children must be sorted
	roots   []int32

	labels       map[int32]labelOn
	labelChanges []pendingLabel

	names   []string // of kinds and roles
	nameIDs map[string]uint16

	messages int
	nameAt   int32 // the latest entry that names the session
	settled  int32 // entries below have been settled
}

type waiting struct {
	entry  int32
	line   int
	parent idKey
}

// sharedID is an id that several different entries have.
type sharedID struct {
	entries  []int32 // in file order
	contents map[[sha256.Size]byte]bool
}

// labelOn is the label that stands on an entry, and the label entry that put it there.
type labelOn struct {
	text string
	by   int32
}

type pendingLabel struct {
	labelChange
	by   int32
	line int
	off  int64
	told bool // the missing target has been reported
}

func newIndex() *index {
	x := &index{
		seed:    maphash.MakeSeed(),
		shared:  map[idKey]*sharedID{},
		waiting: map[idKey][]waiting{},
		labels:  map[int32]labelOn{},
		nameIDs: map[string]uint16{},
		nameAt:  none,
	}
	x.name("")
	return x
}

func (x *index) at(i int32) *record { return &x.blocks[i>>blockBits][i&(blockSize-1)] }

// name gives a kind or role its number. A log with more than 65 535 of them gets none for the
// rest; their entries read it from their bytes.
func (x *index) name(s string) uint16 {
	if id, ok := x.nameIDs[s]; ok {
		return id
	}
	if len(x.names) > 0xfffe {
		return tooManyNames
	}
	id := uint16(len(x.names))
	x.names = append(x.names, s)
	x.nameIDs[s] = id
	return id
}

const tooManyNames = 0xffff

// add puts an entry behind the others. The caller has made sure that f has an id, and looked up the
// first entry that has it already.
func (x *index) add(f *found, line int, first int32) int32 {
	i := x.n
	if int(i>>blockBits) == len(x.blocks) {
		x.blocks = append(x.blocks, new([blockSize]record))
	}
	x.n++
	r := x.at(i)
	*r = record{off: f.off, size: f.size, time: f.time, parent: none, first: none, last: none, next: none,
		kind: x.name(f.typ), role: x.name(f.role), flags: f.flags}
	if !f.timeOK {
		r.time = 0
		if i > 0 {
			r.time = x.at(i - 1).time
		}
	}
	if f.parent.ok {
		if p := x.before(f.parent, i); p != none {
			x.link(p, i)
		} else {
			r.flags |= flagOrphan
			w := waiting{i, line, f.parent}
			x.waiting[f.parent] = append(x.waiting[f.parent], w)
			x.orphans = append(x.orphans, w)
			x.roots = append(x.roots, i)
		}
	} else {
		x.roots = append(x.roots, i)
	}
	x.setID(i, f.id, first)
	switch f.typ {
	case TypeMessage:
		x.messages++
	case TypeLabel:
		if f.label != nil {
			x.labelChanges = append(x.labelChanges, pendingLabel{labelChange: *f.label, by: i, line: line, off: f.off})
		}
	case TypeSessionInfo, typeTitleChange:
		x.nameAt = i
	}
	return i
}

// link makes i the last child of p. Children that come out of order are sorted by settle.
func (x *index) link(p, i int32) {
	r, parent := x.at(i), x.at(p)
	r.parent, r.next = p, none
	if parent.last == none {
		parent.first, parent.last = i, i
		return
	}
	last := x.at(parent.last)
	if (r.time < last.time || r.time == last.time && i < parent.last) && parent.flags&flagUnsorted == 0 {
		parent.flags |= flagUnsorted
		x.sortNow = append(x.sortNow, p)
	}
	last.next = i
	parent.last = i
}

// settle brings the tree into order after entries were added, and reports what it met. A report
// without a message takes back one of an earlier settle.
func (x *index) settle(report func(entry int32, line int, kind ProblemKind, msg string)) {
	if len(x.waiting) > 0 {
		x.resolveWaiting(report)
	}
	for _, p := range x.sortNow {
		x.sortChildren(p)
	}
	x.sortNow = x.sortNow[:0]
	x.applyLabels(report)
	x.settled = x.n
}

// resolveWaiting finds the parents that come later in the file than their children, and breaks the
// cycles that only such parents can close.
func (x *index) resolveWaiting(report func(int32, int, ProblemKind, string)) {
	var late []waiting // their parent is known now
	try := func(k idKey) {
		p := x.lookup(k)
		if p == none {
			return
		}
		late = append(late, x.waiting[k]...)
		for _, w := range x.waiting[k] {
			x.at(w.entry).parent = p
			x.at(w.entry).flags &^= flagOrphan
		}
		delete(x.waiting, k)
	}
	if x.settled == 0 {
		for k := range x.waiting {
			try(k)
		}
	} else {
		for i := x.settled; i < x.n; i++ {
			try(x.key(i))
		}
	}
	for _, w := range x.orphans {
		if x.at(w.entry).flags&flagOrphan != 0 {
			report(w.entry, w.line, ProblemMissingParent, "the parent "+w.parent.String()+" is not in this file: treated as a root")
		}
	}
	x.orphans = x.orphans[:0]
	if len(late) == 0 {
		return
	}
	for _, w := range late {
		if w.entry < x.settled {
			report(w.entry, w.line, ProblemMissingParent, "") // no longer
		}
	}
	slices.SortFunc(late, func(a, b waiting) int { return cmp.Compare(a.entry, b.entry) })
	lines := map[int32]int{}
	for _, w := range late {
		lines[w.entry] = w.line
	}
	// Walk up from each of them, marking; meeting one's own mark is a cycle. Every entry is marked
	// once, so this is linear however deep the tree is.
	mark := make([]int32, x.n)
	for _, w := range late {
		i := w.entry
		for i != none && mark[i] == 0 {
			mark[i] = w.entry + 1
			i = x.at(i).parent
		}
		if i == none || mark[i] != w.entry+1 {
			continue
		}
		first := i
		for k := x.at(i).parent; k != i; k = x.at(k).parent {
			first = min(first, k)
		}
		x.at(first).parent = none
		report(first, lines[first], ProblemParentCycle, "this entry is its own ancestor: treated as a root")
		delete(lines, first)
	}
	for _, w := range late {
		if line, ok := lines[w.entry]; ok {
			report(w.entry, line, ProblemForwardParent, "the parent comes later in the file")
		}
	}
	x.relink()
}

// relink builds children and roots anew from the parents.
func (x *index) relink() {
	x.roots = x.roots[:0]
	x.sortNow = x.sortNow[:0]
	for i := range x.n {
		r := x.at(i)
		r.first, r.last, r.next = none, none, none
		r.flags &^= flagUnsorted
	}
	for i := range x.n {
		if p := x.at(i).parent; p != none {
			x.link(p, i)
		} else {
			x.roots = append(x.roots, i)
		}
	}
}

func (x *index) sortChildren(p int32) {
	parent := x.at(p)
	parent.flags &^= flagUnsorted
	var children []int32
	for i := parent.first; i != none; i = x.at(i).next {
		children = append(children, i)
	}
	slices.SortFunc(children, func(a, b int32) int {
		if c := cmp.Compare(x.at(a).time, x.at(b).time); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	parent.first, parent.last = none, none
	for _, i := range children {
		x.link(p, i)
	}
}

func (x *index) applyLabels(report func(int32, int, ProblemKind, string)) {
	kept := x.labelChanges[:0]
	for _, c := range x.labelChanges {
		if c.bad {
			report(c.by, c.line, ProblemUnreadableLabel, "a label whose targetId or label is no text: ignored")
			continue
		}
		k := makeID([]byte(c.target))
		t := x.before(k, c.by)
		if t == none {
			t = x.lookup(k)
		}
		if t == none {
			if !c.told {
				report(c.by, c.line, ProblemMissingTarget, "a label on "+c.target+", which is not in this file")
				c.told = true
			}
			kept = append(kept, c)
			continue
		}
		if c.told {
			report(c.by, c.line, ProblemMissingTarget, "") // no longer
		}
		if x.labels[t].by <= c.by {
			x.labels[t] = labelOn{c.text, c.by}
		}
	}
	x.labelChanges = kept
}

// key is the id of entry i as the log has it.
func (x *index) key(i int32) idKey {
	id := x.at(i).id
	if id&longID == 0 {
		return idKey{hex: uint32(id), ok: true}
	}
	return idKey{text: string(x.longText(id)), ok: true}
}

func (x *index) longText(id uint64) []byte {
	b := x.ids[id&^longID:]
	n, w := binary.Uvarint(b)
	return b[w : w+int(n)]
}

func (x *index) same(i int32, k idKey) bool {
	id := x.at(i).id
	if id&longID == 0 {
		return k.text == "" && uint32(id) == k.hex
	}
	return k.text != "" && string(x.longText(id)) == k.text
}

func (x *index) hash(k idKey) uint64 {
	if k.text == "" {
		return (uint64(k.hex) + 1) * 0x9e3779b97f4a7c15
	}
	return maphash.String(x.seed, k.text)
}

// lookup finds the first entry with an id.
func (x *index) lookup(k idKey) int32 {
	if len(x.table) == 0 || !k.ok {
		return none
	}
	mask := uint64(len(x.table) - 1)
	for h := x.hash(k) >> 20 & mask; ; h = (h + 1) & mask {
		v := x.table[h]
		if v == 0 {
			return none
		}
		if i := int32(v - 1); x.same(i, k) {
			return i
		}
	}
}

// before finds the nearest entry with an id that stands before entry i.
func (x *index) before(k idKey, i int32) int32 {
	e := x.lookup(k)
	if e == none || e >= i {
		return none
	}
	if x.at(e).flags&flagShared != 0 {
		all := x.shared[k].entries
		n, _ := slices.BinarySearch(all, i)
		e = all[n-1]
	}
	return e
}

func (x *index) setID(i int32, k idKey, first int32) {
	if k.text == "" {
		x.at(i).id = uint64(k.hex)
	} else {
		x.at(i).id = longID | uint64(len(x.ids))
		x.ids = binary.AppendUvarint(x.ids, uint64(len(k.text)))
		x.ids = append(x.ids, k.text...)
		x.tildes = x.tildes || strings.Contains(k.text, "~")
	}
	if first != none {
		all := x.shared[k]
		if all == nil {
			all = &sharedID{}
			x.shared[k] = all
		}
		if len(all.entries) == 0 {
			all.entries = append(all.entries, first)
			x.at(first).flags |= flagShared
		}
		all.entries = append(all.entries, i)
		x.at(i).flags |= flagShared
		return
	}
	if 2*(x.used+1) > len(x.table) {
		x.grow()
	}
	x.insert(i, k)
	x.used++
}

func (x *index) insert(i int32, k idKey) {
	mask := uint64(len(x.table) - 1)
	h := x.hash(k) >> 20 & mask
	for x.table[h] != 0 {
		h = (h + 1) & mask
	}
	x.table[h] = uint32(i) + 1
}

func (x *index) grow() {
	old := x.table
	x.table = make([]uint32, max(1024, 2*len(old)))
	for _, v := range old {
		if v != 0 {
			x.insert(int32(v-1), x.key(int32(v-1)))
		}
	}
}

// repeats tells whether f is, byte for byte, an entry that the index has already; first has the
// same id. Contents are compared by their SHA-256, so that many entries with one id cost no more
// than few.
func (x *index) repeats(src io.ReaderAt, f *found, first int32) (bool, error) {
	all := x.shared[f.id]
	if all == nil {
		sum, err := sumOf(src, x.at(first).off, x.at(first).size)
		if err != nil {
			return false, err
		}
		all = &sharedID{contents: map[[sha256.Size]byte]bool{sum: true}}
		x.shared[f.id] = all
	}
	sum, err := sumOf(src, f.off, f.size)
	if err != nil || all.contents[sum] {
		return err == nil, err
	}
	all.contents[sum] = true
	return false, nil
}

func sumOf(src io.ReaderAt, off, size int64) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if _, err = io.Copy(h, io.NewSectionReader(src, off, size)); err == nil {
		h.Sum(sum[:0])
	}
	return sum, err
}

func (x *index) children(i int32) []int32 {
	var out []int32
	for c := x.at(i).first; c != none; c = x.at(c).next {
		out = append(out, c)
	}
	return out
}

// path lists the entries from the root to i.
func (x *index) path(i int32) []int32 {
	n := 0
	for k := i; k != none; k = x.at(k).parent {
		n++
	}
	out := make([]int32, n)
	for k := i; k != none; k = x.at(k).parent {
		n--
		out[n] = k
	}
	return out
}

// address is the id by which an entry is found again: ID, or ID~2 for the second of one id.
func (x *index) address(i int32) string {
	k := x.key(i)
	if x.at(i).flags&flagShared == 0 {
		return k.String()
	}
	n, _ := slices.BinarySearch(x.shared[k].entries, i)
	if n == 0 {
		return k.String()
	}
	return k.String() + "~" + strconv.Itoa(x.number(k, n))
}

// number is what tells the n-th entry with an id, from 0, from the others. Numbers that would make
// the id of another entry are left out.
func (x *index) number(k idKey, n int) int {
	if !x.tildes {
		return n + 1
	}
	number := 1
	for ; n > 0; n-- {
		for number++; x.lookup(idKey{text: k.String() + "~" + strconv.Itoa(number), ok: true}) != none; number++ {
		}
	}
	return number
}

// find is the inverse of address.
func (x *index) find(address string) int32 {
	if e := x.lookup(makeID([]byte(address))); e != none {
		return e
	}
	at := strings.LastIndexByte(address, '~')
	if at <= 0 {
		return none
	}
	k := makeID([]byte(address[:at]))
	number, err := strconv.Atoi(address[at+1:])
	all := x.shared[k]
	if err != nil || all == nil || address[at+1:] != strconv.Itoa(number) {
		return none
	}
	// Left-out numbers only make numbers larger, so the entry is not behind this place.
	for n := min(number, len(all.entries)) - 1; n > 0; n-- {
		if x.number(k, n) == number {
			return all.entries[n]
		}
		if !x.tildes {
			break
		}
	}
	return none
}
