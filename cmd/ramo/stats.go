package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
)

type spentJSON struct {
	Sessions   int64   `json:"sessions"`
	Messages   int64   `json:"messages"`
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cacheRead"`
	CacheWrite int64   `json:"cacheWrite"`
	Cost       float64 `json:"cost"`
}

type dayJSON struct {
	Day string `json:"day"`
	spentJSON
}

type modelJSON struct {
	Model string `json:"model"`
	spentJSON
}

type directoryJSON struct {
	Directory string `json:"directory"`
	spentJSON
}

type statsJSON struct {
	spentJSON
	Days        []dayJSON       `json:"days"`
	Models      []modelJSON     `json:"models"`
	Directories []directoryJSON `json:"directories"`
}

func newStats() *cobra.Command {
	var since string
	var here bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count sessions, messages, tokens and cost by day, model and directory",
		Long: `Count what was said and spent in all sessions: messages, tokens and their cost by day, by model and by directory.
What a fork copied counts once. Costs are those that the sessions say, in US dollars.`,
		Example: "  ramo stats\n  ramo stats --since 2w --here\n  ramo stats --json | jq '.models[] | [.model, .cost]'",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var o library.StatsOptions
			var err error
			if since != "" {
				if o.Since, err = library.ParseTime(since, time.Now()); err != nil {
					return usage("--since %w", err)
				}
			}
			if here {
				if o.Dir, err = os.Getwd(); err != nil {
					return err
				}
			}
			index, err := library.OpenIndex("")
			if err != nil {
				return err
			}
			defer index.Close()
			if err := updateIndex(cmd, index); err != nil {
				return err
			}
			stats, err := index.Stats(cmd.Context(), o)
			if err != nil {
				return err
			}
			out := newOutput(cmd)
			if wantsJSON(cmd) {
				err = printJSON(out, statsJSONOf(stats))
			} else {
				printStats(out, stats)
			}
			if err == nil && stats.Total.Messages == 0 {
				err = answerNo{}
			}
			return out.flushed(err)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only from this `time` on: 2026-03-09, yesterday, 12h, 7d, 2w, 3m, 1y")
	cmd.Flags().BoolVarP(&here, "here", "C", false, "only of sessions about this directory")
	return cmd
}

func statsJSONOf(s library.Stats) statsJSON {
	spent := func(s library.Spent) spentJSON {
		return spentJSON{s.Sessions, s.Messages, s.Input, s.Output, s.CacheRead, s.CacheWrite, s.Cost}
	}
	j := statsJSON{spent(s.Total), []dayJSON{}, []modelJSON{}, []directoryJSON{}}
	for _, d := range s.Days {
		j.Days = append(j.Days, dayJSON{d.On.Format(time.DateOnly), spent(d.Spent)})
	}
	for _, m := range s.Models {
		j.Models = append(j.Models, modelJSON{m.On, spent(m.Spent)})
	}
	for _, d := range s.Dirs {
		j.Directories = append(j.Directories, directoryJSON{d.On, spent(d.Spent)})
	}
	return j
}

// statsRow is a line of a table.
type statsRow struct {
	name string
	library.Spent
}

// statsRows is how many lines of a table are for eyes; --json has all.
const statsRows = 14

func printStats(out *output, s library.Stats) {
	if s.Total.Messages == 0 {
		fmt.Fprintln(out, "Nothing was said.")
		return
	}
	fmt.Fprintln(out, out.style(bold, fmt.Sprintf("%s, %s, %s tokens, %s", counted(s.Total.Sessions, "session"), counted(s.Total.Messages, "message"),
		display.Tokens(s.Total.Tokens()), dollars(s.Total.Cost))))
	printDaily(out, s.Days)
	var days []statsRow
	for _, d := range s.Days[max(0, len(s.Days)-statsRows):] {
		days = append(days, statsRow{d.On.Format("2006-01-02 Mon"), d.Spent})
	}
	printStatsTable(out, "day", days, len(s.Days)-len(days), "earlier days")
	named := func(list []library.SpentOn[string]) (rows []statsRow) {
		for _, l := range list[:min(len(list), statsRows)] {
			rows = append(rows, statsRow{display.Line(l.On, 200), l.Spent})
		}
		return rows
	}
	printStatsTable(out, "model", named(s.Models), len(s.Models)-statsRows, "more models")
	printStatsTable(out, "directory", named(s.Dirs), len(s.Dirs)-statsRows, "more directories")
}

