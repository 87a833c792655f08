package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// startExtensions starts those of extension.Register and those of the options, in this order.
func (a *Agent) startExtensions() {
	ui := a.opt.UI
	if ui == nil {
		ui = nobody{a}
	}
	var taken []string
	for _, t := range a.work.Tools {
		taken = append(taken, t.Name)
	}
	a.host = extension.Start(extension.HostOptions{
		Live: a, UI: ui, ToolNames: taken,
		Report: func(t extension.Trouble) {
			a.emit(Event{Type: ExtensionTrouble, Text: t.Error(), Extension: t.Extension, Err: t.Err})
		},
		Ready: func() { a.emit(Event{Type: ExtensionsReady}) },
	}, slices.Concat(extension.Registered(), a.opt.Extensions))
}

// Commands are the extensions' commands. There are none before ExtensionsReady.
func (a *Agent) Commands() []extension.CommandInfo { return a.host.Commands() }

// WaitExtensions waits until the extensions have started, which takes at most
// extension.StartTimeout and the time of their session_start handlers.
func (a *Agent) WaitExtensions(ctx context.Context) error { return a.host.Wait(ctx) }

// RunCommand runs an extension's command, beside whatever else runs, until it returns. Abort and the
// end of ctx cancel it.
func (a *Agent) RunCommand(ctx context.Context, name, args string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &operation{"/" + name, cancel, make(chan struct{})}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return ErrClosed
	}
	a.commands = append(a.commands, c)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.commands = slices.DeleteFunc(a.commands, func(x *operation) bool { return x == c })
		a.mu.Unlock()
		close(c.done)
	}()
	return a.host.RunCommand(ctx, name, args)
}

// Append appends an entry at the leaf for an extension, and tells the listeners.
func (a *Agent) Append(ctx context.Context, b session.Body) (session.Entry, error) {
	e, err := a.Session().Append(ctx, b)
	if err == nil {
		a.emit(Event{Type: Appended, Entry: e})
	}
	return e, err
}

// askCompaction asks the extensions about a compaction, and what its summary should heed.
func (a *Agent) askCompaction(ctx context.Context, p summary.PreparedCompaction, instructions string) (extension.CompactAnswer, extension.CompactingAnswer, error) {
	answer, err := a.host.BeforeCompact(ctx, extension.SessionBeforeCompact{
		Messages: p.Messages, TurnPrefix: p.TurnPrefix, PreviousSummary: p.Previous, FirstKeptEntryID: p.FirstKeptEntryID,
		TokensBefore: p.TokensBefore, ReadFiles: p.Files.Read, ModifiedFiles: p.Files.Modified, Instructions: instructions,
	})
	if err != nil || answer.Cancel || answer.Result != nil {
		return answer, extension.CompactingAnswer{}, err
	}
	more, err := a.host.Compacting(ctx, extension.SessionCompacting{Messages: slices.Concat(p.Messages, p.TurnPrefix)})
	return answer, more, err
}

// errRefused is what an operation returns that an extension cancelled, together with
// context.Canceled.
type errRefused struct{ what, reason string }

func (e errRefused) Error() string {
	if e.reason == "" {
		return "an extension cancelled " + e.what
	}
	return fmt.Sprintf("an extension cancelled %s: %s", e.what, e.reason)
}

func (e errRefused) Unwrap() error { return context.Canceled }

// beforeSwitch asks the extensions about a switch; an error stops it.
func (a *Agent) beforeSwitch(ctx context.Context, reason, path string) error {
	answer, err := a.host.BeforeSwitch(ctx, extension.SessionBeforeSwitch{Reason: reason, Target: path})
	if err == nil && answer.Cancel {
		err = errRefused{"leaving the session", answer.Reason}
	}
	return err
}

// nobody is the user's interface where there is none: notices become events.
type nobody struct{ a *Agent }

func (n nobody) Notify(_ context.Context, level extension.Level, text string) {
	n.a.emit(Event{Type: Notice, Text: text, Level: level})
}

func (nobody) Select(context.Context, string, []string) (int, bool, error) {
	return 0, false, extension.ErrNobody
}

func (nobody) Confirm(context.Context, string, string) (bool, error) {
	return false, extension.ErrNobody
}

func (nobody) Input(context.Context, string, string) (string, bool, error) {
	return "", false, extension.ErrNobody
}
