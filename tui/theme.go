package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"

	"github.com/ramo-dev/ramo/tui/treeview"
)

// theme are the styles of the app. The colours are the terminal's own sixteen, so that they go with
// whatever palette the user has; where a terminal has none, bold, faint and reverse are left.
type theme struct {
	dark bool

	text, faint, strong, err, warn, good lipgloss.Style
	accent                               lipgloss.Style // what stands out: the active path, the cursor
	selected                             lipgloss.Style // a chosen line of a list
	status                               lipgloss.Style // the status line
	user, assistant, thinking            lipgloss.Style
	tool, summary, custom, label         lipgloss.Style
	added, removed                       lipgloss.Style // lines of a diff
	border                               lipgloss.Style
}

// newTheme is the theme for a dark or a light background.
func newTheme(dark bool) *theme {
	pick := lipgloss.LightDark(dark)
	fg := func(light, dark color.Color) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(light, dark))
	}
	plain := lipgloss.NewStyle()
	t := &theme{
		dark:      dark,
		text:      plain,
		faint:     fg(lipgloss.BrightBlack, lipgloss.BrightBlack),
		strong:    plain.Bold(true),
		err:       fg(lipgloss.Red, lipgloss.BrightRed),
		warn:      fg(lipgloss.Yellow, lipgloss.Yellow),
		good:      fg(lipgloss.Green, lipgloss.Green),
		accent:    fg(lipgloss.Blue, lipgloss.Cyan),
		selected:  plain.Reverse(true),
		status:    fg(lipgloss.BrightBlack, lipgloss.BrightBlack),
		user:      fg(lipgloss.Blue, lipgloss.Cyan).Bold(true),
		assistant: plain,
		thinking:  fg(lipgloss.BrightBlack, lipgloss.BrightBlack).Italic(true),
		tool:      fg(lipgloss.Magenta, lipgloss.Magenta),
		summary:   fg(lipgloss.Yellow, lipgloss.Yellow),
		custom:    fg(lipgloss.Magenta, lipgloss.Magenta),
		label:     fg(lipgloss.Green, lipgloss.Green),
		added:     fg(lipgloss.Green, lipgloss.Green),
		removed:   fg(lipgloss.Red, lipgloss.Red),
		border:    fg(lipgloss.BrightBlack, lipgloss.BrightBlack),
	}
	return t
}

// segment is the style of a piece of the tree selector's lines.
func (t *theme) segment(k treeview.Kind) lipgloss.Style {
	switch k {
	case treeview.KindCursor, treeview.KindActive:
		return t.accent
	case treeview.KindGutter, treeview.KindFold, treeview.KindBookkeeping:
		return t.faint
	case treeview.KindLabel:
		return t.label
	case treeview.KindUser:
		return t.user
	case treeview.KindError:
		return t.err
	case treeview.KindTool:
		return t.tool
	case treeview.KindSummary:
		return t.summary
	case treeview.KindCustom:
		return t.custom
	}
	return t.text
}
