package tui

var chatBindings = []binding{
	{"quit", inChat, []string{"ctrl+c"}, "quit"},
	{"stop", inChat, []string{"esc"}, "stop the answer"},
	{"tree", inChat, []string{"ctrl+t"}, "open the tree"},
}

var editorBindings = []binding{
	{"send", inEditor, []string{"enter"}, "send"},
}
