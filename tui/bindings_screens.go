package tui

var treeBindings = []binding{
	{"tree_up", inTree, []string{"up"}, "up"},
	{"tree_down", inTree, []string{"down"}, "down"},
	{"tree_choose", inTree, []string{"enter"}, "go there"},
	{"tree_close", inTree, []string{"esc"}, "clear the search, then close"},
}

var listBindings = []binding{
	{"list_up", inList, []string{"up"}, "up"},
	{"list_down", inList, []string{"down"}, "down"},
	{"list_choose", inList, []string{"enter"}, "choose"},
	{"list_close", inList, []string{"esc"}, "clear the search, then close"},
}

var dialogBindings = []binding{
	{"dialog_yes", inDialog, []string{"enter"}, "choose"},
	{"dialog_close", inDialog, []string{"esc"}, "leave it"},
}
