package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

func newContext() *cobra.Command {
	var leaf, format string
	cmd := &cobra.Command{
		Use:   "context SESSION",
		Short: "Print what a model would see at the leaf",
		Long: `Print the context at the leaf: the messages of the active path, with the latest compaction in place of what it
summarises. --format agent gives them as they are in the log, --format model as a provider gets them.`,
		Example:           "  ramo context -\n  ramo context - --leaf 5f27bef8 --format model --json",
		Args:              exactly(1),
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "agent" && format != "model" {
				return usage("--format is agent or model, not %q", format)
			}
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			at, none, err := leafOf(s, leaf)
			if err != nil {
				return err
			}
			c := &session.Context{ThinkingLevel: "off", Mode: "none"}
			if !none {
				if c, err = s.Context(at); err != nil {
					return err
				}
			}
			messages := c.Messages
			if format == "model" {
				dir, err := message.BlobDir()
				if err != nil {
					return err
				}
				resolved, missing := message.ResolveBlobs(messages, dir)
				for _, m := range missing {
					fmt.Fprintf(cmd.ErrOrStderr(), "ramo: %s\n", oneLine(m))
				}
				messages = message.ForModel(resolved)
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				return out.flushed(printContext(out, c, messages))
			}
			return out.flushed(showContext(out, c, messages))
		},
	}
	leafFlag(cmd, &leaf)
	cmd.Flags().StringVar(&format, "format", "agent", "agent or model")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"agent", "model"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// printContext writes the messages one by one, so that a context of any size needs no second copy.
func printContext(out *output, c *session.Context, messages []message.Message) error {
	fmt.Fprintf(out, `{"leaf":%s,"messages":[`, value(orNull(c.Leaf)))
	var buf []byte
	for i, m := range messages {
		if i > 0 {
			out.WriteByte(',')
		}
		buf = m.AppendJSON(buf[:0])
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	models, rules := c.Models, c.InjectedRules
	if models == nil {
		models = map[string]string{}
	}
	if rules == nil {
		rules = []string{}
	}
	fmt.Fprintf(out, `],"thinkingLevel":%s,"models":%s,"mode":%s`, value(c.ThinkingLevel), value(models), value(c.Mode))
	if c.ModeData != nil {
		fmt.Fprintf(out, `,"modeData":%s`, c.ModeData)
	}
	fmt.Fprintf(out, `,"injectedRules":%s}`+"\n", value(rules))
	return nil
}

func value(v any) string {
	var b strings.Builder
	_ = printJSON(&b, v) // strings and maps of strings
	return strings.TrimSuffix(b.String(), "\n")
}

func showContext(out *output, c *session.Context, messages []message.Message) error {
	state := "thinking " + c.ThinkingLevel
	if m := c.Models["default"]; m != "" {
		state = m + ", " + state
	}
	if c.Mode != "none" {
		state += ", mode " + c.Mode
	}
	fmt.Fprintln(out, out.style(faint, fmt.Sprintf("%d messages; %s", len(messages), display.Line(state, 0))))
	for _, m := range messages {
		fmt.Fprintf(out, "\n%s\n", out.style(bold+";"+roleColor(m.Role), display.Line(m.Role, 0)))
		text := m.Text()
		switch m.Role {
		case message.RoleBranchSummary, message.RoleCompactionSummary:
			text = m.Summary
		case message.RoleBashExecution, message.RolePythonExecution:
			text = "$ " + m.Command + m.Code + "\n" + m.Output
		}
		if text != "" {
			fmt.Fprintln(out, strings.TrimRight(display.Text(text), "\n"))
		}
		for _, call := range m.ToolCalls() {
			fmt.Fprintln(out, out.style(cyan, display.Line(display.Call(call), 0)))
		}
		if n := len(m.Images()); n > 0 {
			fmt.Fprintf(out, "(%d images)\n", n)
		}
		if m.ErrorMessage != "" {
			fmt.Fprintln(out, out.style(red, display.Text(m.ErrorMessage)))
		}
	}
	return nil
}

func roleColor(role string) string {
	switch role {
	case message.RoleUser:
		return green
	case message.RoleAssistant:
		return blue
	case message.RoleToolResult:
		return cyan
	}
	return magenta
}
