package extension

import (
	"context"
	"slices"

	"github.com/ramo-dev/ramo/internal/wire"
	"github.com/ramo-dev/ramo/session"
)

// forwards register, for each event, what hands it on to a program: events that can be answered as
// requests, the others as notifications.
var forwards = map[string]func(*program, *API){
	EventSessionStart: func(r *program, api *API) {
		api.OnSessionStart(telling(r, func(SessionStart) any { return map[string]any{"session": r.present()} }))
	},
	EventSessionBeforeSwitch: func(r *program, api *API) {
		api.OnSessionBeforeSwitch(asking[SessionBeforeSwitch, Decision](r, func(e SessionBeforeSwitch) any {
			return map[string]any{"reason": e.Reason, "targetSessionFile": wire.OrNull(e.Target)}
		}))
	},
	EventSessionSwitch: func(r *program, api *API) {
		api.OnSessionSwitch(telling(r, func(e SessionSwitch) any {
			return map[string]any{"reason": e.Reason, "previousSessionFile": wire.OrNull(e.Previous), "session": r.present()}
		}))
	},
	EventSessionBeforeTree: func(r *program, api *API) {
		api.OnSessionBeforeTree(asking[SessionBeforeTree, TreeAnswer](r, func(e SessionBeforeTree) any {
			return map[string]any{
				"targetId": e.TargetID, "oldLeafId": wire.OrNull(e.OldLeafID), "commonAncestorId": wire.OrNull(e.CommonAncestorID),
				"entriesToSummarize": entries(e.Entries, e.UserWantsSummary), "userWantsSummary": e.UserWantsSummary,
			}
		}))
	},
	EventSessionTree: func(r *program, api *API) {
		api.OnSessionTree(telling(r, func(e SessionTree) any {
			m := map[string]any{"newLeafId": wire.OrNull(e.NewLeafID), "oldLeafId": wire.OrNull(e.OldLeafID)}
			if !e.SummaryEntry.IsZero() {
				m["summaryEntry"], m["fromExtension"] = wire.Whole(e.SummaryEntry), e.FromExtension
			}
			return m
		}))
	},
	EventSessionBeforeBranch: func(r *program, api *API) {
		api.OnSessionBeforeBranch(asking[SessionBeforeBranch, BranchAnswer](r, func(e SessionBeforeBranch) any {
			return map[string]any{"entryId": e.EntryID}
		}))
	},
	EventSessionBranch: func(r *program, api *API) {
		api.OnSessionBranch(telling(r, func(e SessionBranch) any {
			return map[string]any{"previousSessionFile": wire.OrNull(e.Previous), "session": r.present()}
		}))
	},
	EventSessionBeforeCompact: func(r *program, api *API) {
		api.OnSessionBeforeCompact(asking[SessionBeforeCompact, CompactAnswer](r, func(e SessionBeforeCompact) any {
			return map[string]any{
				"messages": wire.Messages(e.Messages), "turnPrefix": wire.Messages(e.TurnPrefix), "previousSummary": e.PreviousSummary,
				"firstKeptEntryId": e.FirstKeptEntryID, "tokensBefore": e.TokensBefore, "instructions": e.Instructions,
				"readFiles": slices.Concat([]string{}, e.ReadFiles), "modifiedFiles": slices.Concat([]string{}, e.ModifiedFiles),
			}
		}))
	},
	EventSessionCompacting: func(r *program, api *API) {
		api.OnSessionCompacting(asking[SessionCompacting, CompactingAnswer](r, func(e SessionCompacting) any {
			return map[string]any{"messages": wire.Messages(e.Messages)}
		}))
	},
	EventSessionCompact: func(r *program, api *API) {
		api.OnSessionCompact(telling(r, func(e SessionCompact) any {
			return map[string]any{"compactionEntry": wire.Whole(e.Entry), "fromExtension": e.FromExtension}
		}))
	},
	EventSessionShutdown: func(r *program, api *API) {
		api.OnSessionShutdown(telling(r, func(SessionShutdown) any { return map[string]any{} }))
	},
}

func eventNames() []string {
	names := []string{}
	for name := range forwards {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func asking[E event, A any](r *program, params func(E) any) func(context.Context, *Session, E) (A, error) {
	return func(ctx context.Context, s *Session, e E) (answer A, err error) {
		defer r.enter(activeCall{Session: s})()
		err = r.request(ctx, e.name(), params(e), &answer)
		return answer, err
	}
}

func telling[E event](r *program, params func(E) any) func(context.Context, *Session, E) error {
	return func(ctx context.Context, _ *Session, e E) error { return r.notify(ctx, e.name(), params(e)) }
}

func (r *program) present() wire.Info { return wire.InfoOf(r.m.host.live.Session()) }

// entries are entries, whole where somebody is going to read them.
func entries(list []session.Entry, whole bool) []wire.Entry {
	out := make([]wire.Entry, len(list))
	for i, e := range list {
		if out[i] = wire.Place(e); whole {
			out[i] = wire.Whole(e)
		} else {
			out[i].Type = e.Type()
		}
	}
	return out
}
