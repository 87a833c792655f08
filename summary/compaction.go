package summary

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Settings say when to compact and how much to keep. All numbers are tokens.
type Settings struct {
	Enabled          bool  // compact by itself
	ReserveTokens    int64 // of the context window, to keep free for the answer
	KeepRecentTokens int64 // about how much of the newest messages to keep as they are
	InputTokens      int64 // that the summariser may be given at once; 0: no limit
}

// DefaultSettings keep 16 384 tokens free and about 20 000 tokens of messages.
func DefaultSettings() Settings {
	return Settings{Enabled: true, ReserveTokens: 16_384, KeepRecentTokens: 20_000}
}

// For fits the settings to a model's context window, in tokens (0: not known), which may be smaller
// than they suppose: of a small window half is reserve, and half of the rest is kept. The window is
// that of the model that goes on with the conversation; if another one writes the summary, set
// InputTokens to the Budget of its window.
func (s Settings) For(window int64) Settings {
	s.InputTokens = Budget(window, s.ReserveTokens)
	if window > 0 {
		s.ReserveTokens = min(s.ReserveTokens, window/2)
		s.KeepRecentTokens = min(s.KeepRecentTokens, (window-s.ReserveTokens)/2)
	}
	return s
}

// ShouldCompact tells whether a context has passed the threshold: the window without the reserve, or
// half the window if that is more. Of a window that is not known (0) it is never full.
func ShouldCompact(contextTokens, window int64, s Settings) bool {
	return s.Enabled && window > 0 && contextTokens > max(window-s.ReserveTokens, window/2)
}

// PreparedCompaction is what a compaction takes out of the context, and what stays.
type PreparedCompaction struct {
	Messages         []message.Message // to summarise: whole turns
	TurnPrefix       []message.Message // the start of the turn that the cut goes through, if it does
	Previous         string            // the earlier compaction's summary, without its list of files
	FirstKeptEntryID string
	Kept             int   // messages that stay
	TokensBefore     int64 // of the context
	Files            Files // of what is taken out, and of earlier built-in compactions

	settings        Settings
	previousDetails json.RawMessage // of an earlier built-in compaction
}

// PrepareCompaction finds what to compact in the context at an entry, or with "" at the leaf. It
// starts from the context that a model has there, so that what an earlier compaction kept takes part,
// and what a reset boundary hides does not. The errors are ErrNothingToCompact, ErrAlreadyCompacted
// and session.ErrNotFound.
func PrepareCompaction(s *session.Session, leaf string, set Settings) (PreparedCompaction, error) {
	c, err := s.Context(leaf)
	if err != nil {
		return PreparedCompaction{}, err
	}
	p := PreparedCompaction{TokensBefore: ContextTokens(c), settings: set}
	files := fileSet{}
	msgs, entries := c.Messages, c.Entries
	if len(entries) > 0 && entries[0].Type() == session.TypeCompaction {
		if isLastWord(s, c.Leaf) {
			return PreparedCompaction{}, ErrAlreadyCompacted
		}
		body, err := entries[0].Body()
		if err != nil {
			return PreparedCompaction{}, err
		}
		previous := body.(session.Compaction)
		p.Previous = previous.Summary
		if !previous.FromExtension {
			earlier := fileSet{}
			earlier.details(previous.Details)
			p.Previous = strings.TrimSuffix(p.Previous, earlier.files().section())
			p.previousDetails = previous.Details
			files.details(previous.Details)
		}
		msgs, entries = msgs[1:], entries[1:]
	}
	if len(msgs) == 0 {
		return PreparedCompaction{}, fmt.Errorf("%w: the context is empty", ErrNothingToCompact)
	}
	cut := findCut(msgs, set.KeepRecentTokens, nameable(entries))
	if cut.First == 0 {
		if n := EstimateTokens(msgs...); n <= set.KeepRecentTokens {
			return PreparedCompaction{}, fmt.Errorf("%w: the messages are about %d tokens, and up to %d are kept as they are", ErrNothingToCompact, n, set.KeepRecentTokens)
		}
		return PreparedCompaction{}, fmt.Errorf("%w: the context is one single step, which cannot be cut", ErrNothingToCompact)
	}
	if !slices.ContainsFunc(msgs[:cut.First], func(m message.Message) bool { return piece(m, maxPiece) != "" }) {
		return PreparedCompaction{}, fmt.Errorf("%w: no model is shown what could be taken out", ErrNothingToCompact)
	}
	for _, e := range entries[:cut.First] {
		body, err := e.Body()
		if err != nil {
			return PreparedCompaction{}, err
		}
		files.add(body)
	}
	p.Messages, p.TurnPrefix = msgs[:cut.Turn], msgs[cut.Turn:cut.First]
	p.FirstKeptEntryID = entries[cut.First].ID()
	p.Kept = len(msgs) - cut.First
	p.Files = files.files()
	return p, nil
}

// isLastWord tells whether the last that was said on the way to leaf is a compaction.
func isLastWord(s *session.Session, leaf string) bool {
	e, ok := s.Entry(leaf)
	for ok && !bearsMessage(e.Type()) {
		e, ok = e.Parent()
	}
	return ok && e.Type() == session.TypeCompaction
}

