package extension

import (
	"encoding/json"

	"github.com/ramo-dev/ramo/internal/wire"
)

// MarshalJSON is a navigation as docs/rpc.md and docs/extensions.md have it.
func (n Navigation) MarshalJSON() ([]byte, error) {
	out := map[string]any{"oldLeaf": wire.OrNull(n.OldLeaf), "newLeaf": wire.OrNull(n.NewLeaf), "cancelled": n.Cancelled}
	if n.Reason != "" {
		out["reason"] = n.Reason
	}
	if n.Again {
		out["editorText"] = n.EditorText
		if len(n.Images) > 0 {
			out["images"] = wire.Blocks(n.Images)
		}
	}
	if !n.SummaryEntry.IsZero() {
		out["summaryEntry"], out["fromExtension"] = n.SummaryEntry.ID(), n.FromExtension
	}
	return json.Marshal(out)
}

// MarshalJSON is a branching as docs/rpc.md and docs/extensions.md have it.
func (b Branching) MarshalJSON() ([]byte, error) {
	out := map[string]any{"path": b.Path, "editorText": b.EditorText, "cancelled": b.Cancelled}
	if b.Reason != "" {
		out["reason"] = b.Reason
	}
	if len(b.Images) > 0 {
		out["images"] = wire.Blocks(b.Images)
	}
	if b.SkipRestore {
		out["skipConversationRestore"] = true
	}
	return json.Marshal(out)
}