// counted is a number of things.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func dollars(d float64) string { return fmt.Sprintf("$%.2f", d) }

func printStatsTable(out *output, title string, rows []statsRow, left int, rest string) {
	if len(rows) == 0 {
		return
	}
	const figures = 9 + 9 + 8 + 10 // the columns behind the name
	const leastBar, mostBar = 8, 24
	name := len(title)
	most := int64(0)
	for _, r := range rows {
		name = max(name, ansi.StringWidth(r.name))
		most = max(most, r.Tokens())
	}
	name = max(min(name, out.columns()-figures-2-leastBar), 14)
	bar := min(out.columns()-name-figures-2, mostBar)
	fmt.Fprintln(out)
	fmt.Fprintln(out, out.style(faint, fmt.Sprintf("%-*s%9s%9s%8s%10s", name, title, "sessions", "messages", "tokens", "cost")))
	for _, r := range rows {
		shown := cutStart(r.name, name)
		shown += strings.Repeat(" ", max(0, name-ansi.StringWidth(shown)))
		line := fmt.Sprintf("%s%9d%9d%8s%10s", shown, r.Sessions, r.Messages, display.Tokens(r.Tokens()), dollars(r.Cost))
		if bar >= leastBar {
			line += "  " + out.style(cyan, bars(r.Tokens(), most, bar))
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	if left > 0 {
		fmt.Fprintln(out, out.style(faint, fmt.Sprintf("and %d %s", left, rest)))
	}
}

// cutStart shortens a name to a width and keeps its end, which tells directories apart.
func cutStart(name string, width int) string {
	if over := ansi.StringWidth(name) - width; over > 0 {
		return "…" + ansi.TruncateLeft(name, over+1, "")
	}
	return name
}

// bars is a bar as long, of a width in cells, as n is of most; any n above 0 shows.
func bars(n, most int64, width int) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	parts := []rune(" ▏▎▍▌▋▊▉")
	eighths := max(1, int(float64(n)/float64(most)*float64(width)*8+0.5))
	s := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		s += string(parts[eighths%8])
	}
	return s
}

// printDaily plots the tokens of the last days, one cell a day, with those on which nothing happened.
func printDaily(out *output, days []library.SpentOn[time.Time]) {
	if len(days) < 2 {
		return
	}
	last := days[len(days)-1].On
	cells := min(out.columns()-40, 60)
	var tokens []int64
	first := last
	for day := last; len(tokens) < cells && !day.Before(days[0].On); day = day.AddDate(0, 0, -1) {
		n := int64(0)
		if i, ok := slices.BinarySearchFunc(days, day, func(d library.SpentOn[time.Time], day time.Time) int { return d.On.Compare(day) }); ok {
			n = days[i].Tokens()
		}
		tokens = append(tokens, n)
		first = day
	}
	if len(tokens) < 2 {
		return
	}
	slices.Reverse(tokens)
	fmt.Fprintf(out, "\ntokens a day  %s %s %s\n", out.style(faint, first.Format(time.DateOnly)), out.style(cyan, sparkline(tokens)), out.style(faint, last.Format(time.DateOnly)))
}

// sparkline draws numbers as columns of one cell; 0 is a dot.
func sparkline(numbers []int64) string {
	columns := []rune("▁▂▃▄▅▆▇█")
	most := slices.Max(numbers)
	var b strings.Builder
	for _, n := range numbers {
		if n <= 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune(columns[min(int(float64(n)/float64(most)*float64(len(columns))), len(columns)-1)])
	}
	return b.String()
}
