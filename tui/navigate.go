package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

func oneLine(text string) string { return display.Line(text, 2000) }

// choose goes to an entry that was chosen in the tree. When that abandons something, the setting
// branch_summary says whether to ask for a summary, to make one, or not.
func (a *app) choose(target string, tree screen) tea.Cmd {
	s := a.session
	leaf, _ := s.Leaf()
	if leaf.ID() == target && target != "" {
		a.pop(tree)
		return a.say("Already at this point")
	}
	mode := a.opt.Settings.BranchSummary
	if mode == "never" {
		return a.navigate(target, agent.NavigateOptions{}, tree)
	}
	return a.do("looking at what is left", func(ctx context.Context) func() tea.Cmd {
		_, left, err := summary.Collect(s, leaf.ID(), target)
		return func() tea.Cmd {
			hasModel := a.status.hasModel || a.opt.Settings.SummaryModel != ""
			switch {
			case err != nil:
				return a.complain(err)
			case !abandons(left):
				return a.navigate(target, agent.NavigateOptions{}, tree)
			case mode == "always" && hasModel:
				return a.navigate(target, agent.NavigateOptions{Summarize: true}, tree)
			}
			return a.askForSummary(target, tree, hasModel)
		}
	})
}

// abandons tells whether anything of a conversation is left behind.
func abandons(left []session.Entry) bool {
	for _, e := range left {
		if kindOf(e) == proseBlock || kindOf(e) == toolBlock {
			return true
		}
	}
	return false
}

// askForSummary asks how to leave the branch (section 12).
func (a *app) askForSummary(target string, tree screen, hasModel bool) tea.Cmd {
	const title = "You leave a branch. Take a summary of it along?"
	if !hasModel {
		return a.push(newChoice(a, title, []string{"No summary", "Extract"}, func(i int) tea.Cmd {
			o := agent.NavigateOptions{}
			if i == 1 {
				o = agent.NavigateOptions{Summarize: true, SummaryModel: model.ExtractName}
			}
			return a.navigate(target, o, tree)
		}))
	}
	return a.push(newChoice(a, title, []string{"No summary", "Summarize", "Summarize with instructions"}, func(i int) tea.Cmd {
		switch i {
		case 0:
			return a.navigate(target, agent.NavigateOptions{}, tree)
		case 1:
			return a.navigate(target, agent.NavigateOptions{Summarize: true}, tree)
		}
		return a.push(newInput(a, "What should the summary say?", "", func(text string) tea.Cmd {
			return a.navigate(target, agent.NavigateOptions{Summarize: true, Instructions: text}, tree)
		}))
	}))
}

// navigate moves within the session and takes the tree away; when the move is cancelled, the tree is
// where one is again.
func (a *app) navigate(target string, o agent.NavigateOptions, tree screen) tea.Cmd {
	ag := a.agent
	var wait screen
	var show tea.Cmd
	if o.Summarize {
		wait = newWaiting(a, "Summarizing the branch that you leave")
		show = a.push(wait)
	}
	return tea.Batch(show, a.do("the move", func(ctx context.Context) func() tea.Cmd {
		n, err := ag.NavigateTree(ctx, target, o)
		return func() tea.Cmd {
			if wait != nil {
				a.pop(wait)
			}
			switch {
			case err != nil:
				return a.complain(err)
			case n.Cancelled:
				if n.Reason != "" {
					return a.complain(errors.New("the move was refused: " + n.Reason))
				}
				if tree == nil {
					return a.say("Cancelled")
				}
				return nil
			}
			if tree != nil {
				a.pop(tree)
			}
			if n.AlreadyThere {
				return a.say("Already at this point")
			}
			a.restore(n.EditorText, n.Again)
			return a.showPath(true)
		}
	}))
}

// restore puts a request back into the editor, if that is empty.
func (a *app) restore(text string, again bool) {
	if again && a.editor.empty() {
		a.editor.set(text)
	}
}

// hop goes to the branch beside the one that is shown. Nothing is left behind for good, so nothing is
// asked, and what is before the branch point stays where it is on the screen.
func (a *app) hop(by int) tea.Cmd {
	point := a.frame.branch
	if point.count < 2 {
		return a.say("No other branch leaves here")
	}
	ag, s := a.agent, a.session
	return a.do("the move", func(ctx context.Context) func() tea.Cmd {
		tip, ok := siblingTip(s, point, by)
		if !ok {
			return func() tea.Cmd { return a.say("No other branch leaves here") }
		}
		n, err := ag.NavigateTree(ctx, tip.ID(), agent.NavigateOptions{})
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.complain(err)
			case n.Cancelled:
				return a.say("Cancelled %s", n.Reason)
			}
			a.restore(n.EditorText, n.Again)
			return a.showPath(false)
		}
	})
}

// branch starts a new session from before a request and goes on there.
func (a *app) branch(id string) tea.Cmd {
	ag := a.agent
	return a.do("the branch", func(ctx context.Context) func() tea.Cmd {
		b, err := ag.Branch(ctx, id)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.complain(err)
			case b.Cancelled:
				return a.complain(errors.New("the branch was refused: " + orElse(b.Reason, "by an extension")))
			}
			a.restore(b.EditorText, true)
			return tea.Batch(a.say("A new session: %s", short(b.Path, a.opt.Dir)), a.showPath(true))
		}
	})
}
