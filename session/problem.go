package session

import "fmt"

// ProblemKind names what is odd about a place in a log.
type ProblemKind string

// The kinds of problems that reading can meet (section 2). None of them stops a session from opening.
const (
	ProblemTornTail        ProblemKind = "torn-tail"        // the last line was cut short
	ProblemNotJSON         ProblemKind = "not-json"         // a line that holds no JSON object
	ProblemNotEntry        ProblemKind = "not-entry"        // an object that is no entry: no type
	ProblemNoID            ProblemKind = "no-id"            // an entry without an id
	ProblemNUL             ProblemKind = "nul-bytes"        // NUL bytes, skipped
	ProblemMergedLines     ProblemKind = "merged-lines"     // several writes ended up on one line
	ProblemRepeatedHeader  ProblemKind = "repeated-header"  // a header that is not the first line
	ProblemRepeatedEntry   ProblemKind = "repeated-entry"   // an entry that stands there twice, byte for byte
	ProblemDuplicateID     ProblemKind = "duplicate-id"     // a second, different entry with an id
	ProblemMissingParent   ProblemKind = "missing-parent"   // a parentId that names no entry
	ProblemParentCycle     ProblemKind = "parent-cycle"     // an entry that would be its own ancestor
	ProblemForwardParent   ProblemKind = "forward-parent"   // a parent that comes later in the file
	ProblemMissingHeader   ProblemKind = "missing-header"   // entries, but no header before them
	ProblemNewerVersion    ProblemKind = "newer-version"    // written by a later format than this package knows
	ProblemBadTimestamp    ProblemKind = "bad-timestamp"    // a timestamp that cannot be read
	ProblemMissingTarget   ProblemKind = "missing-target"   // a label on an entry that does not exist
	ProblemUnreadableLabel ProblemKind = "unreadable-label" // a label entry whose members have the wrong types
)

// Problem is one oddity of a log: kept in the file, worked around, and reported (section 2).
type Problem struct {
	Line    int         `json:"line"`   // 1 for the first line
	Offset  int64       `json:"offset"` // bytes from the start of the file
	Kind    ProblemKind `json:"kind"`
	Message string      `json:"message"`
}

func (p Problem) String() string {
	return fmt.Sprintf("line %d (byte %d): %s: %s", p.Line, p.Offset, p.Kind, p.Message)
}
