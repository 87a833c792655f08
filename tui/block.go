package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// blockStyle is what the drawing of an entry depends on, beside the entry.
type blockStyle struct {
	theme *theme
	width int
	open  bool // thinking, results and summaries in full
	live  bool // calls without a result may yet get one
}

// painter draws entries. It is not safe for concurrent use.
type painter struct {
	markdown markdown
	lines    display.Lines
}

// blockKind tells how blocks stand together: results of tools follow each other without a gap.
type blockKind uint8

const (
	noBlock blockKind = iota // nothing of it is shown
	proseBlock
	toolBlock
	noteBlock
)

// kindOf tells from the index alone whether an entry has a block.
func kindOf(e session.Entry) blockKind {
	switch e.Type() {
	case session.TypeMessage:
		switch e.Role() {
		case message.RoleToolResult, message.RoleBashExecution, message.RolePythonExecution:
			return toolBlock
		case message.RoleAssistant:
			if e.HasToolCalls() && !e.HasText() && !e.Failed() && !e.Aborted() {
				return toolBlock // its calls are shown with their results
			}
		}
		return proseBlock
	case session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction:
		return proseBlock
	case session.TypeModelChange, session.TypeThinkingLevelChange, session.TypeModeChange, session.TypeResetBoundary:
		return noteBlock
	}
	return noBlock
}

// entry draws an entry. after are the entries that follow on the path, for a call's result.
func (p *painter) entry(e session.Entry, after []session.Entry, st blockStyle) []string {
	t := st.theme
	body, err := e.Body()
	if err != nil {
		return p.note(t.err, err.Error(), st)
	}
	switch b := body.(type) {
	case session.Message:
		return p.message(e, b.Message, after, st)
	case session.CustomMessage:
		if !b.Display {
			return nil
		}
		return p.titled(t.custom, b.CustomType, b.Text(), true, st)
	case session.BranchSummary:
		if b.Summary == "" {
			return nil
		}
		return p.titled(t.summary, "summary of a branch that was left", b.Summary, true, st)
	case session.Compaction:
		return p.titled(t.summary, "compaction of "+display.Tokens(b.TokensBefore)+" tokens", b.Summary, false, st)
	}
	return p.note(t.faint, p.lines.Entry(e), st)
}

func (p *painter) note(style lipgloss.Style, text string, st blockStyle) []string {
	return []string{style.Render(ansi.Truncate(display.Line(text, 4000), st.width, "…"))}
}

func (p *painter) message(e session.Entry, m message.Message, after []session.Entry, st blockStyle) []string {
	t := st.theme
	switch m.Role {
	case message.RoleUser, message.RoleDeveloper:
		return p.request(m, st)
	case message.RoleAssistant:
		return p.answer(m, after, st)
	case message.RoleToolResult:
		style, sign := t.good, "✓"
		if m.IsError {
			style, sign = t.err, "✗"
		}
		return p.result(style.Render(sign)+" "+t.tool.Render(ansi.Truncate(p.lines.Entry(e), max(st.width-2, 1), "…")), m, st)
	case message.RoleBashExecution, message.RolePythonExecution:
		style := t.good
		if m.Cancelled || m.ExitCode != nil && *m.ExitCode != 0 {
			style = t.err
		}
		return p.output(style.Render("$")+" "+t.tool.Render(ansi.Truncate(display.Line(m.Command+m.Code, 4000), max(st.width-2, 1), "…")), m.Output, st)
	case message.RoleFileMention:
		var lines []string
		for _, f := range m.Files {
			lines = append(lines, t.tool.Render(ansi.Truncate("@"+display.Line(f.Path, 0), st.width, "…")))
		}
		return lines
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		return p.titled(t.summary, "summary", m.Summary, true, st)
	case message.RoleCustom, message.RoleHookMessage:
		if !m.Display {
			return nil
		}
		return p.titled(t.custom, m.CustomType, m.Text(), true, st)
	}
	return p.note(t.faint, p.lines.Entry(e), st)
}

// request draws what the user said, as it was typed, behind a bar.
func (p *painter) request(m message.Message, st blockStyle) []string {
	var lines []string
	if text := display.Text(m.Text()); strings.TrimSpace(text) != "" {
		lines = wrap(strings.Trim(text, "\n"), st.width-2)
	}
	for _, i := range m.Images() {
		lines = append(lines, st.theme.faint.Render(fmt.Sprintf("[image: %s]", display.Line(i.MimeType, 100))))
	}
	if len(lines) == 0 {
		lines = []string{st.theme.faint.Render("(empty)")}
	}
	bar := st.theme.user.Render("▌ ")
	for i, l := range lines {
		lines[i] = bar + st.theme.strong.Render(l)
	}
	return lines
}

