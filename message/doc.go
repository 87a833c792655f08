// Package message holds the messages of a session's log (section 8 of the specification) and their
// form for a model (section 7).
//
// # Reading
//
// [Decode] reads a message. It fails only when it is not given a JSON object: a member of the wrong
// type is left zero, an unknown role or block type is kept as found. What was read is never
// rewritten: [Message.AppendJSON] gives back the very bytes, with unknown members, number
// spellings and lone surrogates.
//
// Write messages with AppendJSON. [encoding/json.Marshal] works too, but it rewrites what
// MarshalJSON returns: it drops white space and turns <, >, & and U+2028 into escapes.
//
// # Making
//
// Build a message as a struct, or with [User], and it is written in the order of members that pi
// and omp use. A message that was read keeps its bytes whatever is done to its fields; to change
// one, change what [Message.Editable] returns.
//
// # For a model
//
// [ResolveBlobs] puts back the images that omp keeps outside the log, then [ForModel] makes a list
// of user, developer, assistant and toolResult messages in which every call has its result. Neither
// changes what it is given, and neither result belongs in a log.
//
// Nothing here has state: everything is safe for concurrent use, as long as no one changes a
// message that another goroutine reads. Slices are shared, not copied: take Content, Files and the
// raw bytes as read-only.
package message
