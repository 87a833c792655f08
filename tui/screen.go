package tui

import (
	tea "charm.land/bubbletea/v2"
)

// A screen is what lies over the conversation: the tree selector, a list to choose from, a question.
// Keys, the mouse and pastes go to the topmost screen; the messages of its own commands come back to it
// wherever it is (see to). A screen that is done is taken away.
//
// A screen does no I/O and nothing slow in update and render: what takes time is work of a queue.
type screen interface {
	// init is called once, when the screen is put up.
	init() tea.Cmd
	// update takes keys, mouse events (relative to the screen's own top left corner), a
	// tea.WindowSizeMsg with the size that render will have, changedMsg, and the messages of its own
	// commands.
	update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// rows is how many rows at the bottom of a terminal of a size it covers.
	rows(width, height int) int
	// render draws height lines, each of at most width cells. The cursor, if there is one, is relative to
	// the top left corner.
	render(width, height int) (lines []string, cursor *tea.Cursor)
	// context is the name of the group of key bindings in use.
	context() keyContext
}

// screenMsg is a message for one screen.
type screenMsg struct {
	to  screen
	msg tea.Msg
}

// changedMsg tells the screens that the session has other entries, labels or another leaf.
type changedMsg struct{}
