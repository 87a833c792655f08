package tui

import (
	tea "charm.land/bubbletea/v2"
)

// A screen is what lies over the conversation: the tree selector, a list to choose from, a question.
// The app sends messages to the topmost screen and draws it; a screen that is done is taken away.
//
// A screen does no I/O and nothing slow in update and render: what takes time is a command that it
// returns, and the command's message comes back to it.
type screen interface {
	// init is called once, when the screen is put up, with the size that render will have.
	init(width, height int) tea.Cmd
	// update takes keys, mouse events (relative to the screen's own top left corner) and the messages
	// of its own commands. Messages that are not its own it ignores.
	update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// render draws height lines, each of at most width cells. The cursor, if there is one, is relative to
	// the top left corner.
	render(width, height int) (lines []string, cursor *tea.Cursor)
	// context is the name of the group of key bindings in use, for help and the hint line.
	context() keyContext
}
