package session

import (
	"context"
	"io"
)

// Store keeps the bytes of one log. The tree knows nothing of where they are: FileStore keeps
// them in a file, MemoryStore in memory, and another store may keep them elsewhere.
//
// A Store is used by one Session, but by several goroutines at once.
type Store interface {
	// Name says where the log is: a path, or "" for a log without one. It stands in errors and
	// becomes the parentSession of what is branched from it.
	Name() string

	// Open returns a view of the log as it is now, or an error that is fs.ErrNotExist when there
	// is none yet.
	Open() (View, error)

	// Lock gives the caller the exclusive right to change the log until it calls unlock, against
	// every process that uses this package on it. ctx bounds the wait. The lock ends with the
	// process. When there is no log, the error is fs.ErrNotExist.
	Lock(ctx context.Context) (unlock func() error, err error)

	// Append writes p behind the log's end in one write, and when sync is set makes it durable.
	// On an error nothing of p stays. The caller holds the lock.
	Append(p []byte, sync bool) error

	// Create makes the log with what write writes, in one step: nobody ever sees part of it. It
	// fails with fs.ErrExist when there is a log already.
	Create(write func(io.Writer) error, sync bool) error

	// Replace puts what write writes in the place of the whole log, in one step, and keeps the old
	// content under the store's name for a backup with that suffix. The caller holds the lock.
	Replace(write func(io.Writer) error, backup string) error
}

// View is an open log. Others may append to it meanwhile; what was there stays where it was.
type View interface {
	io.ReaderAt
	io.Closer

	// Size is the log's present length in bytes.
	Size() (int64, error)

	// Current tells whether the store's name still leads to this log: false when it was replaced
	// or deleted.
	Current() (bool, error)
}