// nameable tells which entries a firstKeptEntryId can name: in a damaged log two entries may have
// one id, and a compaction that names it would keep from the later one.
func nameable(entries []session.Entry) func(int) bool {
	shared := map[string]bool{}
	for _, e := range entries {
		id := e.ID()
		if at := strings.LastIndexByte(id, '~'); at >= 0 {
			shared[id], shared[id[:at]] = true, true
		}
	}
	return func(i int) bool { return len(shared) == 0 || !shared[entries[i].ID()] }
}

// CompactOptions are what users and extensions add to a compaction.
type CompactOptions struct {
	Instructions string          // the user's, after /compact
	ExtraContext []string        // what the summariser should know besides
	Prompt       string          // a task that takes the place of the built-in one
	PreserveData json.RawMessage // kept on the entry as it is
}

// Compact lets a model write the compaction, for Append. It asks once for the messages, or more often
// if they are more than the model takes at once, each time carrying on the summary so far; once for
// the prefix of a turn; and once for a short summary, which is replaced by the summary's first words
// if the model fails to write one. Usage is the sum. Cancelling ctx is an error that wraps ctx.Err;
// other errors are the model's and ErrEmptySummary.
func Compact(ctx context.Context, complete Complete, p PreparedCompaction, o CompactOptions) (session.Compaction, error) {
	if p.FirstKeptEntryID == "" {
		return session.Compaction{}, ErrNothingToCompact
	}
	w := writer{complete: complete}
	r := request{Extra: o.ExtraContext, Instructions: o.Instructions}
	text, override := p.Previous, o.Prompt
	var err error
	if len(p.Messages) > 0 {
		if text, err = p.summarize(ctx, &w, p.Messages, p.Previous, taskFirst, override, r, p.maxOutput()); err != nil {
			return session.Compaction{}, err
		}
		override = ""
	}
	if len(p.TurnPrefix) > 0 {
		prefix, err := p.summarize(ctx, &w, p.TurnPrefix, "", taskPrefix, override, r, p.maxOutput()/2)
		if err != nil {
			return session.Compaction{}, err
		}
		if prefix != "" {
			text = strings.TrimSpace(text + "\n\n# The turn that goes on below\n\n" + prefix)
		}
	}
	short, err := w.write(ctx, "short summary", prompt(taskShort, "", request{Previous: text}, 1024))
	if err != nil {
		if ctx.Err() != nil {
			return session.Compaction{}, err
		}
		short = text // the summary itself is written and paid for
	}
	return session.Compaction{
		Summary:          text + p.Files.section(),
		ShortSummary:     title(short),
		FirstKeptEntryID: p.FirstKeptEntryID,
		TokensBefore:     p.TokensBefore,
		Details:          p.Files.details(),
		PreserveData:     o.PreserveData,
		Usage:            w.usage,
	}, nil
}

// maxOutput is how many tokens the summary of whole turns may have: what the reserve has room for,
// but of a small window so little that with what is kept it is not full again at once.
func (p PreparedCompaction) maxOutput() int64 {
	output := max(p.settings.ReserveTokens*4/5, 1024)
	if p.settings.InputTokens > 0 {
		output = min(output, max(p.settings.InputTokens/4, 2))
	}
	return output
}

// summarize writes the summary of messages, in as many rounds as the input limit needs.
func (p PreparedCompaction) summarize(ctx context.Context, w *writer, msgs []message.Message, previous, task, override string, r request, output int64) (string, error) {
	input := p.settings.InputTokens
	if input > 0 {
		previous = shorten(previous, int(input*2)) // half of what the model takes, in bytes
	}
	parts := chunks(msgs, input)
	for i, part := range parts {
		if part == "" {
			continue
		}
		if previous != "" && task == taskFirst {
			task = taskUpdate
		}
		r.Conversation, r.Previous = part, previous
		what := "summary"
		if len(parts) > 1 {
			what = fmt.Sprintf("summary (part %d of %d)", i+1, len(parts))
		}
		var err error
		if previous, err = w.write(ctx, what, prompt(task, override, r, output)); err != nil {
			return "", err
		}
		if input > 0 {
			previous = shorten(previous, int(input*2))
		}
	}
	return previous, nil
}

// chunks serialises messages into texts of at most half of input tokens, if there is a limit: the
// other half is for the summary so far. There is at least one.
func chunks(msgs []message.Message, input int64) []string {
	if input <= 0 {
		return []string{Serialize(msgs)}
	}
	limit := int(input * 2)
	var out []string
	var pieces []string
	size := 0
	for _, m := range msgs {
		text := piece(m, min(maxPiece, limit))
		if text == "" {
			continue
		}
		if size > 0 && size+len(text) > limit {
			out = append(out, join(pieces))
			pieces, size = nil, 0
		}
		pieces = append(pieces, text)
		size += len(text) + len("\n\n")
	}
	return append(out, join(pieces))
}

// title is a text's first line that is no heading, short enough for a list.
func title(text string) string {
	line := ""
	for l := range strings.Lines(text) {
		if line = strings.Trim(display.Line(l, 0), "*_`\"- "); line != "" && !strings.HasPrefix(line, "#") {
			break
		}
	}
	return ellipsis(line, 160)
}
