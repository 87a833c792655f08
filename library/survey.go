package library

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// known is what the index remembers of a file, so that only what is new must be read.
type known struct {
	id                       int64 // 0: the file is new
	settled, modified, inode int64
	print                    []byte
	odd, skipped             bool

	cwd, tool, name string
	copied          int64 // ms; what is older than this was copied from another session
	messages        int
	branches        int
	leaves          []string // without odd
}

// survey reads a file, the whole of it or what was appended since it was known, and hands on what the
// index wants.
type survey struct {
	file   file
	output bool // of tools, too
	hand   func(batch) error

	known
	batch  batch
	bytes  int // of text in the batch
	spent  map[spentOn]spent
	labels []labelSet
	tips   map[string]bool // the leaves
}

// batch is a part of a session. The first one says whether the session is to be read anew; so may a
// later one, which makes void those before it.
type batch struct {
	anew bool
	docs []placedDocument
	read int64 // bytes of the file, up to here
}

type placedDocument struct {
	entry          string
	time, at, size int64
	document
}

// spentOn is what spending is counted by.
type spentOn struct {
	quarter int64 // of an hour, since 1970
	model   string
}

type spent struct {
	messages                             int64
	input, output, cacheRead, cacheWrite int64
	cost                                 float64
}

type labelSet struct {
	target, text   string // no text: taken off
	time, at, size int64
}

// errOdd tells that what was appended cannot be understood without the rest of the file.
var errOdd = errors.New("the session must be read anew")

// from is where what was appended starts, and 0 when the file must be read anew.
func (v *survey) from() int64 {
	if v.id == 0 || v.odd || v.skipped || v.file.info.Size() <= v.settled || inode(v.file.info) != v.inode {
		return 0
	}
	return v.settled
}

// run reads the file, as it has last been known.
func (v *survey) run(ctx context.Context) error {
	v.spent, v.tips = map[spentOn]spent{}, map[string]bool{}
	err := errOdd
	if v.from() > 0 {
		err = v.appended(ctx)
	}
	if errors.Is(err, errOdd) {
		v.batch = batch{anew: true}
		v.labels = nil
		clear(v.spent)
		clear(v.tips)
		err = v.whole(ctx)
	}
	if err != nil {
		return err
	}
	return v.flush()
}

func (v *survey) flush() error {
	b := v.batch
	v.batch, v.bytes = batch{read: b.read}, 0
	return v.hand(b)
}

// whole reads all of the file, as any other reader of sessions does.
func (v *survey) whole(ctx context.Context) error {
	v.known = known{id: v.id, modified: v.file.info.ModTime().UnixNano(), inode: inode(v.file.info), settled: v.file.info.Size(), print: []byte{}}
	s, err := session.Open(ctx, v.file.path, session.WithoutPosition())
	if errors.Is(err, session.ErrNotSession) {
		v.skipped = true
		return nil
	} else if err != nil {
		return err
	}
	defer s.Close()
	h := s.Header()
	v.settled, v.cwd, v.name = s.Size(), h.Cwd, s.Name()
	if v.tool = Tool(v.file.path, h.Tool, s.HasTitleLine(), h.ID); v.tool == "" {
		v.tool = v.file.tool
	}
	if made, ok := h.Time(); ok && h.ParentSession != "" {
		v.copied = made.UnixMilli()
	}
	for e := range s.Entries() {
		v.batch.read = e.Offset() + e.Size()
		typ, role := e.Type(), e.Role()
		if !e.HasChildren() {
			v.tips[e.ID()] = true
		}
		var d document
		if v.wants(typ, role) {
			raw, err := e.Raw()
			if err != nil {
				return err
			}
			d = readDocument(typ, raw, v.output)
		}
		if err := v.take(ctx, typ, placedDocument{entry: e.ID(), time: e.Time().UnixMilli(), at: e.Offset(), size: e.Size(), document: d}); err != nil {
			return err
		}
	}
	for _, l := range s.Labels() {
		v.labels = append(v.labels, labelSet{l.Target.ID(), l.Text, l.By.Time().UnixMilli(), l.By.Offset(), l.By.Size()})
	}
	v.odd = h.Version != session.Version || slices.ContainsFunc(s.Problems(), func(p session.Problem) bool { return !harmless[p.Kind] })
	return v.settle()
}

// harmless are the oddities of a log that make what comes behind them no harder to understand.
var harmless = map[session.ProblemKind]bool{
	session.ProblemNotJSON: true, session.ProblemNotEntry: true, session.ProblemNoID: true, session.ProblemNUL: true,
	session.ProblemMergedLines: true, session.ProblemRepeatedEntry: true, session.ProblemBadTimestamp: true,
	session.ProblemMissingTarget: true, session.ProblemUnreadableLabel: true,
}

// wants tells whether an entry is worth reading.
func (v *survey) wants(typ, role string) bool {
	switch typ {
	case session.TypeMessage:
		return role != message.RoleToolResult || v.output
	case session.TypeBranchSummary, session.TypeCompaction:
		return true
	}
	return false
}

