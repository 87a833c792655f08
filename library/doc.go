// Package library is the shelf of sessions: all that ramo, pi and omp left on this machine, listed,
// found by name, searched, and kept in order.
//
// # Listing
//
// New knows the folders of the three tools. Library.List goes through them, the last used first;
// Listing.Sessions yields what it finds while it reads on, so a screen can be filled with the first
// dozen within milliseconds. Of each file only its first and last few kilobytes are read. What is no
// session, or cannot be read, is counted, and never makes the list fail.
//
// # Searching
//
// OpenIndex opens a database of the sessions' text, a cache that may be deleted at any time.
// Index.Update brings it up to date, which costs what is new; Index.Search answers from it. Likely
// passwords and keys are masked before anything gets into it.
//
// # Going on
//
// Library.Resolve finds the session that a person names. Remember notes which session a terminal is
// at, and Library.Resume finds it again.
//
// # Keeping order
//
// Trash, Move and Rename change files, and only the one they are given. They hold the session's lock
// while they do, so nothing that another ramo appends is lost. Everything else in this package only
// reads the tools' folders.
package library
