// Package export writes one branch of a session for other eyes: [Markdown] as a document to read,
// [JSONL] as a session of its own.
//
// Both write entry by entry, so that the longest branch takes no more memory than its largest
// entry, and neither changes the session. What is appended while they write is not taken in.
//
// A leaf is an entry's id, "" for where the session stands, or [Root] for the branch without
// entries. The error for an id that the session does not have is session.ErrNotFound.
package export

// Root is the leaf of the branch that has no entries.
const Root = "root"
