package agent

import (
	"context"
	"encoding/json"

	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

type branchAnswer struct {
	Cancel      bool
	Reason      string
	SkipRestore bool
}

type compactAnswer struct {
	Cancel       bool
	Reason       string
	Result       *session.Compaction
	ExtraContext []string
	Prompt       string
	PreserveData json.RawMessage
}

func (a *Agent) beforeTree(ctx context.Context, p TreePreparation) (TreeAnswer, error) {
	return TreeAnswer{}, ctx.Err()
}
func (a *Agent) afterTree(context.Context, Navigation) {}
func (a *Agent) beforeBranch(ctx context.Context, entryID string) (branchAnswer, error) {
	return branchAnswer{}, ctx.Err()
}
func (a *Agent) afterBranch(context.Context, string) {}
func (a *Agent) beforeSwitch(ctx context.Context, reason, path string) (bool, error) {
	return false, ctx.Err()
}
func (a *Agent) afterSwitch(context.Context, string, string) {}
func (a *Agent) beforeCompact(ctx context.Context, p summary.PreparedCompaction, instructions string) (compactAnswer, error) {
	return compactAnswer{}, ctx.Err()
}
func (a *Agent) afterCompact(context.Context, session.Entry) {}
