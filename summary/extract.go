package summary

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// ExtractBranch makes the summary of an abandoned path, oldest entry first, from the entries alone:
// the goal, what was asked since, files, commands and those that failed, how it ended, and what is
// open. It asks no model; the same entries give the same text, of less than 20 000 bytes. The error is
// ErrNothingToSummarize, or one of reading.
func ExtractBranch(entries []session.Entry) (session.BranchSummary, error) {
	var f facts
	files := fileSet{}
	seen := false
	for _, e := range entries {
		if !bearsMessage(e.Type()) {
			continue
		}
		body, err := e.Body()
		if err != nil {
			return session.BranchSummary{}, err
		}
		files.add(body)
		if m, ok := asMessage(e, body); ok && piece(m, maxPiece) != "" {
			f.add(m)
			seen = true
		}
	}
	if !seen {
		return session.BranchSummary{}, ErrNothingToSummarize
	}
	if len(f.Turns) == 0 || f.Turns[0].Asked == "" {
		above, err := requestAbove(entries[0])
		if err != nil {
			return session.BranchSummary{}, err
		}
		f.above = above
	}
	out := files.files()
	return session.BranchSummary{Summary: f.markdown(out, false), Details: out.details()}, nil
}

// requestAbove is what the user asked last before an entry; "" if nothing.
func requestAbove(e session.Entry) (string, error) {
	for e, ok := e.Parent(); ok; e, ok = e.Parent() {
		if e.Role() == message.RoleUser {
			m, err := e.Message()
			return goalOf(m), err
		}
	}
	return "", nil
}

// ExtractCompaction makes a compaction from the entries alone, as ExtractBranch does for a branch.
// What an earlier extract found is carried on in the details; another earlier summary is quoted.
func ExtractCompaction(p PreparedCompaction) (session.Compaction, error) {
	if p.FirstKeptEntryID == "" {
		return session.Compaction{}, ErrNothingToCompact
	}
	f, carried := carriedFacts(p.previousDetails)
	if !carried {
		f.before = shorten(p.Previous, 6000)
	}
	for _, m := range slices.Concat(p.Messages, p.TurnPrefix) {
		if piece(m, maxPiece) != "" {
			f.add(m)
		}
	}
	f.forget()
	details, err := json.Marshal(struct {
		Files
		Extract facts `json:"extract"`
	}{p.Files, f})
	if err != nil {
		return session.Compaction{}, err
	}
	text := f.markdown(p.Files, true)
	if p.settings.InputTokens > 0 {
		text = shorten(text, int(p.maxOutput()*4))
	}
	c := session.Compaction{
		Summary:          text,
		FirstKeptEntryID: p.FirstKeptEntryID,
		TokensBefore:     p.TokensBefore,
		Details:          details,
	}
	if len(f.Turns) > 0 {
		c.ShortSummary = title(f.Turns[0].Asked)
	}
	return c, nil
}

// facts are what an extract is made of. Those with a name in JSON go from one compaction to the next,
// so they are bounded.
type facts struct {
	Turns     []exchange `json:"turns,omitempty"`
	MoreTurns int        `json:"moreTurns,omitempty"` // forgotten, after the first
	Runs      []run      `json:"runs,omitempty"`      // in the order of the last time each was run
	MoreRuns  int        `json:"moreRuns,omitempty"`  // forgotten
	Earlier   []string   `json:"earlier,omitempty"`   // what nested summaries say first

	before string // an earlier summary that was no extract
	above  string // the request that a path without one of its own works on

	calls   map[string]run // that wait for a result, by id
	last    string         // the last answer's text
	waiting bool           // the last request has no answer yet
	stopped string         // how the last answer ended, if not well
}

// exchange is a request and the beginning of its last answer.
type exchange struct {
	Asked    string `json:"asked,omitempty"`
	Answered string `json:"answered,omitempty"`
}

