// Package summary says in few words what a long stretch of a session held: of a branch that is left
// (section 9 of the specification) and of the start of a context that grew too long (section 11).
//
// # Leaving a branch
//
//	_, left, err := summary.Collect(s, oldLeaf, target) // what is abandoned
//	prep, err := summary.PrepareBranch(left, summary.Budget(window, reserve))
//	body, err := summary.Branch(ctx, complete, prep, instructions)
//	s.BranchWithSummary(ctx, newLeaf, body)
//
// # Compacting
//
//	set := summary.DefaultSettings().For(window)
//	if summary.ShouldCompact(summary.ContextTokens(c), window, set) {
//		prep, err := summary.PrepareCompaction(s, "", set)
//		body, err := summary.Compact(ctx, complete, prep, summary.CompactOptions{})
//		s.Append(ctx, body)
//	}
//
// A compaction is made from the context, not from the log: so what an earlier one kept takes part
// in the next one, and nothing falls between two. The boundary is always a message, never a label,
// and no call is parted from its result.
//
// # Who writes the summary
//
// [Complete] is all that is asked of a language model. Without one, [ExtractBranch] and
// [ExtractCompaction] make the summary from the entries alone: this is what ramo/extract does. The
// same entries always give the same text.
//
// # What a summariser is shown
//
// [Serialize] turns messages into readable text. Long results, arguments and thinking are cut to
// their head and tail, with a note how much is missing; what the user excluded from the context
// (excludeFromContext) is left out here too. Nothing in this package writes to a session: what it
// returns is for the caller to append. It has no state, and everything is safe for concurrent use.
//
// Tokens are counted as providers reported them where they did, and are otherwise a guess: a token
// for four bytes of text (see [EstimateTokens]).
package summary
