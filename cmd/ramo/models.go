package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/model"
)

type listedModel struct {
	Model         string  `json:"model"`
	Name          string  `json:"name"`
	ContextWindow int64   `json:"contextWindow"`
	Input         float64 `json:"inputPerMillion"`
	Output        float64 `json:"outputPerMillion"`
	Usable        bool    `json:"usable"`
	Needs         string  `json:"needs,omitempty"`
}

func newModels() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models that can be used",
		Long: `List the models whose provider has a key, or is a server named in the settings. --all lists the others too, with
what they need. Prices are US dollars for a million tokens.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSettings(cmd)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			n := 0
			for _, k := range registry(s).List() {
				if !k.Usable && !all {
					continue
				}
				n++
				if wantsJSON(cmd) {
					if err := printJSON(out, listedModel{k.Ref(), k.Name, k.ContextWindow, k.Price.Input, k.Price.Output, k.Usable, k.Need}); err != nil {
						return err
					}
					continue
				}
				needs := ""
				if !k.Usable {
					needs = "  needs " + k.Need
				}
				fmt.Fprintf(out, "%-50s %6s  %7.2f in %7.2f out%s\n", display.Line(k.Ref(), 200), display.Tokens(k.ContextWindow), k.Price.Input, k.Price.Output, out.style(faint, needs))
			}
			if n == 0 {
				if !wantsJSON(cmd) {
					fmt.Fprintln(out, wrap("None can be used. Put a key into ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or name a server of your own in the settings. For summaries alone there is "+model.ExtractName+".", out.columns()))
				}
				return out.flushed(answerNo{})
			}
			return out.flushed(nil)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also those that cannot be used yet")
	return cmd
}
