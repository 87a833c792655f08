package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

type trashed struct {
	Path    string `json:"path"`
	Trashed string `json:"trashed"` // where it is now
}

func newRm() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Put sessions into the trash",
		Long: `Put sessions into the desktop's trash, with the folder of artifacts that omp keeps beside each. They can be taken
back from there. It asks first, unless --yes is given.`,
		Example: "  ramo rm 019cd1de\n  ramo rm --yes old.jsonl older.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			var items []library.Item
			for _, arg := range args {
				path, err := resolve(cmd.Context(), arg)
				if err != nil {
					return err
				}
				i, err := library.Read(path)
				if err != nil {
					i = library.Item{Path: path} // what is wrong with it, Trash knows
				}
				items = append(items, i)
			}
			return trashAll(cmd, items, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// trashAll puts sessions into the trash, after asking. It ends with the first that cannot be.
func trashAll(cmd *cobra.Command, items []library.Item, yes bool) error {
	if !yes {
		if err := canAsk(); err != nil {
			return err
		}
		for _, i := range items {
			fmt.Fprintln(os.Stderr, sessionLine(i))
		}
		question := "Put it into the trash?"
		if len(items) > 1 {
			question = fmt.Sprintf("Put these %d sessions into the trash?", len(items))
		}
		if agreed, err := ask(cmd.Context(), question); err != nil || !agreed {
			return orNo(err)
		}
	}
	out := newOutput(cmd)
	for _, i := range items {
		to, err := library.Trash(cmd.Context(), i.Path)
		if err == nil {
			if wantsJSON(cmd) {
				err = printJSON(out, trashed{i.Path, to})
			} else {
				_, err = fmt.Fprintf(out, "%s is in the trash: %s\n", display.Line(i.Path, 0), display.Line(to, 0))
			}
		}
		if err != nil {
			return out.flushed(err)
		}
	}
	return out.flushed(nil)
}

// sessionLine tells a person which session is meant.
func sessionLine(i library.Item) string {
	line := display.Line(i.Path, 0)
	if !i.Modified.IsZero() {
		line = fmt.Sprintf("%-13s  %s  %9s  %s", shortID(i.ID), i.Modified.Local().Format("2006-01-02 15:04"), display.Bytes(i.Bytes), display.Cut(display.Line(i.Title(), 400), 60))
	}
	return line
}

// canAsk tells whether there is someone to ask.
func canAsk() error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return usage("there is no terminal to ask on: say --yes to go ahead")
	}
	return nil
}

// ask asks on the terminal. Only a yes is one.
func ask(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(os.Stderr, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // a read from a terminal cannot be cancelled; the process ends with it
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case a := <-answer:
		return a == "y" || a == "yes", nil
	}
}

// orNo is how a command ends when the person said no.
func orNo(err error) error {
	if err == nil {
		return answerNo{}
	}
	return err
}
