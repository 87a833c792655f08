package main

import (
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/session"
)

func newShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show SESSION ENTRY",
		Short:             "Print one entry, raw",
		Long:              "Print one entry as it stands in the file. The bytes are those of the file, so --json changes nothing.",
		Example:           "  ramo show - 5f27bef8 | jq .",
		Args:              exactly(2),
		ValidArgsFunction: completeSessionEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			e, err := findEntry(s, args[1])
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			return out.flushed(printRaw(out, e))
		},
	}
}

// printRaw prints an entry's bytes. On a terminal, control characters that JSON allows raw (DEL and
// C1) and bidirectional overrides would act on it, so there they are shown as escapes.
func printRaw(out *output, e session.Entry) error {
	raw, err := e.Raw()
	if err != nil {
		return err
	}
	if out.width > 0 {
		raw = escapeHostile(raw)
	}
	if _, err := out.Write(raw); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
