// Package treeview holds what a tree selector shows (section 12 of the specification), without a
// terminal: the rows of a session's tree in display order, which of them a filter, a search and
// folds leave, the selected one, and the lines of a window around it.
//
// # Use
//
// [New] makes a [Tree] of an open session, with its leaf selected. [Tree.Window] draws as many rows
// as there is room for, as segments whose kinds a terminal app colours; only the entries of these
// rows are read. The methods that move, filter, search and fold change what the next Window shows.
//
// A session grows and moves beside the tree. Call [Tree.Update] after an append, a move of the leaf, a
// Refresh, or an entry from Follow: the new rows appear, and the selected one stays where it is on
// the screen. An entry that was chosen stays chosen while a filter, a search or a fold hides it: the
// nearest ancestor with a row stands in for it. When another program rewrote the log, the chosen
// entry and the folds are found again by their ids.
//
// # Search
//
// The search looks through texts that [Tree.Prepare] reads from the log, newest entries first. Run it
// in a goroutine of its own; the tree is usable meanwhile, and each Update adds what a search finds in
// the texts that have become ready. Of one entry the first 64 KiB of text count.
//
// # Cost
//
// With 100 000 entries New takes about 20 ms, SetFilter and SetQuery a few, an entry at the end of a
// branch a fraction of one, and a line of a window as much as the window is wide, however deep the
// row is (see the benchmarks). An entry takes about 70 bytes, and its text for the search once more.
// Nothing recurses.
package treeview
