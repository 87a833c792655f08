// Package tool is what a model can do besides talk: the type of a tool, and the tools that Ramo brings.
//
// # A tool
//
// A [Tool] is a name, a description and a JSON Schema for the model, and a function. Extensions make
// their own; run any of them with [Tool.Call], which never fails and never panics: whatever goes
// wrong is a [Result] with IsError set, whose text tells the model what to do better. Ask the user
// first when [Tool.MustAsk] says so; Call does not.
//
// # The built-in tools
//
// [Open] binds them to a working directory:
//
//	read   a page of a text file, or an image
//	grep   lines that match a regular expression
//	ls     the names in a directory
//	write  makes or replaces a file
//	edit   replaces a text that occurs exactly once
//	bash   runs a command
//
// The first three are always there and change nothing. The others are there only when [Options] turns
// them on, and each call of theirs must be asked for unless Options allows it. Arguments have the
// names that pi gives them, so that sessions look alike.
//
// # Confinement
//
// All tools but bash reach only files in the working directory. A path that leads out, by "..", as an
// absolute path, or through a symbolic link, is an error, also when a link is put in place while a
// tool runs: the system resolves each path from the directory's handle ([os.Root]). An absolute link is an
// error even if it leads back in. Only regular files are read, so that no FIFO or device blocks a tool.
// Mount points and hard links are not seen through.
//
// Nor do write and edit change what is in .git, or .ramo/config.toml: these name programs to run, and so
// would give a model that may only write files more than that.
//
// A command that bash runs is not confined: it can do what the user can. It starts in the working directory,
// without a terminal, and nothing that it leaves running in its process group survives it.
//
// # Bounds
//
// What a tool returns is bounded (50 KB of text, and a 3.75 MB image), and says what was left out. Every
// tool ends soon after its context is done.
//
// A Workspace and its tools are safe for concurrent use; writes and edits wait for each other.
package tool
