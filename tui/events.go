package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/session"
)

// pump brings the agent's events to the event loop: what happens within a frame's time comes as one
// message, and the agent never waits for the screen.
type pump struct {
	send func(tea.Msg)

	mu      sync.Mutex
	events  []agent.Event
	running bool

	last atomic.Int64 // when progress was last told, ms
}

type eventsMsg []agent.Event

const frameTime = 16 * time.Millisecond

// event takes an event; it is the agent's listener.
func (p *pump) event(e agent.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, e)
	if !p.running {
		p.running = true
		go p.run()
	}
}

func (p *pump) run() {
	for {
		p.mu.Lock()
		events := p.events
		p.events = nil
		p.running = len(events) > 0
		p.mu.Unlock()
		if len(events) == 0 {
			return
		}
		p.send(eventsMsg(events))
		time.Sleep(frameTime)
	}
}

// due tells whether progress should be told again.
func (p *pump) due() bool {
	now := time.Now().UnixMilli()
	last := p.last.Load()
	return now-last >= 50 && p.last.CompareAndSwap(last, now)
}

// events takes up what happened in the agent.
func (a *app) events(all eventsMsg) tea.Cmd {
	var cmds []tea.Cmd
	moved := false
	for _, e := range all {
		switch e.Type {
		case agent.UserMessage, agent.AnswerEnd, agent.ToolEnd, agent.Compacted, agent.ModelChanged, agent.ThinkingChanged, agent.Navigated:
			moved = true
		case agent.SessionChanged:
			cmds = append(cmds, a.showSession())
		case agent.SummaryStart:
			a.status.doing = "summarizing with " + e.Text
		case agent.ExtensionTrouble, agent.Notice:
			a.notice, a.noticeErr = oneLine(e.Text), e.Type == agent.ExtensionTrouble
		case agent.Idle:
			a.status.doing = ""
			moved = true
		}
	}
	cmds = append(cmds, a.chat.do(func() {
		for _, e := range all {
			a.transcript.event(e)
		}
	}))
	if moved && a.agent != nil {
		cmds = append(cmds, a.showPath(false))
	}
	return tea.Batch(cmds...)
}

// event draws what has arrived of an answer. What is in the log is drawn from there.
func (t *transcript) event(e agent.Event) {
	switch e.Type {
	case agent.UserMessage:
		t.toEnd()
	case agent.AnswerStart:
		t.begin()
	case agent.TextDelta:
		t.live.note = ""
		t.live.text.WriteString(e.Text)
	case agent.ThinkingDelta:
		t.live.note = ""
		t.live.thinking.WriteString(e.Text)
	case agent.Retry:
		t.live.note = fmt.Sprintf("Trying again (%d) in %s: %s", e.Attempt, e.Delay.Round(100*time.Millisecond), e.Text)
	case agent.AnswerEnd:
		t.begin()
		t.show(t.session)
	case agent.ToolStart:
		t.live.tools = append(t.live.tools, liveTool{call: e.Call})
	case agent.ToolOutput:
		t.live.output(e.Call, e.Text)
	case agent.ToolEnd:
		t.live.toolEnded(e.Call)
		t.show(t.session)
	case agent.Idle:
		t.end()
	}
}

// followMsg are entries that another process wrote.
type followMsg struct {
	session *session.Session
	entries []session.Entry
	err     error
}

// follow tells of what others write, several entries at a time when they come fast.
func follow(ctx context.Context, s *session.Session, send func(tea.Msg)) {
	var mu sync.Mutex
	var waiting []session.Entry
	var failed error
	wake := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-wake:
			}
			mu.Lock()
			entries, err := waiting, failed
			waiting, failed = nil, nil
			mu.Unlock()
			send(followMsg{s, entries, err})
			select { // a writer that writes much is shown a few times a second
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	for e, err := range s.Follow(ctx) {
		mu.Lock()
		if err != nil {
			failed = err
		} else {
			waiting = append(waiting, e)
		}
		mu.Unlock()
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// followed takes up what others wrote: it is in the tree at once, and when it hangs from where one
// stands, a note tells of it.
func (a *app) followed(msg followMsg) tea.Cmd {
	if a.agent == nil || msg.session != a.session {
		return nil
	}
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		return a.complain(fmt.Errorf("looking for what others write: %w", msg.err))
	}
	s := msg.session
	return tea.Batch(a.showPath(false), beside(func() func() tea.Cmd {
		leaf, ok := s.Leaf()
		newest, n := "", 0
		for _, e := range msg.entries {
			if kindOf(e) != noBlock && (!ok || hangsFrom(e, leaf)) {
				newest, n = e.ID(), n+1
			}
		}
		return func() tea.Cmd {
			if n > 0 && s == a.session {
				a.elsewhere = newest
				a.grown += n
			}
			return nil
		}
	}))
}

// hangsFrom tells whether an entry is below another one.
func hangsFrom(e, above session.Entry) bool {
	for ok := true; ok; e, ok = e.Parent() {
		if e == above {
			return true
		}
	}
	return false
}

// goElsewhere moves to where the branch grew in another window.
func (a *app) goElsewhere() tea.Cmd {
	if a.elsewhere == "" {
		return a.say("The branch did not grow elsewhere")
	}
	target := a.elsewhere
	a.elsewhere, a.grown = "", 0
	return a.navigate(target, agent.NavigateOptions{}, nil)
}