func (p *painter) answer(m message.Message, after []session.Entry, st blockStyle) []string {
	t := st.theme
	var lines []string
	gap := func() {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
	}
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockThinking:
			if th := p.thinking(b.Thinking, st); len(th) > 0 {
				gap()
				lines = append(lines, th...)
			}
		case message.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				gap()
				lines = append(lines, p.markdown.lines(b.Text, st.width, t.dark)...)
			}
		case message.BlockImage:
			gap()
			lines = append(lines, t.faint.Render(fmt.Sprintf("[image: %s]", display.Line(b.MimeType, 100))))
		}
	}
	answered := resultsOf(after)
	for _, c := range m.ToolCalls() {
		if !answered[c.ID] && !st.live {
			gap()
			lines = append(lines, t.faint.Render("…")+" "+t.tool.Render(ansi.Truncate(display.Call(c), max(st.width-14, 1), "…"))+t.faint.Render(" (no result)"))
		}
	}
	switch m.StopReason {
	case message.StopAborted:
		gap()
		lines = append(lines, t.warn.Render("(stopped)"))
	case message.StopError:
		gap()
		for _, l := range wrap(display.Text("The answer failed: "+orElse(m.ErrorMessage, "no reason is given")), st.width) {
			lines = append(lines, t.err.Render(l))
		}
	case message.StopLength:
		gap()
		lines = append(lines, t.warn.Render("(cut off at the model's limit)"))
	}
	return lines
}

// resultsOf are the calls that the results behind an answer are of.
func resultsOf(after []session.Entry) map[string]bool {
	calls := map[string]bool{}
	for _, e := range after {
		switch {
		case e.Type() != session.TypeMessage:
			continue
		case e.Role() != message.RoleToolResult:
			return calls
		}
		if m, err := e.Message(); err == nil {
			calls[m.ToolCallID] = true
		}
	}
	return calls
}

func (p *painter) thinking(text string, st blockStyle) []string {
	text = strings.TrimSpace(display.Text(text))
	if text == "" {
		return nil
	}
	t := st.theme
	if !st.open {
		return []string{t.thinking.Render(ansi.Truncate("✻ "+display.Line(text, 2000), st.width, "…"))}
	}
	lines := wrap(text, st.width-2)
	for i, l := range lines {
		lines[i] = t.thinking.Render("  " + l)
	}
	return append([]string{t.thinking.Render("✻ thinking")}, lines...)
}

// longFold is how many lines of something long are shown before it is opened.
const longFold = 12

// titled draws a marked block: a title in a rule, and the text under it.
func (p *painter) titled(style lipgloss.Style, title, text string, short bool, st blockStyle) []string {
	head := "── " + display.Line(title, 200) + " "
	head = ansi.Truncate(head+strings.Repeat("─", max(0, st.width-ansi.StringWidth(head))), st.width, "")
	lines := p.markdown.lines(text, st.width, st.theme.dark)
	limit := longFold
	if !short {
		limit = 3
	}
	if !st.open && len(lines) > limit {
		lines = append(lines[:limit:limit], st.theme.faint.Render(fmt.Sprintf("… %d more lines", len(lines)-limit)))
	}
	return append([]string{style.Render(head)}, lines...)
}

// diffOf is the diff that a result of edit or write carries.
func diffOf(m message.Message) string {
	var d struct {
		Diff string `json:"diff"`
	}
	if len(m.Details) > 0 && json.Unmarshal(m.Details, &d) == nil {
		return d.Diff
	}
	return ""
}

// result draws a tool's result: its call, and when it is open what came of it. A change of a file is
// always shown.
func (p *painter) result(head string, m message.Message, st blockStyle) []string {
	if diff := diffOf(m); diff != "" && !m.IsError {
		return append([]string{head}, p.diff(diff, st)...)
	}
	var text strings.Builder
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockText:
			text.WriteString(b.Text)
		case message.BlockImage:
			fmt.Fprintf(&text, "[image: %s]\n", b.MimeType)
		}
	}
	if m.IsError && !st.open {
		if first := display.Line(text.String(), 400); first != "" {
			return []string{head, st.theme.err.Render(ansi.Truncate("  "+first, st.width, "…"))}
		}
	}
	return p.output(head, text.String(), st)
}

// openFold is how many lines of a result are shown when it is open: what is longer is for 'ramo show'.
const openFold = 400

func (p *painter) output(head, text string, st blockStyle) []string {
	if !st.open {
		return []string{head}
	}
	const most = 256 << 10
	cut := len(text) > most
	if cut {
		text = text[:most]
	}
	text = strings.TrimRight(display.Text(text), "\n")
	if text == "" {
		return []string{head, st.theme.faint.Render("  (no output)")}
	}
	lines := []string{head}
	for _, l := range strings.Split(text, "\n") {
		if len(lines) > openFold {
			cut = true
			break
		}
		lines = append(lines, st.theme.faint.Render(ansi.Truncate("  "+tabs(l), st.width, "…")))
	}
	if cut {
		lines = append(lines, st.theme.warn.Render("  … and more, which 'ramo show' prints"))
	}
	return lines
}

// diffFold is how many lines of a diff are shown before it is opened.
const diffFold = 20

func (p *painter) diff(text string, st blockStyle) []string {
	all := strings.Split(strings.TrimRight(tabs(display.Text(text)), "\n"), "\n")
	limit := diffFold
	if st.open {
		limit = openFold
	}
	var lines []string
	for i, l := range all {
		if i == limit {
			lines = append(lines, st.theme.faint.Render(fmt.Sprintf("  … %d more lines", len(all)-limit)))
			break
		}
		style := st.theme.faint
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
		case strings.HasPrefix(l, "+"):
			style = st.theme.added
		case strings.HasPrefix(l, "-"):
			style = st.theme.removed
		}
		lines = append(lines, style.Render(ansi.Truncate("  "+l, st.width, "…")))
	}
	return lines
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
