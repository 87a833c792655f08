package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/rpc"
)

func newRPC() *cobra.Command {
	return &cobra.Command{
		Use:   "rpc",
		Short: "Serve a live session over JSON-RPC on standard input and output",
		Long: `Serve one client over JSON-RPC 2.0, one message a line, on standard input and output: for editors, and programs in
other languages. docs/rpc.md lists the messages.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(cmd)
			if err != nil {
				return err
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			return (&rpc.Server{Options: liveOptions(settings, dir)}).Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
