package tui

var chatBindings = []binding{
	{"stop", inChat, []string{"esc"}, "stop what is running; twice: the tree"},
	{"clear", inChat, []string{"ctrl+c"}, "clear the editor, stop, or quit"},
	{"quit", inChat, []string{"ctrl+d"}, "quit, when the editor is empty"},
	{"page_up", inChat, []string{"pgup"}, "scroll up"},
	{"page_down", inChat, []string{"pgdown"}, "scroll down"},
	{"line_up", inChat, []string{"ctrl+up"}, "scroll up by a line"},
	{"line_down", inChat, []string{"ctrl+down"}, "scroll down by a line"},
	{"top", inChat, []string{"ctrl+home"}, "go to the beginning"},
	{"bottom", inChat, []string{"ctrl+end"}, "go to the end"},
	{"previous_request", inChat, []string{"alt+up"}, "go to the request before"},
	{"next_request", inChat, []string{"alt+down"}, "go to the next request"},
	{"next_branch", inChat, []string{"alt+n"}, "hop to the next branch at the last branch point"},
	{"previous_branch", inChat, []string{"alt+p"}, "hop to the branch before"},
	{"elsewhere", inChat, []string{"alt+g"}, "go to where the branch grew elsewhere"},
	{"unfold", inChat, []string{"ctrl+o"}, "show thinking and results in full, or folded"},
	{"tree", inChat, []string{"ctrl+t"}, "the tree of the session"},
	{"resume", inChat, []string{"ctrl+r"}, "another session"},
	{"model", inChat, []string{"alt+m"}, "another model"},
	{"thinking", inChat, []string{"shift+tab"}, "the next thinking level"},
	{"help", inChat, []string{"f1"}, "all keys and commands"},
}

var editorBindings = []binding{
	{"send", inEditor, []string{"enter"}, "send"},
	{"newline", inEditor, []string{"shift+enter", "alt+enter", "ctrl+j"}, "new line"},
	{"complete", inEditor, []string{"tab"}, "complete a /command, an @file or a label"},
	{"history_back", inEditor, []string{"up"}, "on the first line: the request before"},
	{"history_forward", inEditor, []string{"down"}, "on the last line: the request after"},
	{"external_editor", inEditor, []string{"ctrl+g"}, "edit with $EDITOR"},
}
