// Package importer makes sessions of what other agents wrote down: the transcripts of Claude Code and
// of Codex.
//
// Find looks for transcripts, and an Importer turns each into a session in the library's folder for
// its directory. The tree is kept: Claude Code's branches and sidechains, Codex's rolled-back turns.
// Every entry says in importedFrom which records of the transcript it was made of, so importing
// again adds only what is new; what is there already, and whatever else was appended to the session
// meanwhile, stays as it is. The transcripts are only read.
//
// What a transcript holds that has no place in a session is counted by its type, and a line that
// cannot be read is named by its number; neither stops the import. docs/import.md lists what becomes
// of what.
package importer
