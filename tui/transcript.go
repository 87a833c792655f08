package tui

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// transcript lays out the conversation of one branch: which entries have a block, and which lines of them
// are in the window. Only what is near the window is ever read and drawn, so the length of a branch does
// not matter. It belongs to the work of one queue.
type transcript struct {
	session *session.Session
	epoch   int
	style   blockStyle
	height  int
	painter painter

	path   []session.Entry // root to leaf
	placed []int32         // an entry's place on the path, or none
	shown  []int32         // the places of the entries that have a block

	// The window starts at a line of a block; the block behind the last is the answer that is being
	// given. At the end it stays at the end, whatever is added.
	top   place
	atEnd bool

	opened map[string]bool // entries that were opened or closed one by one, by id
	blocks map[int32]drawn // by place
	marks  map[int32]branchPoint
	length int // of the session, when marks was made

	live liveAnswer
}

type place struct{ block, line int }

type drawn struct {
	lines []string
	open  bool
}

// branchPoint is where other branches leave the path.
type branchPoint struct {
	number, count int // of the branch that the path takes, from 1
	entry         session.Entry
}

// liveAnswer is what has arrived of an answer that is not in the log yet.
type liveAnswer struct {
	on             bool
	text, thinking strings.Builder
	tools          []liveTool
	note           string // a retry, for example
}

type liveTool struct {
	call   message.Block
	output string // its end
}

// frame is a window of the transcript.
type frame struct {
	lines []frameLine
	atEnd bool
	// branch is the last point in the window, or else above it, where other branches leave.
	branch branchPoint
	empty  bool // there is nothing to show in the whole conversation
}

type frameLine struct {
	text string
	id   string // of the entry it belongs to; "" for a gap or the answer that is being given
}

func newTranscript(t *theme) *transcript {
	return &transcript{style: blockStyle{theme: t, width: 80}, height: 24, atEnd: true, opened: map[string]bool{}}
}

// show takes up the session's path as it is now. What was on the path before keeps its place in the
// window.
func (t *transcript) show(s *session.Session) {
	if s != t.session || s.Epoch() != t.epoch {
		t.session, t.epoch = s, s.Epoch()
		t.path, t.placed, t.shown = nil, nil, nil
		t.blocks, t.marks, t.length = map[int32]drawn{}, map[int32]branchPoint{}, -1
		t.atEnd, t.top = true, place{}
		t.painter = painter{}
	}
	leaf, ok := s.Leaf()
	var added []session.Entry
	for ; ok && t.at(leaf) < 0; leaf, ok = leaf.Parent() {
		added = append(added, leaf)
	}
	keep := 0
	if ok {
		keep = int(t.at(leaf)) + 1
	}
	if keep == len(t.path) && len(added) == 0 {
		return
	}
	for _, e := range t.path[keep:] {
		t.placed[e.Index()] = 0
	}
	// An answer that waited for results is drawn anew.
	from := keep
	for from > 0 && kindOf(t.path[from-1]) != noBlock {
		from--
		if t.path[from].Role() == message.RoleAssistant {
			break
		}
	}
	for i := range t.blocks {
		if int(i) >= from {
			delete(t.blocks, i)
		}
	}
	for i := range t.marks {
		if int(i) >= from {
			delete(t.marks, i)
		}
	}
	t.path = t.path[:keep]
	for len(t.shown) > 0 && int(t.shown[len(t.shown)-1]) >= keep {
		t.shown = t.shown[:len(t.shown)-1]
	}
	for i := len(added) - 1; i >= 0; i-- {
		e := added[i]
		if n := e.Index() + 1 - len(t.placed); n > 0 {
			t.placed = append(t.placed, make([]int32, max(n, s.Len()-len(t.placed)))...)
		}
		t.path = append(t.path, e)
		t.placed[e.Index()] = int32(len(t.path))
		if kindOf(e) != noBlock {
			t.shown = append(t.shown, int32(len(t.path)-1))
		}
	}
	if t.top.block > len(t.shown) {
		t.toEnd()
	}
}

// at is an entry's place on the path, or -1.
func (t *transcript) at(e session.Entry) int32 {
	if e.Index() >= len(t.placed) {
		return -1
	}
	return t.placed[e.Index()] - 1
}

// resize sets the size of the window.
func (t *transcript) resize(width, height int) {
	if width != t.style.width {
		t.style.width = width
		t.top.line = 0
		clear(t.blocks)
	}
	t.height = height
}

// restyle draws everything anew in another theme.
func (t *transcript) restyle(th *theme) {
	t.style.theme = th
	clear(t.blocks)
}

func (t *transcript) toEnd() { t.atEnd = true }
func (t *transcript) toTop() { t.atEnd, t.top = false, place{} }
func (t *transcript) toggle() {
	t.style.open = !t.style.open
	clear(t.opened)
	clear(t.blocks)
	t.top.line = 0
}

