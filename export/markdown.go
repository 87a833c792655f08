package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Markdown writes the branch as a document: a title, what the session is, then every message under
// a heading with its role, time and model. Thinking and results are folded, edits are diffs,
// summaries and labels are shown; settings that changed on the way are a line each. What the log
// holds for no reader, such as an extension's data, is left out.
//
// The text of the log is shown without terminal escapes, control characters and bidirectional
// overrides (section 12 of the specification). An entry that cannot be read makes an error, after
// what comes before it.
func Markdown(w io.Writer, s *session.Session, leaf string) error {
	d := document{Writer: bufio.NewWriterSize(w, 64<<10)}
	d.head(s)
	if leaf != Root {
		for e, err := range s.Branch(leaf) {
			if err == nil {
				err = d.entry(e)
			}
			if err != nil {
				_ = d.Flush() // what comes before the error
				return err
			}
		}
	}
	return d.Flush()
}

// document is what is being written. The writer remembers the first error, which Flush returns.
type document struct {
	*bufio.Writer
	lines display.Lines
}

func (d *document) head(s *session.Session) {
	h := s.Header()
	fmt.Fprintf(d, "# %s\n\n", cmp.Or(inline(s.Name()), "Session "+inline(h.ID)))
	row := func(name, value string) {
		if value = inline(value); value != "" {
			fmt.Fprintf(d, "- %s: %s\n", name, value)
		}
	}
	row("Session", h.ID)
	row("Directory", h.Cwd)
	if t, ok := h.Time(); ok {
		row("Started", stamp(t))
	}
	row("Written by", h.Tool)
	row("Continues", h.ParentSession)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func (d *document) entry(e session.Entry) error {
	switch e.Type() {
	case session.TypeMessage, session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction:
	case session.TypeModelChange, session.TypeThinkingLevelChange, session.TypeModeChange, session.TypeTTSRInjection:
		return d.note(e, d.lines.Entry(e))
	case session.TypeResetBoundary:
		return d.note(e, "[reset: the model sees nothing of what stands above]")
	default:
		if e.Label() != "" {
			return d.note(e, d.lines.Entry(e))
		}
		return nil
	}
	body, err := e.Body()
	if err != nil {
		return err
	}
	switch b := body.(type) {
	case session.Message:
		d.message(e, b.Message)
	case session.CustomMessage:
		d.heading(e, "Message", b.CustomType)
		d.prose(b.Text())
		d.images(b.Images())
	case session.BranchSummary:
		d.heading(e, "Branch summary")
		d.prose(b.Summary)
	case session.Compaction:
		d.compaction(e, b.Summary, b.TokensBefore)
	default: // a message entry without a message
		return d.note(e, d.lines.Entry(e))
	}
	return d.failed()
}

// failed is the error of a write, if one failed: there is no use in going on.
func (d *document) failed() error {
	_, err := d.Write(nil)
	return err
}

// note is a line about something that is no message.
func (d *document) note(e session.Entry, text string) error {
	fmt.Fprintf(d, "\n*%s*%s\n", inline(text), label(e))
	return d.failed()
}

func (d *document) heading(e session.Entry, role string, about ...string) {
	fmt.Fprintf(d, "\n## %s · %s", inline(role), stamp(e.Time()))
	for _, a := range about {
		if a = inline(a); a != "" {
			fmt.Fprintf(d, " · %s", a)
		}
	}
	fmt.Fprintf(d, "%s\n", label(e))
}

func label(e session.Entry) string {
	if l := e.Label(); l != "" {
		return " · **\\[" + inline(l) + "\\]**"
	}
	return ""
}

func (d *document) message(e session.Entry, m message.Message) {
	switch m.Role {
	case message.RoleToolResult:
		d.result(e, m)
	case message.RoleAssistant:
		d.assistant(e, m)
	case message.RoleBashExecution:
		d.execution(e, "Command", "sh", m.Command, m)
	case message.RolePythonExecution:
		d.execution(e, "Python", "python", m.Code, m)
	case message.RoleBranchSummary:
		d.heading(e, "Branch summary")
		d.prose(m.Summary)
	case message.RoleCompactionSummary:
		d.compaction(e, m.Summary, m.TokensBefore)
	case message.RoleFileMention:
		d.heading(e, "Files")
		for _, f := range m.Files {
			d.folded(f.Path+skipped(f), fenced(language(f.Path), f.Content))
		}
	default:
		d.heading(e, roleName(m.Role), m.CustomType)
		d.prose(m.Text())
		d.images(m.Images())
	}
}

func skipped(f message.File) string {
	switch {
	case f.SkippedReason != "":
		return " (left out: " + f.SkippedReason + ")"
	case f.Image != nil:
		return " (" + imageName(*f.Image) + ")"
	}
	return ""
}

// roleName is what a heading calls a role.
func roleName(role string) string {
	switch role {
	case "", message.RoleCustom, message.RoleHookMessage:
		return "Message"
	case message.RoleUser:
		return "User"
	case message.RoleDeveloper:
		return "Developer"
	}
	return role
}

func (d *document) assistant(e session.Entry, m message.Message) {
	d.heading(e, "Assistant", strings.Trim(m.Provider+"/"+m.Model, "/"))
	for _, b := range m.Content {
		switch b.Type {
		case message.BlockText:
			d.prose(b.Text)
		case message.BlockThinking:
			if strings.TrimSpace(b.Thinking) != "" {
				d.folded("Thinking", prose(b.Thinking))
			}
		case message.BlockToolCall:
			fmt.Fprintf(d, "\n%s", call(b))
		case message.BlockImage:
			d.images([]message.Block{b})
		}
	}
	switch {
	case m.StopReason == message.StopAborted:
		fmt.Fprint(d, "\n**Stopped by the user.**\n")
	case m.StopReason == message.StopLength:
		fmt.Fprint(d, "\n**Cut off: the answer was as long as the model may make it.**\n")
	case m.StopReason == message.StopError || m.ErrorMessage != "":
		fmt.Fprintf(d, "\n**Failed:** %s\n", inline(cmp.Or(m.ErrorMessage, "no reason is known")))
	}
}

// result folds what a tool answered, under the line that names its call.
func (d *document) result(e session.Entry, m message.Message) {
	on := ""
	if l := e.Label(); l != "" {
		on = " · [" + l + "]"
	}
	body := fenced("", m.Text())
	for _, i := range m.Images() {
		body += "\n*" + inline(imageName(i)) + "*\n"
	}
	d.folded("Result: "+d.lines.Entry(e)+on, body)
}

func (d *document) execution(e session.Entry, role, language, source string, m message.Message) {
	d.heading(e, role)
	fmt.Fprintf(d, "\n%s", fenced(language, source))
	about := "Output"
	switch {
	case m.Cancelled:
		about += ", cancelled"
	case m.ExitCode != nil && *m.ExitCode != 0:
		about += fmt.Sprintf(", exit code %d", *m.ExitCode)
	}
	if m.Output != "" || about != "Output" {
		d.folded(about, fenced("", m.Output))
	}
}

func (d *document) compaction(e session.Entry, summary string, before int64) {
	d.heading(e, "Compaction", display.Tokens(before)+" tokens before")
	d.prose(summary)
}

func (d *document) prose(text string) {
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(d, "\n%s", prose(text))
	}
}

func (d *document) folded(about, body string) {
	fmt.Fprintf(d, "\n<details>\n<summary>%s</summary>\n\n%s\n</details>\n", summaryText(about), body)
}

func (d *document) images(blocks []message.Block) {
	for _, b := range blocks {
		fmt.Fprintf(d, "\n*%s*\n", inline(imageName(b)))
	}
}

// imageName stands for a picture, whose bytes are no text.
func imageName(b message.Block) string {
	size := display.Bytes(int64(len(b.Data) / 4 * 3))
	if strings.HasPrefix(b.Data, "blob:") {
		size = "kept outside the log"
	}
	return "[image: " + cmp.Or(b.MimeType, "unknown type") + ", " + size + "]"
}
