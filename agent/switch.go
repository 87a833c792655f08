package agent

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Branching is what Branch did.
type Branching = extension.Branching

// Branch makes a new session of the way to before a request, and goes on there (section 10). The
// present session is untouched. The entry must be a user message.
func (a *Agent) Branch(ctx context.Context, entryID string) (b Branching, err error) {
	e, ok := a.Session().Entry(entryID)
	if !ok {
		return b, fmt.Errorf("%w: %q", session.ErrNotFound, entryID)
	}
	if e.Role() != message.RoleUser {
		return b, fmt.Errorf("entry %s is no user message: a branch starts at a request", entryID)
	}
	ctx, end, err := a.begin(ctx, opBranch)
	if err != nil {
		return b, err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opBranch, Err: err})
	}()
	s := a.Session()
	answer, err := a.host.BeforeBranch(ctx, extension.SessionBeforeBranch{EntryID: entryID})
	if err != nil {
		return b, err
	}
	if answer.Cancel {
		b.Cancelled, b.Reason = true, answer.Reason
		return b, nil
	}
	b.SkipRestore = answer.SkipRestore
	if b.EditorText, b.Images, _, err = requestOf(e); err != nil {
		return b, err
	}
	previous := s.Path()
	var next *session.Session
	if parent, ok := e.Parent(); ok {
		next, err = s.CreateBranchedSession(ctx, parent.ID(), a.newPath(s, session.NewHeader(s.Header().Cwd)), a.opt.SessionOptions...)
	} else if err = ctx.Err(); err == nil {
		next, err = a.start(s.Header().Cwd, s.Path())
	}
	if err != nil {
		return b, err
	}
	if err := a.take(next, true); err != nil {
		return b, err
	}
	b.Path = next.Path()
	a.host.Happened(ctx, extension.SessionBranch{Previous: previous})
	return b, nil
}

// Fork copies the whole tree into a new session and goes on there, at the same entry.
func (a *Agent) Fork(ctx context.Context) (path string, err error) {
	ctx, end, err := a.begin(ctx, opFork)
	if err != nil {
		return "", err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opFork, Err: err})
	}()
	s := a.Session()
	if err := a.beforeSwitch(ctx, extension.SwitchFork, ""); err != nil {
		return "", err
	}
	leaf, ok := s.Leaf()
	next, err := s.Fork(ctx, a.newPath(s, session.NewHeader(s.Header().Cwd)), a.opt.SessionOptions...)
	if err != nil {
		return "", err
	}
	if ok {
		err = next.BranchTo(leaf.ID())
	} else {
		next.ResetLeaf()
	}
	if err != nil {
		return "", err
	}
	if err := a.take(next, true); err != nil {
		return "", err
	}
	err = next.SavePosition()
	a.host.Happened(ctx, extension.SessionSwitch{Reason: extension.SwitchFork, Previous: s.Path()})
	return next.Path(), err
}

// NewSession starts a session about the same directory and goes on there. Its file appears with the
// first message.
func (a *Agent) NewSession(ctx context.Context) (err error) {
	ctx, end, err := a.begin(ctx, opSwitch)
	if err != nil {
		return err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opSwitch, Err: err})
	}()
	s := a.Session()
	if err := a.beforeSwitch(ctx, extension.SwitchNew, ""); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	next, err := a.start(s.Header().Cwd, "")
	if err != nil {
		return err
	}
	if err := a.take(next, true); err != nil {
		return err
	}
	a.host.Happened(ctx, extension.SessionSwitch{Reason: extension.SwitchNew, Previous: s.Path()})
	return nil
}

// Switch opens another session and goes on there.
func (a *Agent) Switch(ctx context.Context, path string) (err error) {
	ctx, end, err := a.begin(ctx, opSwitch)
	if err != nil {
		return err
	}
	defer func() {
		end()
		a.emit(Event{Type: Idle, Text: opSwitch, Err: err})
	}()
	s := a.Session()
	if err := a.beforeSwitch(ctx, extension.SwitchResume, path); err != nil {
		return err
	}
	next, err := session.Open(ctx, path, a.opt.SessionOptions...)
	if err != nil {
		return err
	}
	if err := a.take(next, false); err != nil {
		return err
	}
	a.host.Happened(ctx, extension.SessionSwitch{Reason: extension.SwitchResume, Previous: s.Path()})
	return nil
}

// start makes a session that nothing is in yet.
func (a *Agent) start(cwd, parent string) (*session.Session, error) {
	h := session.NewHeader(cwd)
	h.ParentSession = parent
	path := a.newPath(a.Session(), h)
	if path == "" {
		return session.NewMemory(h, a.opt.SessionOptions...), nil
	}
	return session.Create(path, h, a.opt.SessionOptions...)
}

// newPath is where a new session goes: a session in memory is followed by others in memory.
func (a *Agent) newPath(s *session.Session, h session.Header) string {
	switch {
	case s.Path() == "":
		return ""
	case a.opt.NewPath != nil:
		return a.opt.NewPath(h)
	}
	return session.NewPath(filepath.Dir(s.Path()), h)
}

// take makes a session the present one and closes the one before. keep says that the model and the level
// that were chosen still hold; without it the session's own do.
func (a *Agent) take(next *session.Session, keep bool) error {
	a.mu.Lock()
	old, work := a.session, a.work
	a.mu.Unlock()
	moves := next.Header().Cwd != old.Header().Cwd
	if moves {
		var err error
		if work, err = a.workspace(next.Header().Cwd); err != nil {
			_ = next.Close()
			return err
		}
	}
	a.mu.Lock()
	chosen, level := a.opt.Model, a.opt.Thinking
	a.session = next
	if !keep {
		a.opt.Model, a.opt.Thinking = "", ""
	}
	err := a.adopt()
	if err != nil {
		a.session, a.opt.Model, a.opt.Thinking = old, chosen, level
	} else {
		a.work, work = work, a.work
	}
	a.mu.Unlock()
	if moves {
		work.close() // the one that is not used
	}
	if err != nil {
		_ = next.Close()
		return err
	}
	a.emit(Event{Type: SessionChanged, Text: next.Path()})
	return old.Close()
}
