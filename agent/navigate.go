package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// NavigateOptions and Navigation are how NavigateTree moves, and what it did.
type (
	NavigateOptions = extension.NavigateOptions
	Navigation      = extension.Navigation
)

// NavigateTree moves the leaf within the session (section 9). The target is an entry's ID. An answer
// that is running is stopped first, and what had arrived of it kept. Cancelling ctx, at any step,
// leaves the leaf where it was; that is no error, but a Navigation that says so.
func (a *Agent) NavigateTree(ctx context.Context, target string, o NavigateOptions) (n Navigation, err error) {
	// What is wrong is said before anything is stopped.
	if _, ok := a.Session().Entry(target); !ok {
		return n, fmt.Errorf("%w: %q", session.ErrNotFound, target)
	}
	if o.Summarize {
		if _, err := a.summarizer(o.SummaryModel); err != nil {
			return n, err
		}
	}
	opCtx, end, err := a.begin(ctx, opNavigate)
	if err != nil {
		if ctx.Err() != nil { // cancelled while an answer was being stopped
			leaf, _ := a.Session().Leaf()
			return Navigation{OldLeaf: leaf.ID(), NewLeaf: leaf.ID(), Cancelled: true}, nil
		}
		return n, err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opNavigate, Err: err})
	}()
	n, err = a.navigate(opCtx, target, o)
	if err != nil && opCtx.Err() != nil {
		return Navigation{OldLeaf: n.OldLeaf, NewLeaf: n.OldLeaf, Cancelled: true}, nil
	}
	return n, err
}

func (a *Agent) navigate(ctx context.Context, target string, o NavigateOptions) (Navigation, error) {
	s := a.Session()
	old, _ := s.Leaf()
	n := Navigation{OldLeaf: old.ID(), NewLeaf: old.ID()}
	chosen, ok := s.Entry(target)
	if !ok {
		return n, fmt.Errorf("%w: %q", session.ErrNotFound, target)
	}
	if target == old.ID() {
		n.AlreadyThere = true
		return n, nil
	}
	common, abandoned, err := summary.Collect(s, old.ID(), target)
	if err != nil {
		return n, err
	}
	answer, err := a.host.BeforeTree(ctx, extension.SessionBeforeTree{
		TargetID: target, OldLeafID: old.ID(), CommonAncestorID: common, Entries: abandoned, UserWantsSummary: o.Summarize,
	})
	if err != nil {
		return n, err
	}
	if answer.Cancel {
		n.Cancelled, n.Reason = true, answer.Reason
		return n, nil
	}
	var body *session.BranchSummary
	switch {
	case !o.Summarize:
	case answer.Summary != nil:
		body = &session.BranchSummary{Summary: answer.Summary.Summary, Details: answer.Summary.Details, FromExtension: true}
	case len(abandoned) > 0:
		made, err := a.summarizeBranch(ctx, abandoned, o)
		if err != nil && !errors.Is(err, summary.ErrNothingToSummarize) {
			return n, err
		}
		if err == nil {
			body = &made
		}
	}
	if err := ctx.Err(); err != nil {
		return n, err
	}
	to := chosen
	if n.EditorText, n.Images, n.Again, err = requestOf(chosen); err != nil {
		return n, err
	}
	if n.Again {
		to, _ = chosen.Parent()
	}
	// From here on the move is made, whole or not at all: a summary is one append.
	uncancelled := context.WithoutCancel(ctx)
	switch {
	case body != nil:
		if n.SummaryEntry, err = s.BranchWithSummary(uncancelled, to.ID(), *body); err != nil {
			return Navigation{OldLeaf: n.OldLeaf, NewLeaf: n.OldLeaf}, err
		}
		n.FromExtension = body.FromExtension
		to = n.SummaryEntry
	case to.IsZero():
		s.ResetLeaf()
	default:
		if err := s.BranchTo(to.ID()); err != nil {
			return n, err
		}
	}
	n.NewLeaf = to.ID()
	if err := s.SavePosition(); err != nil {
		a.emit(Event{Type: Notice, Text: err.Error()}) // the move holds; only a restart would forget it
	}
	if err := a.readopt(); err != nil {
		return n, err
	}
	a.emit(Event{Type: Navigated, Entry: n.SummaryEntry})
	a.host.Happened(ctx, extension.SessionTree{NewLeafID: n.NewLeaf, OldLeafID: n.OldLeaf, SummaryEntry: n.SummaryEntry, FromExtension: n.FromExtension})
	return n, nil
}

// readopt takes up the model and the thinking level for the path that the leaf is on now.
func (a *Agent) readopt() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.adopt()
}

// requestOf is what comes back for the editor from an entry that is put again (section 9, 5).
func requestOf(e session.Entry) (text string, images []message.Block, again bool, err error) {
	if e.Role() != message.RoleUser && e.Type() != session.TypeCustomMessage {
		return "", nil, false, nil
	}
	body, err := e.Body()
	if err != nil {
		return "", nil, false, err
	}
	switch b := body.(type) {
	case session.Message:
		return b.Message.Text(), b.Message.Images(), true, nil
	case session.CustomMessage:
		return b.Text(), b.Images(), true, nil
	}
	return "", nil, true, nil
}

// summarizer is the model that writes summaries; the zero one stands for ramo/extract.
type summarizer struct {
	model   model.Model // nil: ramo/extract
	name    string
	window  int64
	extract bool
}

// summarizer finds the model for a summary. Asking for one without an active model fails, unless
// one is chosen: ramo/extract is never fallen back to.
func (a *Agent) summarizer(name string) (summarizer, error) {
	if name == "" {
		name = a.opt.SummaryModel
	}
	if name == model.ExtractName {
		return summarizer{name: name, extract: true}, nil
	}
	if name != "" {
		m, err := a.opt.Models.Model(name)
		if err != nil {
			return summarizer{}, err
		}
		return summarizer{model: m, name: name, window: m.Info().ContextWindow}, nil
	}
	a.mu.Lock()
	m := a.model
	a.mu.Unlock()
	if m == nil {
		return summarizer{}, fmt.Errorf("%w to write the summary: choose one that 'ramo models' lists, or %s, which writes it from the entries alone", ErrNoModel, model.ExtractName)
	}
	if m.Info().Ref() == model.ExtractName {
		return summarizer{name: model.ExtractName, extract: true}, nil
	}
	return summarizer{model: m, name: m.Info().Ref(), window: m.Info().ContextWindow}, nil
}

func (a *Agent) summarizeBranch(ctx context.Context, abandoned []session.Entry, o NavigateOptions) (session.BranchSummary, error) {
	by, err := a.summarizer(o.SummaryModel)
	if err != nil {
		return session.BranchSummary{}, err
	}
	a.emit(Event{Type: SummaryStart, Text: by.name})
	if by.extract {
		return summary.ExtractBranch(abandoned)
	}
	prepared, err := summary.PrepareBranch(abandoned, summary.Budget(by.window, a.settings(by.window).ReserveTokens))
	if err != nil {
		return session.BranchSummary{}, err
	}
	return summary.Branch(ctx, a.complete(by.model), prepared, o.Instructions)
}

func (a *Agent) settings(window int64) summary.Settings {
	if a.opt.Compaction != nil {
		return a.opt.Compaction.For(window)
	}
	return summary.DefaultSettings().For(window)
}