// take counts an entry, and puts it into the batch.
func (v *survey) take(ctx context.Context, typ string, d placedDocument) error {
	said := typ == session.TypeMessage
	if said {
		v.messages++
	}
	if d.time >= v.copied && (said || d.usage != nil) {
		on := spentOn{d.time / (15 * 60 * 1000), d.model}
		s := v.spent[on]
		if said {
			s.messages++
		}
		if u := d.usage; u != nil {
			s.input += u.Input
			s.output += u.Output
			s.cacheRead += u.CacheRead
			s.cacheWrite += u.CacheWrite
			s.cost += u.Cost.Total
		}
		v.spent[on] = s
	}
	if !d.searchable() {
		return nil
	}
	d.usage = nil
	v.batch.docs = append(v.batch.docs, d)
	const most = 1 << 20
	if v.bytes += len(d.text) + 100; v.bytes < most {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return v.flush()
}

// settle remembers how far the file has been read.
func (v *survey) settle() error {
	f, err := os.Open(v.file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	v.branches = len(v.tips)
	v.leaves = v.leaves[:0]
	size := 0
	for id := range v.tips {
		v.leaves = append(v.leaves, id)
		size += len(id) + 1
		v.odd = v.odd || strings.Contains(id, "\n")
	}
	const most = 1 << 20 // of a tree that is wider, the whole is read again
	if v.odd = v.odd || size > most; v.odd {
		v.leaves = nil
	}
	slices.Sort(v.leaves)
	var last [1]byte
	if v.settled > 0 {
		if _, err := f.ReadAt(last[:], v.settled-1); err != nil && err != io.EOF {
			return err
		}
	}
	v.odd = v.odd || last[0] != '\n'
	v.print, err = printOf(f, v.settled)
	return err
}

// printOf is made of a few places of a file's first bytes, so that a file that was changed there, and
// not only appended to, is told from what it was.
func printOf(f io.ReaderAt, size int64) ([]byte, error) {
	const end, few, places = 4096, 256, 16
	sum := sha256.New()
	buf := make([]byte, end)
	read := func(from, n int64) error {
		got, err := f.ReadAt(buf[:min(n, size-from)], from)
		if err == io.EOF {
			err = nil
		}
		sum.Write(buf[:got])
		return err
	}
	err := errors.Join(read(0, end), read(max(0, size-end), end))
	for i := range int64(places) {
		if at := size / (places + 1) * (i + 1); err == nil && size > 2*end {
			err = read(at, few)
		}
	}
	return sum.Sum(nil), err
}

// appended reads what was appended. It returns errOdd, perhaps after it handed on some of it, when
// that is not all that happened to the file.
func (v *survey) appended(ctx context.Context) error {
	f, err := os.Open(v.file.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if now, err := printOf(f, v.settled); err != nil || !bytes.Equal(now, v.print) {
		return errors.Join(err, errOdd)
	}
	for _, id := range v.leaves {
		v.tips[id] = true
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, v.settled, info.Size()-v.settled), 256<<10)
	for {
		line, err := readLine(r)
		if err == io.EOF {
			break // what has no end yet will be read when it has
		}
		if err != nil {
			return err
		}
		at := v.settled
		v.settled += int64(len(line))
		v.batch.read = v.settled
		if err := v.line(ctx, at, line[:len(line)-1]); err != nil {
			return err
		}
	}
	v.modified = v.file.info.ModTime().UnixNano()
	return v.settle()
}

// readLine reads a line of any length, with its '\n'. What it returns is good until the next call.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		line, err = r.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

// line takes a line that was appended.
func (v *survey) line(ctx context.Context, at int64, line []byte) error {
	trimmed := bytes.TrimLeft(line, " \t\r")
	at += int64(len(line) - len(trimmed))
	if trimmed = bytes.TrimRight(trimmed, " \t\r"); len(trimmed) == 0 {
		return nil
	}
	m := members{}
	if !rawjson.Object(trimmed, func(key []byte, start, end int) { m[string(key)] = trimmed[start:end:end] }) {
		return errOdd
	}
	typ, id := m.str("type"), m.str("id")
	_, told := m["parentId"]
	made, err := time.Parse(time.RFC3339Nano, m.str("timestamp"))
	if typ == "" || typ == "session" || id == "" || !told || err != nil || v.tips[id] {
		return errOdd
	}
	parent := m.str("parentId")
	if parent == "" && string(m["parentId"]) != "null" {
		return errOdd
	}
	delete(v.tips, parent)
	v.tips[id] = true
	d := placedDocument{entry: id, time: made.UnixMilli(), at: at, size: int64(len(trimmed))}
	switch typ {
	case session.TypeLabel:
		v.labels = append(v.labels, labelSet{m.str("targetId"), m.str("label"), d.time, d.at, d.size})
	case session.TypeSessionInfo, typeTitleChange:
		if v.name = m.str("name") + m.str("title"); v.name == "" {
			return errOdd // the name from before counts again
		}
	case session.TypeMessage:
		if d.role = membersOf(m["message"]).str("role"); !v.wants(typ, d.role) {
			break
		}
		fallthrough
	default:
		d.document = readDocument(typ, trimmed, v.output)
	}
	return v.take(ctx, typ, d)
}
