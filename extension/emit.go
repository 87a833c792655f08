package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ramo-dev/ramo/session"
)

// What follows asks or tells the extensions. The only error is that of ctx.

// BeforeSwitch asks about a switch.
func (h *Host) BeforeSwitch(ctx context.Context, e SessionBeforeSwitch) (all Decision, err error) {
	err = h.before(ctx, e, func(_ *member, answer any) (bool, error) {
		all = answer.(Decision)
		return all.Cancel, nil
	})
	return all, err
}

// BeforeTree asks about a move.
func (h *Host) BeforeTree(ctx context.Context, e SessionBeforeTree) (all TreeAnswer, err error) {
	err = h.before(ctx, e, func(_ *member, answer any) (bool, error) {
		a := answer.(TreeAnswer)
		if a.Cancel {
			all = TreeAnswer{Decision: a.Decision}
			return true, nil
		}
		if a.Summary == nil || all.Summary != nil || !e.UserWantsSummary {
			return false, nil
		}
		switch {
		case a.Summary.Summary == "":
			return false, errors.New("its summary is empty, and not used")
		case a.Summary.Details != nil && !json.Valid(a.Summary.Details):
			return false, errors.New("its summary is not used: the details are no JSON")
		}
		all.Summary = a.Summary
		return false, nil
	})
	return all, err
}

// BeforeBranch asks about a branch.
func (h *Host) BeforeBranch(ctx context.Context, e SessionBeforeBranch) (all BranchAnswer, err error) {
	err = h.before(ctx, e, func(_ *member, answer any) (bool, error) {
		a := answer.(BranchAnswer)
		if a.Cancel {
			all = BranchAnswer{Decision: a.Decision}
			return true, nil
		}
		all.SkipRestore = all.SkipRestore || a.SkipRestore
		return false, nil
	})
	return all, err
}

// BeforeCompact asks about a compaction.
func (h *Host) BeforeCompact(ctx context.Context, e SessionBeforeCompact) (all CompactAnswer, err error) {
	err = h.before(ctx, e, func(_ *member, answer any) (bool, error) {
		a := answer.(CompactAnswer)
		if a.Cancel {
			all = CompactAnswer{Decision: a.Decision}
			return true, nil
		}
		if a.Result == nil || all.Result != nil {
			return false, nil
		}
		r := *a.Result
		if r.FirstKeptEntryID == "" {
			r.FirstKeptEntryID = e.FirstKeptEntryID
		}
		if err := h.check(r); err != nil {
			return false, fmt.Errorf("its compaction is not used: %w", err)
		}
		all.Result = &r
		return false, nil
	})
	return all, err
}

// check refuses a compaction that would lose what it does not summarise.
func (h *Host) check(c Compaction) error {
	for _, raw := range []json.RawMessage{c.Details, c.PreserveData} {
		if raw != nil && !json.Valid(raw) {
			return errors.New("the details, or the data to preserve, are no JSON")
		}
	}
	if c.Summary == "" {
		return errors.New("the summary is empty")
	}
	for e, err := range h.live.Session().Branch("") {
		switch {
		case err != nil:
			return err
		case e.ID() != c.FirstKeptEntryID:
		case e.Type() == session.TypeLabel:
			return fmt.Errorf("the first entry to keep, %s, is a label", c.FirstKeptEntryID)
		default:
			return nil
		}
	}
	return fmt.Errorf("the first entry to keep, %q, is not on the path", c.FirstKeptEntryID)
}

// Compacting asks what the summary of a compaction should heed.
func (h *Host) Compacting(ctx context.Context, e SessionCompacting) (all CompactingAnswer, err error) {
	var preserve map[string]json.RawMessage
	err = h.before(ctx, e, func(_ *member, answer any) (bool, error) {
		a := answer.(CompactingAnswer)
		all.Context = append(all.Context, a.Context...)
		if all.Prompt == "" {
			all.Prompt = a.Prompt
		}
		if len(a.PreserveData) == 0 || bytes.Equal(a.PreserveData, []byte("null")) {
			return false, nil
		}
		var more map[string]json.RawMessage
		if json.Unmarshal(a.PreserveData, &more) != nil {
			return false, errors.New("its data to preserve is left out: it is no JSON object")
		}
		if preserve == nil {
			preserve = map[string]json.RawMessage{}
		}
		for k, v := range more {
			if _, ok := preserve[k]; !ok {
				preserve[k] = v
			}
		}
		return false, nil
	})
	if err == nil && preserve != nil {
		all.PreserveData, err = json.Marshal(preserve)
	}
	return all, err
}

func (h *Host) before(ctx context.Context, e event, take func(*member, any) (bool, error)) error {
	h.asking.Add(1)
	defer h.asking.Add(-1)
	return h.each(ctx, e, take)
}

// Happened tells of something that cannot be cancelled any more. If ctx is done already, the
// extensions are told all the same.
func (h *Host) Happened(ctx context.Context, e Fact) {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	_ = h.each(ctx, e, nothing) // the user pressed Esc: enough said
}

// Fact is SessionSwitch, SessionTree, SessionBranch or SessionCompact.
type Fact interface {
	event
	happened()
}

func (SessionSwitch) happened()  {}
func (SessionTree) happened()    {}
func (SessionBranch) happened()  {}
func (SessionCompact) happened() {}
