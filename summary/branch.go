package summary

import (
	"context"
	"slices"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// Collect finds what a move from oldLeaf to target abandons: the entries from the old leaf back to,
// and without, the deepest entry that both have above or at them, oldest first (section 9). It does
// not stop at compactions. Without an old leaf ("") nothing is abandoned; a target "" is the place
// before the first entry, which abandons the whole path. common is "" when there is no such entry.
// The error is session.ErrNotFound for an unknown id.
func Collect(s *session.Session, oldLeaf, target string) (common string, abandoned []session.Entry, err error) {
	var onto []session.Entry
	if target != "" {
		if onto, err = branch(s, target); err != nil {
			return "", nil, err
		}
	}
	if oldLeaf == "" {
		return "", nil, nil
	}
	from, err := branch(s, oldLeaf)
	if err != nil {
		return "", nil, err
	}
	n := 0
	for n < len(from) && n < len(onto) && from[n].Index() == onto[n].Index() {
		n++
	}
	if n > 0 {
		common = from[n-1].ID()
	}
	return common, from[n:], nil
}

// branch is the way from the root to an entry; id is not "".
func branch(s *session.Session, id string) (path []session.Entry, err error) {
	for e, err := range s.Branch(id) {
		if err != nil {
			return nil, err
		}
		path = append(path, e)
	}
	return path, nil
}

// PreparedBranch is what a summariser needs to know about an abandoned path.
type PreparedBranch struct {
	Conversation string // as Serialize writes it: the newest messages that fit
	Included     int    // messages in Conversation
	Omitted      int    // older messages that did not fit
	Files        Files  // from the whole path
	MaxOutput    int64  // tokens that the summary may have
}

// PrepareBranch reads an abandoned path, oldest entry first. The newest messages come first into the
// budget, in tokens (0: no limit; see Budget); if not even the last one fits it is cut. File
// operations are those of the whole path, whether or not the messages fit. A path without messages
// is no error here, but cannot be summarised.
func PrepareBranch(entries []session.Entry, budget int64) (PreparedBranch, error) {
	p := PreparedBranch{MaxOutput: 4096}
	limit := maxPiece
	if budget > 0 {
		p.MaxOutput = min(p.MaxOutput, max(budget/4, 1))
		limit = min(limit, int(budget*4))
	}
	files := fileSet{}
	var pieces []string
	var used int64
	for _, e := range slices.Backward(entries) {
		if !bearsMessage(e.Type()) {
			continue
		}
		full := p.Omitted > 0
		if full && !e.HasToolCalls() && e.Type() != session.TypeBranchSummary {
			p.Omitted++
			continue
		}
		body, err := e.Body()
		if err != nil {
			return PreparedBranch{}, err
		}
		files.add(body)
		m, ok := asMessage(e, body)
		if !ok {
			continue
		}
		if full {
			p.Omitted++
			continue
		}
		text := piece(m, limit)
		if text == "" {
			continue
		}
		cost := textTokens(len(text) + len("\n\n"))
		if budget > 0 && used+cost > budget {
			if len(pieces) > 0 {
				p.Omitted++
				continue
			}
			text = text[:cutAt(text, int(budget*4)-len("\n\n"))]
			cost = textTokens(len(text))
		}
		used += cost
		pieces = append(pieces, text)
	}
	slices.Reverse(pieces)
	p.Conversation = join(pieces)
	p.Included = len(pieces)
	p.Files = files.files()
	return p, nil
}

// bearsMessage tells whether entries of a type say something in the conversation.
func bearsMessage(typ string) bool {
	switch typ {
	case session.TypeMessage, session.TypeCustomMessage, session.TypeBranchSummary, session.TypeCompaction:
		return true
	}
	return false
}

// asMessage is what an entry says in the conversation. A compaction on an abandoned path says its
// summary: what it stands for may have come before the path.
func asMessage(e session.Entry, body session.Body) (message.Message, bool) {
	at := e.Time().UnixMilli()
	switch b := body.(type) {
	case session.Message:
		return b.Message, true
	case session.CustomMessage:
		m := message.Message{Role: message.RoleCustom, CustomType: b.CustomType, Timestamp: at}
		if text := b.Text(); text != "" {
			m.Content = append(m.Content, message.Text(text))
		}
		m.Content = append(m.Content, b.Images()...)
		return m, true
	case session.BranchSummary:
		return message.Message{Role: message.RoleBranchSummary, Summary: b.Summary, FromID: b.FromID, Timestamp: at}, true
	case session.Compaction:
		return message.Message{Role: message.RoleCompactionSummary, Summary: b.Summary, TokensBefore: b.TokensBefore, Timestamp: at}, true
	}
	return message.Message{}, false
}

// Branch lets a model write the summary of an abandoned path, for BranchWithSummary. The
// instructions are the user's, or "". Its Details are Files, its Usage is what the model reported,
// and its text names the files too. Cancelling ctx is an error that wraps ctx.Err; other errors are
// the model's, ErrEmptySummary and ErrNothingToSummarize.
func Branch(ctx context.Context, complete Complete, p PreparedBranch, instructions string) (session.BranchSummary, error) {
	if p.Conversation == "" {
		return session.BranchSummary{}, ErrNothingToSummarize
	}
	w := writer{complete: complete}
	r := request{Conversation: p.Conversation, Omitted: p.Omitted, Instructions: instructions}
	text, err := w.write(ctx, "branch summary", prompt(taskBranch, "", r, p.MaxOutput))
	if err != nil {
		return session.BranchSummary{}, err
	}
	return session.BranchSummary{Summary: text + p.Files.section(), Details: p.Files.details(), Usage: w.usage}, nil
}
