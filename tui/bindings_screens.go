package tui

var treeBindings = []binding{
	{"tree_up", inTree, []string{"up"}, "up"},
	{"tree_down", inTree, []string{"down"}, "down"},
	{"tree_page_up", inTree, []string{"left", "pgup"}, "a page up"},
	{"tree_page_down", inTree, []string{"right", "pgdown"}, "a page down"},
	{"tree_home", inTree, []string{"home"}, "to the first"},
	{"tree_end", inTree, []string{"end"}, "to the last"},
	{"tree_choose", inTree, []string{"enter"}, "go there"},
	{"tree_branch", inTree, []string{"ctrl+b"}, "start a new session from a request"},
	{"tree_close", inTree, []string{"esc"}, "clear the search, then close"},
	{"tree_quit", inTree, []string{"ctrl+c"}, "close"},
	{"tree_erase", inTree, []string{"backspace"}, "take back a letter of the search"},
	{"tree_erase_all", inTree, []string{"ctrl+u"}, "clear the search"},
	{"tree_label", inTree, []string{"L", "shift+l"}, "edit the label; empty removes it"},
	{"tree_next_filter", inTree, []string{"ctrl+o"}, "next filter"},
	{"tree_previous_filter", inTree, []string{"ctrl+shift+o", "alt+o"}, "previous filter"},
	{"tree_filter_default", inTree, []string{"alt+d"}, "filter: default"},
	{"tree_filter_no_tools", inTree, []string{"alt+t"}, "filter: no tools"},
	{"tree_filter_user", inTree, []string{"alt+u"}, "filter: user only"},
	{"tree_filter_labeled", inTree, []string{"alt+l"}, "filter: labeled only"},
	{"tree_filter_all", inTree, []string{"alt+a"}, "filter: all"},
	{"tree_fold", inTree, []string{"ctrl+left"}, "fold the branch"},
	{"tree_unfold", inTree, []string{"ctrl+right"}, "unfold the branch"},
	{"tree_previous_point", inTree, []string{"ctrl+up"}, "to the branch point above"},
	{"tree_next_point", inTree, []string{"ctrl+down"}, "to the branch point below"},
	{"tree_preview", inTree, []string{"ctrl+p"}, "show or hide the preview"},
}

var listBindings = []binding{
	{"list_up", inList, []string{"up"}, "up"},
	{"list_down", inList, []string{"down"}, "down"},
	{"list_page_up", inList, []string{"pgup"}, "a page up"},
	{"list_page_down", inList, []string{"pgdown"}, "a page down"},
	{"list_home", inList, []string{"home"}, "to the first"},
	{"list_end", inList, []string{"end"}, "to the last"},
	{"list_choose", inList, []string{"enter"}, "choose"},
	{"list_close", inList, []string{"esc"}, "clear the search, then close"},
	{"list_quit", inList, []string{"ctrl+c"}, "close"},
	{"list_erase", inList, []string{"backspace"}, "take back a letter of the search"},
	{"list_erase_all", inList, []string{"ctrl+u"}, "clear the search"},
	{"list_scope", inList, []string{"tab"}, "sessions: of this directory, or all"},
	{"list_rename", inList, []string{"ctrl+r"}, "sessions: rename"},
	{"list_delete", inList, []string{"ctrl+d"}, "sessions: to the trash"},
}

var dialogBindings = []binding{
	{"dialog_up", inDialog, []string{"up"}, "up"},
	{"dialog_down", inDialog, []string{"down", "tab"}, "down"},
	{"dialog_choose", inDialog, []string{"enter"}, "choose"},
	{"dialog_close", inDialog, []string{"esc", "ctrl+c"}, "leave it"},
}
