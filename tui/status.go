package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// status is the line at the bottom: which session, where in it, which model, how full its context is, and
// what the branch cost.
type status struct {
	name   string
	place  string
	tokens int64
	cost   float64
	doing  string // what an operation is at

	model    model.Info
	hasModel bool
	thinking string

	cancel context.CancelFunc // of the counting that runs
	sums   sums
}

type statusMsg struct {
	name, place string
	tokens      int64
	cost        float64
	sums        sums
	model       model.Info
	hasModel    bool
	thinking    string
}

func (s *status) take(m statusMsg) {
	s.name, s.place, s.tokens, s.cost, s.sums = m.name, m.place, m.tokens, m.cost, m.sums
	s.model, s.hasModel, s.thinking = m.model, m.hasModel, m.thinking
}

// sums are the costs along a path, counted as far as a leaf. They are never changed, only followed by
// others, so that a branch that grows costs what is new.
type sums struct {
	session *session.Session
	epoch   int
	leaf    session.Entry
	cost    float64
}

// updateStatus counts anew, beside the screen; counting that still runs is given up.
func (a *app) updateStatus() tea.Cmd {
	if a.status.cancel != nil {
		a.status.cancel()
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.status.cancel = cancel
	s, ag, before := a.session, a.agent, a.status.sums
	return func() tea.Msg {
		defer cancel()
		m, ok := measure(ctx, s, before)
		if !ok {
			return nil
		}
		m.model, m.hasModel = ag.Model()
		m.thinking = ag.Thinking()
		return m
	}
}

func measure(ctx context.Context, s *session.Session, before sums) (m statusMsg, ok bool) {
	if m.name = s.Name(); m.name == "" {
		m.name = firstRequest(s)
	}
	leaf, has := s.Leaf()
	counts := s.Counts()
	if counts.Branches > 1 {
		m.place = fmt.Sprintf("%d branches", counts.Branches)
		if has && leaf.HasChildren() {
			m.place = "inside one of " + m.place
		}
	}
	m.sums = sums{s, s.Epoch(), leaf, 0}
	if before.session != s || before.epoch != s.Epoch() {
		before = sums{}
	}
	found := false   // the last answer, which knows how long the context was
	counted := false // what is left has its cost in the sums
	var behind []message.Message
	for e, ok := leaf, has; ok && !(found && counted); e, ok = e.Parent() {
		if ctx.Err() != nil {
			return m, false
		}
		if !counted && !before.leaf.IsZero() && e == before.leaf {
			m.cost += before.cost
			counted = true
		}
		u, msg := spentBy(e, found)
		if u != nil && !counted {
			m.cost += u.Cost.Total
		}
		switch {
		case found || msg == nil:
		case e.Type() == session.TypeCompaction: // what came before is not in the context any more
			found = true
			m.tokens = summary.EstimateTokens(append(behind, *msg)...)
		case e.Role() == message.RoleAssistant && u != nil && !e.Aborted() && !e.Failed():
			found = true
			m.tokens = u.Input + u.Output + u.CacheRead + u.CacheWrite + summary.EstimateTokens(behind...)
		default:
			behind = append(behind, *msg)
		}
	}
	if !found {
		m.tokens = summary.EstimateTokens(behind...)
	}
	m.sums.cost = m.cost
	return m, true
}

// firstRequest is what a session without a name is called.
func firstRequest(s *session.Session) string {
	for e := range s.Entries() {
		if e.Role() != message.RoleUser {
			continue
		}
		if b, err := e.Body(); err == nil {
			if m, ok := b.(session.Message); ok && strings.TrimSpace(m.Message.Text()) != "" {
				return m.Message.Text()
			}
		}
	}
	return ""
}

// spentBy is what an entry cost, and what it adds to the context. Of a message that costs nothing it is not
// read when only the cost is asked for.
func spentBy(e session.Entry, costOnly bool) (*message.Usage, *message.Message) {
	switch e.Type() {
	case session.TypeMessage:
		if costOnly && e.Role() != message.RoleAssistant {
			return nil, nil
		}
		if m, err := e.Message(); err == nil {
			return m.Usage, &m
		}
	case session.TypeBranchSummary, session.TypeCompaction, session.TypeCustomMessage:
		body, err := e.Body()
		if err != nil {
			return nil, nil
		}
		switch b := body.(type) {
		case session.BranchSummary:
			return b.Usage, ptr(message.User(b.Summary))
		case session.Compaction:
			return b.Usage, ptr(message.User(b.Summary))
		case session.CustomMessage:
			return nil, ptr(message.User(b.Text()))
		}
	}
	return nil, nil
}

// render draws the line.
func (s *status) render(a *app) string {
	t := a.theme
	var left []string
	if a.answers || a.op != nil {
		doing := "answering"
		if a.op != nil {
			doing = a.op.name
		}
		left = append(left, t.accent.Render(a.spinnerSign())+" "+orElse(oneLine(s.doing), doing)+t.faint.Render(" Esc stops"))
		if n := len(a.queued); n > 0 {
			left = append(left, t.warn.Render(fmt.Sprintf("%d waiting", n)))
		}
	} else {
		left = append(left, t.strong.Render(ansi.Truncate(orElse(oneLine(s.name), "new session"), max(a.width/2, 1), "…")))
	}
	if a.grown > 0 {
		left = append(left, t.warn.Render(fmt.Sprintf("grew elsewhere: %d new, %s goes there", a.grown, a.keys.hint("elsewhere"))))
	} else if s.place != "" {
		left = append(left, t.faint.Render(s.place))
	}
	right := []string{}
	info, ok := s.model, s.hasModel
	tokens := display.Tokens(s.tokens)
	if ok && info.ContextWindow > 0 {
		tokens += fmt.Sprintf("/%s (%d%%)", display.Tokens(info.ContextWindow), s.tokens*100/info.ContextWindow)
	}
	right = append(right, tokens)
	if s.cost > 0 {
		right = append(right, fmt.Sprintf("$%.2f", s.cost))
	}
	name := "no model"
	if ok {
		name = oneLine(info.Ref())
		if level := s.thinking; level != "off" && level != "" {
			name += " " + level
		}
	}
	right = append(right, name)
	sep := t.faint.Render(" · ")
	l, r := " "+strings.Join(left, sep), t.faint.Render(strings.Join(right, " · "))+" "
	if gap := a.width - ansi.StringWidth(l) - ansi.StringWidth(r); gap >= 1 {
		return l + strings.Repeat(" ", gap) + r
	}
	// What is running, or which session, goes before the figures.
	room := a.width - ansi.StringWidth(r) - 1
	if least := min(ansi.StringWidth(l), a.width/2); room < least {
		r = ansi.Truncate(r, max(a.width-least-2, 0), "…")
		room = a.width - ansi.StringWidth(r) - 1
	}
	return ansi.Truncate(l, max(room, 1), "…") + " " + r
}