// run is a command or call, and how often it was run.
type run struct {
	Tool   string `json:"tool,omitempty"` // "" for a shell command
	Text   string `json:"text"`
	Times  int    `json:"times"`
	Failed int    `json:"failed,omitempty"` // times
	How    string `json:"how,omitempty"`    // how the last time failed: "exit code 1"; "" if it did not
	Error  string `json:"error,omitempty"`  // the line that says what was wrong
}

// What goes from one compaction to the next.
const (
	carriedTurns   = 24
	carriedRuns    = 40
	carriedEarlier = 3
)

func carriedFacts(details json.RawMessage) (f facts, ok bool) {
	var d struct{ Extract *facts }
	if json.Unmarshal(details, &d) != nil || d.Extract == nil {
		return facts{}, false
	}
	return *d.Extract, true
}

// forget drops the oldest of what there is too much of, but not the goal. A failure is worth more
// than what worked.
func (f *facts) forget() {
	if n := len(f.Turns) - carriedTurns; n > 0 {
		f.Turns = slices.Delete(f.Turns, 1, 1+n)
		f.MoreTurns += n
	}
	for _, failures := range []bool{false, true} {
		surplus := len(f.Runs) - carriedRuns
		f.Runs = slices.DeleteFunc(f.Runs, func(r run) bool {
			drop := surplus > 0 && (r.How != "") == failures
			if drop {
				surplus--
				f.MoreRuns++
			}
			return drop
		})
	}
	if n := len(f.Earlier) - carriedEarlier; n > 0 {
		f.Earlier = f.Earlier[n:]
	}
}

// goalOf is what a user's message asks, at a length that a goal may have.
func goalOf(m message.Message) string {
	text := strings.TrimSpace(display.Text(m.Text()))
	if text == "" && len(m.Images()) > 0 {
		return "(" + count(len(m.Images()), "image") + ")"
	}
	return shorten(text, 1500)
}

func (f *facts) add(m message.Message) {
	switch m.Role {
	case message.RoleUser:
		f.asked(m)
	case message.RoleAssistant:
		f.answered(m)
	case message.RoleToolResult:
		f.result(m)
	case message.RoleBashExecution, message.RolePythonExecution:
		f.execution(m)
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		f.Earlier = append(f.Earlier, ellipsis(display.Line(withoutHeadings(m.Summary), 0), 700))
	}
}

func (f *facts) asked(m message.Message) {
	asked := goalOf(m)
	if len(f.Turns) == 1 && isCommand(f.Turns[0].Asked) {
		f.Turns = nil // "/model" is no goal
	}
	if len(f.Turns) > 0 {
		asked = ellipsis(display.Line(asked, 0), 300)
	}
	f.Turns = append(f.Turns, exchange{Asked: asked})
	f.waiting, f.stopped = true, ""
}

var commandWord = regexp.MustCompile(`^/[\w:-]+$`)

func isCommand(text string) bool { return commandWord.MatchString(text) }

func (f *facts) answered(m message.Message) {
	for _, c := range m.ToolCalls() {
		if f.calls == nil {
			f.calls = map[string]run{}
		}
		f.calls[c.ID] = called(c)
	}
	switch f.stopped = ""; m.StopReason {
	case message.StopAborted:
		f.stopped = "it was stopped before it was done"
	case message.StopError:
		f.stopped = "it ended in an error"
		if line := ellipsis(display.Line(m.ErrorMessage, 0), 200); line != "" {
			f.stopped += ": " + line
		}
	}
	text := strings.TrimSpace(display.Text(m.Text()))
	if text == "" {
		return
	}
	f.last, f.waiting = text, false
	if len(f.Turns) == 0 {
		f.Turns = append(f.Turns, exchange{})
	}
	f.Turns[len(f.Turns)-1].Answered = ellipsis(display.Line(firstParagraph(text), 0), 160)
}

// called is what a call runs. What names it best is a command, a file, or its first text.
func called(c message.Block) run {
	if c.Name == "bash" {
		return newRun("", argument(c, "command"))
	}
	text := callPath(c)
	if text == "" {
		rawjson.Object(c.Arguments, func(_ []byte, start, end int) {
			if s, ok := rawjson.String(c.Arguments[start:end]); ok && text == "" {
				text = s
			}
		})
	}
	return newRun(c.Name, text)
}