// toggleOne opens or closes one block.
func (t *transcript) toggleOne(id string) {
	t.opened[id] = !t.isOpen(id)
	if e, ok := t.session.Entry(id); ok {
		delete(t.blocks, t.at(e))
	}
	if t.atEnd { // what was clicked stays where it is
		t.top = t.fromEnd()
		t.atEnd = false
	}
}

func (t *transcript) isOpen(id string) bool {
	if open, ok := t.opened[id]; ok {
		return open
	}
	return t.style.open
}

// scroll moves the window by so many lines, up when it is negative.
func (t *transcript) scroll(by int) {
	if by == 0 || by > 0 && t.atEnd {
		return
	}
	if t.atEnd {
		t.top = t.fromEnd()
		t.atEnd = false
	}
	for ; by < 0; by++ {
		if t.top.line > 0 {
			t.top.line--
		} else if !t.before(&t.top) {
			break
		}
	}
	for ; by > 0; by-- {
		t.top.line++
		for t.top.block <= len(t.shown) && t.top.line >= len(t.block(t.top.block)) {
			t.top = place{t.top.block + 1, 0}
		}
	}
	t.settle()
}

// before goes to the last line of the block before, and tells whether there is one.
func (t *transcript) before(p *place) bool {
	for b := p.block - 1; b >= 0; b-- {
		if n := len(t.block(b)); n > 0 {
			*p = place{b, n - 1}
			return true
		}
	}
	return false
}

// settle keeps the window from reaching beyond the end.
func (t *transcript) settle() {
	end := t.fromEnd()
	if t.top.block > end.block || t.top.block == end.block && t.top.line >= end.line {
		t.atEnd = true
	}
}

// fromEnd is where a window starts that ends with the conversation.
func (t *transcript) fromEnd() place {
	p := place{len(t.shown) + 1, 0}
	for n := 0; n < t.height; n++ {
		if p.line > 0 {
			p.line--
		} else if !t.before(&p) {
			return place{}
		}
	}
	return p
}

// jump goes to the next request further down, or up, and puts it at the top.
func (t *transcript) jump(by int) {
	if t.atEnd {
		t.top = t.fromEnd()
		t.atEnd = false
	}
	b := t.top.block
	if by < 0 && t.top.line > 0 {
		b++ // the request whose block the window starts in counts as above it
	}
	for b += by; b >= 0 && b < len(t.shown); b += by {
		if t.path[t.shown[b]].Role() == message.RoleUser {
			t.top = place{b, 0}
			t.settle()
			return
		}
	}
	if by > 0 {
		t.toEnd()
	} else {
		t.toTop()
	}
}

// window draws the lines that are in the window.
func (t *transcript) window() frame {
	if t.height <= 0 {
		return frame{atEnd: t.atEnd}
	}
	if t.session == nil {
		return frame{atEnd: true, empty: true}
	}
	if n := t.session.Len(); n != t.length {
		t.remark()
		t.length = n
	}
	if !t.atEnd {
		t.settle()
	}
	p := t.top
	if t.atEnd {
		p = t.fromEnd()
		t.top = p
	}
	f := frame{atEnd: t.atEnd, empty: len(t.shown) == 0 && !t.live.on}
	b := p.block
	for line := p.line; b <= len(t.shown) && len(f.lines) < t.height; b, line = b+1, 0 {
		id := ""
		if b < len(t.shown) {
			id = t.path[t.shown[b]].ID()
		}
		for _, l := range t.block(b)[min(line, len(t.block(b))):] {
			if len(f.lines) == t.height {
				break
			}
			f.lines = append(f.lines, frameLine{l, id})
		}
	}
	const near = 10000
	for i := min(b, len(t.shown)) - 1; i >= 0 && i > b-near; i-- {
		if m := t.mark(i); m.count > 1 {
			f.branch = m
			break
		}
	}
	return f
}

// remark looks again where other branches leave, for some may have grown. Blocks that say something else
// now are drawn anew.
func (t *transcript) remark() {
	old := t.marks
	t.marks = map[int32]branchPoint{}
	for at := range t.blocks {
		b, _ := slices.BinarySearch(t.shown, at)
		if t.mark(b) != old[at] {
			delete(t.blocks, at)
		}
	}
}

// mark tells whether other branches leave between the block before and this one.
func (t *transcript) mark(b int) branchPoint {
	at := t.shown[b]
	if m, ok := t.marks[at]; ok {
		return m
	}
	from := int32(0)
	if b > 0 {
		from = t.shown[b-1] + 1
	}
	var m branchPoint
	for i := at; i >= from; i-- {
		if all := branches(t.session, t.path[i]); len(all) > 1 {
			m = branchPoint{slices.Index(all, t.path[i]) + 1, len(all), t.path[i]}
			break
		}
	}
	t.marks[at] = m
	return m
}

// branches are the entries that start a branch beside an entry, itself included. Bookkeeping that nothing
// hangs from is no branch.
func branches(s *session.Session, e session.Entry) (all []session.Entry) {
	var beside iter.Seq[session.Entry]
	if p, ok := e.Parent(); ok {
		beside = p.Children()
	} else {
		beside = slices.Values(s.Roots())
	}
	for c := range beside {
		if c == e || kindOf(c) != noBlock || c.HasChildren() {
			all = append(all, c)
		}
	}
	return all
}

