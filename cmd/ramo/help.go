package main

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// The groups that the help lists commands in, in this order.
var groups = []*cobra.Group{
	{ID: "look", Title: "Look:"},
	{ID: "grow", Title: "Move and grow:"},
	{ID: "file", Title: "Make and mend files:"},
	{ID: "keep", Title: "Keep order:"},
	{ID: "live", Title: "Ask a model:"},
}

// addGroup adds commands in the order in which they are listed.
func addGroup(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}

// printHelp is cobra's help, wrapped at words to the terminal's width, and to no more than is easily
// read.
func printHelp(cmd *cobra.Command, _ []string) {
	out := newOutput(cmd)
	width := min(out.columns(), 100)
	text := fill(cmp.Or(cmd.Long, cmd.Short), width) + "\n\n" + hang(cmd.UsageString(), width)
	_, _ = out.WriteString(text)
	_ = out.Flush() // cobra has no way to tell
}

// fill wraps paragraphs. One with an indented line in it is an example, and stays.
func fill(text string, width int) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		if !strings.HasPrefix(p, "\t") && !strings.HasPrefix(p, " ") && !strings.Contains(p, "\n\t") && !strings.Contains(p, "\n ") {
			paragraphs[i] = wrap(strings.Join(strings.Fields(p), " "), width)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// wrap breaks lines between words only: a flag is one word.
func wrap(text string, width int) string {
	const noBreak = "\u2011" // a hyphen at which no line is broken
	return strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(text, "-", noBreak), width, ""), noBreak, "-")
}

// described is the line of a command or flag, up to where its description begins.
var described = regexp.MustCompile(`^ +\S+( \S+)*  +`)

// hang wraps the descriptions of commands and flags, each below its own start. Other lines are to be
// typed, and stay.
func hang(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name := described.FindString(line)
		if name == "" || ansi.StringWidth(line) <= width {
			continue
		}
		room := max(width-len(name), 20)
		below := "\n" + strings.Repeat(" ", len(name))
		lines[i] = name + strings.ReplaceAll(wrap(line[len(name):], room), "\n", below)
	}
	return strings.Join(lines, "\n")
}