// newRun bounds the text: commands can be whole scripts.
func newRun(tool, text string) run {
	return run{Tool: tool, Text: ellipsis(strings.TrimSpace(display.Text(text)), 250)}
}

// result enters how a call went. Of tools other than the shell only failures matter, and that what
// failed worked in the end.
func (f *facts) result(m message.Message) {
	r, ok := f.calls[m.ToolCallID]
	if !ok || r.Tool == "" && r.Text == "" {
		return
	}
	delete(f.calls, m.ToolCallID)
	out := m.Text()
	code, coded := exitCode(m, out)
	if m.IsError || coded && code != 0 {
		r.How, r.Error = failure(code, out), errorLine(out)
	}
	if r.Tool != "" && r.How == "" && !slices.ContainsFunc(f.Runs, r.same) {
		return
	}
	f.ran(r)
}

func (f *facts) execution(m message.Message) {
	r := newRun("", m.Command)
	if m.Role == message.RolePythonExecution {
		r = newRun("python", m.Code)
	}
	switch {
	case m.Cancelled:
		r.How = "cancelled"
	case m.ExitCode != nil && *m.ExitCode != 0:
		r.How, r.Error = failure(*m.ExitCode, m.Output), errorLine(m.Output)
	}
	if r.Text != "" {
		f.ran(r)
	}
}

func (r run) same(o run) bool { return r.Tool == o.Tool && r.Text == o.Text }

// ran counts a run, as the latest.
func (f *facts) ran(r run) {
	r.Times = 1
	if r.How != "" {
		r.Failed = 1
	}
	if i := slices.IndexFunc(f.Runs, r.same); i >= 0 {
		r.Times += f.Runs[i].Times
		r.Failed += f.Runs[i].Failed
		f.Runs = slices.Delete(f.Runs, i, i+1)
	}
	f.Runs = append(f.Runs, r)
}

var exitWords = regexp.MustCompile(`(?i)\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b`)

// exitCode is what a command ended with, as the tool's details or the end of its output tell.
func exitCode(m message.Message, out string) (code int, ok bool) {
	var d struct{ ExitCode *int }
	if json.Unmarshal(m.Details, &d) == nil && d.ExitCode != nil {
		return *d.ExitCode, true
	}
	if !m.IsError {
		return 0, false // output may well speak of the exit codes of others
	}
	all := exitWords.FindAllStringSubmatch(out[max(0, len(out)-500):], -1)
	if len(all) == 0 {
		return 0, false
	}
	code, err := strconv.Atoi(all[len(all)-1][1])
	return code, err == nil
}

func failure(code int, out string) string {
	switch {
	case code != 0:
		return "exit code " + strconv.Itoa(code)
	case strings.HasSuffix(strings.TrimSpace(out), "aborted"):
		return "aborted"
	}
	return "error"
}

var (
	errorWords = regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|panic|fatal|exception|undefined|cannot|can't|no such|not found|denied|refused|invalid|unexpected|traceback)\b|\w(Error|Exception)\b`)
	aboutExit  = regexp.MustCompile(`(?i)^\W*(command|process)? ?(exited|aborted|exit (code|status)|timed out)`)
)

// errorLine is the first line of an output that looks like an error, or else its first line that
// says anything. What is said about the exit itself is told apart. Of an output that is very long the
// middle is not looked at.
func errorLine(out string) string {
	const end = 64 << 10
	if len(out) > 2*end {
		out = out[:end] + "\n" + out[len(out)-end:]
	}
	first := ""
	for l := range strings.Lines(out) {
		line := display.Line(l, 2000)
		if line == "" || line == "(no output)" || aboutExit.MatchString(line) {
			continue
		}
		if first == "" {
			first = line
		}
		if errorWords.MatchString(line) {
			first = line
			break
		}
	}
	return ellipsis(first, 200)
}