// siblingTip is the tip of the branch that is so many further on at a branch point; it goes round.
func siblingTip(s *session.Session, m branchPoint, by int) (tip session.Entry, ok bool) {
	all := branches(s, m.entry)
	at := slices.Index(all, m.entry)
	if len(all) < 2 || at < 0 {
		return tip, false
	}
	tip = all[((at+by)%len(all)+len(all))%len(all)]
	for tip.HasChildren() { // the newest way down
		for c := range tip.Children() {
			tip = c
		}
	}
	return tip, true
}

// block draws a block, with the gap before it; the one behind the last is the answer that is being given.
func (t *transcript) block(b int) []string {
	if b >= len(t.shown) {
		if b > len(t.shown) {
			return nil
		}
		return t.drawLive()
	}
	at := t.shown[b]
	e := t.path[at]
	if d, ok := t.blocks[at]; ok {
		return d.lines
	}
	const many = 4000
	if len(t.blocks) > many {
		clear(t.blocks)
	}
	st := t.style
	st.open = t.isOpen(e.ID())
	st.live = t.live.on
	lines := t.painter.entry(e, t.path[at+1:], st)
	if m := t.mark(b); m.count > 1 {
		text := fmt.Sprintf("├─ branch %d of %d", m.number, m.count)
		lines = append([]string{st.theme.accent.Render(ansi.Truncate(text, st.width, ""))}, lines...)
	}
	if label := e.Label(); label != "" && len(lines) > 0 {
		lines = append([]string{st.theme.label.Render(ansi.Truncate("["+display.Line(label, 200)+"]", st.width, "…"))}, lines...)
	}
	if len(lines) > 0 && t.gapBefore(b) {
		lines = append([]string{""}, lines...)
	}
	t.blocks[at] = drawn{lines, st.open}
	return lines
}

// gapBefore tells whether there is an empty line before a block: results stand together, and so do notes.
func (t *transcript) gapBefore(b int) bool {
	kind := kindOf(t.path[t.shown[b]])
	for b--; b >= 0; b-- {
		before := t.path[t.shown[b]]
		if kindOf(before) == toolBlock && before.Role() == message.RoleAssistant {
			continue // an answer that only calls tools has no lines of its own
		}
		return kind == proseBlock || kindOf(before) != kind
	}
	return false
}

// drawLive draws what has arrived of an answer.
func (t *transcript) drawLive() []string {
	if !t.live.on {
		return nil
	}
	st := t.style
	var lines []string
	if len(t.shown) > 0 {
		lines = append(lines, "")
	}
	if th := t.live.thinking.String(); th != "" {
		if !st.open { // the latest of it is what one wants to see
			th = lastLine(th)
		}
		lines = append(lines, t.painter.thinking(th, st)...)
	}
	if text := t.live.text.String(); strings.TrimSpace(text) != "" {
		if len(lines) > 1 {
			lines = append(lines, "")
		}
		lines = append(lines, t.painter.markdown.lines(text, st.width, st.theme.dark)...)
	}
	for _, tool := range t.live.tools {
		head := st.theme.accent.Render("▸") + " " + st.theme.tool.Render(ansi.Truncate(display.Call(tool.call), max(st.width-2, 1), "…"))
		lines = append(lines, head)
		if tool.output != "" {
			all := strings.Split(strings.TrimRight(display.Text(tool.output), "\n"), "\n")
			for _, l := range all[max(0, len(all)-4):] {
				lines = append(lines, st.theme.faint.Render(ansi.Truncate("  "+tabs(l), st.width, "…")))
			}
		}
	}
	if t.live.note != "" {
		for _, l := range wrap(display.Text(t.live.note), st.width) {
			lines = append(lines, st.theme.warn.Render(l))
		}
	}
	return lines
}

func lastLine(text string) string {
	text = strings.TrimRight(text, " \n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// begin starts the drawing of an answer that comes, end ends it.
func (t *transcript) begin() { t.live = liveAnswer{on: true} }
func (t *transcript) end() {
	t.live = liveAnswer{}
	for b := len(t.shown) - 1; b >= 0; b-- { // a call that got no result says so now
		delete(t.blocks, t.shown[b])
		if t.path[t.shown[b]].Role() == message.RoleAssistant {
			break
		}
	}
}

const outputTail = 4 << 10

func (l *liveAnswer) output(call message.Block, piece string) {
	for i := range l.tools {
		if l.tools[i].call.ID == call.ID {
			out := l.tools[i].output + piece
			if len(out) > outputTail {
				out = out[len(out)-outputTail:]
			}
			l.tools[i].output = out
		}
	}
}

func (l *liveAnswer) toolEnded(call message.Block) {
	for i := range l.tools {
		if l.tools[i].call.ID == call.ID {
			l.tools = append(l.tools[:i], l.tools[i+1:]...)
			return
		}
	}
}
