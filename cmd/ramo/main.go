// Ramo reads, checks, walks and grows the session trees of coding agents.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

// Exit codes (section 15 of the specification).
const (
	exitNo     = 1 // the answer is "no"
	exitUsage  = 2
	exitFailed = 3
)

func main() {
	ignoreSizeSignal()
	log.SetOutput(io.Discard) // Google's client logs there, over whatever the terminal shows
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not heed the first
	os.Exit(run(ctx, os.Args[1:]))
}

func run(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !began {
		err = usageError{err} // cobra refused the command line
	}
	if errors.Is(err, agent.ErrNoModel) {
		err = fmt.Errorf("%w; --model names it here, and model in the settings everywhere", err)
	}
	var no answerNo
	var use usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &no):
		return exitNo
	case errors.Is(err, syscall.EPIPE):
		return 0 // whoever read the output has seen enough
	case errors.As(err, &use):
		fmt.Fprintf(os.Stderr, "ramo: %s\n", oneLine(err))
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "ramo: interrupted")
		return exitFailed
	}
	fmt.Fprintf(os.Stderr, "ramo: %s\n", oneLine(err))
	return exitFailed
}

func oneLine(err error) string { return display.Line(strings.ReplaceAll(err.Error(), "\n", "; "), 0) }

// answerNo ends a command whose answer is "no": problems were found, nothing matched.
type answerNo struct{}

func (answerNo) Error() string { return "no" }

// usageError is a wrong use of a command.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false // the groups have their own order
	var app appFlags
	root := &cobra.Command{
		Use:   "ramo [SESSION]",
		Short: "Walk and grow the session trees of coding agents",
		Long: `Ramo keeps a coding agent's conversation as a tree in an append-only log, and lets you walk it. It opens
the sessions of pi and oh-my-pi too.

A SESSION is a path, an id or the start of one, or - for the one last used in this directory; 'ramo ls' lists
them. An ENTRY is an id, the unique start of one, or a label; 'ramo tree SESSION --ids' shows them.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		// A session alone opens the app, or without a terminal shows its tree.
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return nil
			case 1:
				// One that could be several, or a latest that is not there, is for tree to tell.
				if _, err := resolve(cmd.Context(), args[0]); err == nil || errors.Is(err, library.ErrAmbiguous) || args[0] == "-" {
					return nil
				}
			}
			return usage("there is no command %q: 'ramo --help' lists them", args[0])
		},
		ValidArgsFunction: completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON := wantsJSON(cmd); onTerminal() && !asJSON {
				return runApp(cmd, args, app)
			}
			if app != (appFlags{}) {
				return usage("the app needs a terminal: 'ramo tree' prints the tree")
			}
			if len(args) == 0 {
				return cmd.Help()
			}
			tree, _, err := cmd.Find([]string{"tree"})
			if err != nil {
				return err
			}
			tree.SetContext(cmd.Context())
			if err := tree.ParseFlags(nil); err != nil { // takes over the root's flags
				return err
			}
			return tree.RunE(tree, args)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w: see '%s --help'", err, cmd.CommandPath())
	})
	root.SetVersionTemplate("ramo {{.Version}}\n")
	root.PersistentFlags().Bool("json", false, "print the machine form, and nothing else, on standard output")
	app.register(root)
	root.AddGroup(groups...)
	addGroup(root, "look", newLs(), newSearch(), newInfo(), newTree(), newLog(), newShow(), newContext(), newStats())
	addGroup(root, "grow", newNav(), newLabel(), newAppend())
	addGroup(root, "file", newNew(), newBranch(), newFork(), newExport(), newImport(), newDoctor())
	addGroup(root, "keep", newRename(), newMv(), newRm(), newPrune())
	addGroup(root, "live", newPrompt(), newCompact(), newModels(), newConfig(), newRPC())
	root.SetHelpFunc(printHelp)
	return root
}

// exactly is cobra.ExactArgs with an error that tells what is missing.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("usage: %s", cmd.UseLine())
		}
		return nil
	}
}
