// Package session keeps a coding agent's conversation as a tree in an append-only log.
//
// A session is one JSONL file. Its first line is the header; every other line is an entry, which
// names its parent. So the entries form a tree, and nothing that was said is ever overwritten:
// going back means to stand at an earlier entry, and to go on from there is to grow a new branch.
// The position is called the leaf. pi and oh-my-pi write such files; this package opens theirs, and
// they open its own.
//
// # Reading
//
// [Open] reads the whole file once, at near the speed of the disk, and keeps an index of a few
// machine words for each entry. The text stays in the file: [Entry.Raw], [Entry.Body] and
// [Entry.Message] read it when asked. Opening never writes and never fails because of damage in the
// file; what is odd is worked around and listed by [Session.Problems].
//
// Walk the tree with [Session.Tree], [Session.Roots], [Session.Children], [Session.Branch] and the
// methods of [Entry]. What the model should see at a leaf is [Session.Context].
//
// # Moving and writing
//
// [Session.BranchTo] and [Session.ResetLeaf] move the leaf and write nothing. [Session.Append] hangs
// an entry from the leaf and moves there; when it returns without an error the entry is on the disk.
// [Session.BranchWithSummary] moves and writes a summary in one step. [Session.SavePosition] keeps a
// move for the next time the file is opened.
//
// [Create] starts a session: its file appears with the first message. [Session.CreateBranchedSession]
// and [Session.Fork] copy a branch, or everything, into a new one.
//
// # Several writers
//
// Any number of sessions, in this process and in others, may be open on one file and append to it.
// Each has its own leaf, so that two people on one session grow two branches. [Session.Refresh]
// reads what others wrote, and [Session.Follow] waits for it.
//
// Do not write to a session file by other means while it is open here, or at least only append
// whole lines to it. If another program rewrites the file, that is noticed before the next append:
// the session is read anew, and when the entry at its leaf is gone the append is refused with
// [ErrLeafLost].
//
// # Where a log is kept
//
// A [Store] holds the bytes of one log. [FileStore] and [MemoryStore] are here; [OpenStore] and
// [CreateStore] take any other.
//
// # What stays as it is
//
// Entries of unknown types, unknown members, number spellings, key order, lone surrogates: what is
// copied or kept is the same bytes that were read. The format is version 3 of the two tools named
// above; logs of versions 1 and 2 are migrated in memory as they are read, and on disk, with a
// backup beside them, by the first append.
package session
