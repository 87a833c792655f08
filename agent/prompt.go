package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// Prompt puts a request to the model, lets it call tools, and returns the entry of its last answer.
// The request is in the log before the model is asked, and every answer and result as soon as it is
// complete. Of an answer that is cut off, by an error or by cancelling, what had arrived is kept.
func (a *Agent) Prompt(ctx context.Context, text string, images ...message.Block) (_ session.Entry, err error) {
	m, err := a.activeModel()
	if err != nil {
		return session.Entry{}, err
	}
	ctx, end, err := a.begin(ctx, opPrompt)
	if err != nil {
		return session.Entry{}, err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opPrompt, Err: err})
	}()
	if err := a.host.Wait(ctx); err != nil { // for their tools
		return session.Entry{}, err
	}
	if err := a.compactIfFull(ctx, m); err != nil {
		return session.Entry{}, fmt.Errorf("the context is full, and compacting it failed: %w", err)
	}
	e, err := a.Session().Append(ctx, session.Message{Message: message.User(text, images...)})
	if err != nil {
		return session.Entry{}, err
	}
	a.emit(Event{Type: UserMessage, Entry: e})
	return a.answer(ctx, m)
}

func (a *Agent) activeModel() (model.Model, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.model == nil {
		return nil, fmt.Errorf("%w: choose one of those that 'ramo models' lists", ErrNoModel)
	}
	return a.model, nil
}

// answer asks the model until it calls no more tools.
func (a *Agent) answer(ctx context.Context, m model.Model) (session.Entry, error) {
	compacted := false
	for range a.opt.MaxRounds {
		last, msg, err := a.ask(ctx, m)
		switch {
		case errors.Is(err, model.ErrContextOverflow) && !compacted:
			compacted = true
			if err := a.compact(ctx, m, ""); err != nil {
				return last, fmt.Errorf("the context is too long, and compacting it failed: %w", err)
			}
			continue
		case err != nil:
			return last, err
		}
		calls := msg.ToolCalls()
		if len(calls) == 0 {
			return last, nil
		}
		for _, call := range calls {
			if err := a.runTool(ctx, call); err != nil {
				return last, err
			}
		}
		if err := ctx.Err(); err != nil {
			return last, err
		}
	}
	return session.Entry{}, fmt.Errorf("the model called tools %d times in a row and was stopped; prompt again to let it go on", a.opt.MaxRounds)
}

// ask asks the model once and appends what it says.
func (a *Agent) ask(ctx context.Context, m model.Model) (session.Entry, message.Message, error) {
	s := a.Session()
	messages, err := a.messages(s)
	if err != nil {
		return session.Entry{}, message.Message{}, err
	}
	a.emit(Event{Type: AnswerStart})
	var done *message.Message
	var failed error
	for e, err := range m.Stream(ctx, model.Request{System: a.system(), Messages: messages, Tools: a.toolSpecs(), Thinking: a.Thinking()}) {
		if err != nil {
			failed = err
			continue
		}
		switch e.Type {
		case model.Text:
			a.emit(Event{Type: TextDelta, Text: e.Delta})
		case model.Thinking:
			a.emit(Event{Type: ThinkingDelta, Text: e.Delta})
		case model.Retry:
			a.emit(Event{Type: Retry, Text: e.Reason, Attempt: e.Attempt, Delay: e.Delay})
		case model.Done:
			done = &e.Message
		}
	}
	if done == nil {
		return session.Entry{}, message.Message{}, failed
	}
	// What has arrived is kept even when the user cancelled: the log loses no word.
	entry, err := s.Append(context.WithoutCancel(ctx), session.Message{Message: *done})
	if err != nil {
		return session.Entry{}, *done, errors.Join(failed, err)
	}
	a.emit(Event{Type: AnswerEnd, Entry: entry})
	return entry, *done, failed
}

// messages is the context as a model gets it.
func (a *Agent) messages(s *session.Session) ([]message.Message, error) {
	c, err := s.Context("")
	if err != nil {
		return nil, err
	}
	dir := a.opt.BlobDir
	if dir == "" {
		if dir, err = message.BlobDir(); err != nil {
			return nil, err
		}
	}
	resolved, _ := message.ResolveBlobs(c.Messages, dir) // a missing image says so in its place
	return message.ForModel(resolved), nil
}

// tools are all that the model may call: those of the workspace, and the extensions' that are not named like one of them.
func (a *Agent) tools() []tool.Tool {
	a.mu.Lock()
	tools := slices.Clone(a.work.Tools)
	a.mu.Unlock()
	for _, t := range a.host.Tools() {
		if !slices.ContainsFunc(tools, func(own tool.Tool) bool { return own.Name == t.Name }) {
			tools = append(tools, t)
		}
	}
	return tools
}

func (a *Agent) system() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.work.System
}

func (a *Agent) toolSpecs() []model.Tool {
	var specs []model.Tool
	for _, t := range a.tools() {
		specs = append(specs, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	return specs
}

func (a *Agent) tool(name string) (tool.Tool, bool) {
	for _, t := range a.tools() {
		if t.Name == name {
			return t, true
		}
	}
	return tool.Tool{}, false
}

// runTool runs a call and appends its result. A call that is refused, unknown or cancelled has a
// result too: the log has one for each call.
func (a *Agent) runTool(ctx context.Context, call message.Block) error {
	a.emit(Event{Type: ToolStart, Call: call})
	r := a.call(ctx, call)
	e, err := a.Session().Append(context.WithoutCancel(ctx), session.Message{Message: message.Message{
		Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: r.Content, Details: r.Details,
		IsError: r.IsError, Timestamp: time.Now().UnixMilli(),
	}})
	if err != nil {
		return err
	}
	a.emit(Event{Type: ToolEnd, Call: call, Entry: e})
	return nil
}

func (a *Agent) call(ctx context.Context, call message.Block) tool.Result {
	t, ok := a.tool(call.Name)
	if !ok {
		return tool.Errorf("there is no tool %q", call.Name)
	}
	if t.MustAsk(call.Arguments) {
		yes := false
		if a.opt.Approve != nil {
			var err error
			if yes, err = a.opt.Approve(ctx, call); err != nil {
				return tool.Errorf("%s was not run: asking the user failed: %v", call.Name, err)
			}
		}
		if !yes {
			return tool.Errorf("%s was not run: the user did not agree to this call", call.Name)
		}
	}
	ctx = tool.WithOutput(ctx, func(piece string) { a.emit(Event{Type: ToolOutput, Call: call, Text: piece}) })
	return t.Call(ctx, call.Arguments)
}

// complete asks a model for a summary.
func (a *Agent) complete(m model.Model) summary.Complete {
	return func(ctx context.Context, p summary.Prompt) (summary.Answer, error) {
		r := model.Request{System: p.System, Messages: []message.Message{message.User(p.Text)}, MaxOutput: p.MaxOutput}
		var answer summary.Answer
		for e, err := range m.Stream(ctx, r) {
			switch {
			case err != nil:
				return summary.Answer{}, err
			case e.Type == model.Retry:
				a.emit(Event{Type: Retry, Text: e.Reason, Attempt: e.Attempt, Delay: e.Delay})
			case e.Type == model.Done:
				answer = summary.Answer{Text: e.Message.Text(), Cut: e.Message.StopReason == message.StopLength, Usage: e.Message.Usage}
			}
		}
		return answer, nil
	}
}
