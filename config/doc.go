// Package config holds the user's settings and where each of them comes from.
//
// [Load] reads, each over the one before:
//
//  1. the defaults,
//  2. the user's file, config.toml in [Dir] ($XDG_CONFIG_HOME/ramo),
//  3. the project's file, .ramo/config.toml in the directory it is given or the nearest one above, up to
//     the root of the git repository or the home directory; outside both, only in the directory itself,
//  4. a few environment variables, such as RAMO_MODEL.
//
// A file that is missing is fine. A setting that does not exist, or a value that it cannot have, is an error that
// names file and line and what would be right; all of them are reported at once. docs/settings.md lists every setting.
//
// # Trust
//
// A project's file comes with a repository, from anyone. Until the user trusts the project's directory ([Trust]),
// its file cannot name programs to run or servers and keys to use, bind keys, or turn on tools or allow
// commands; it may take permissions away. What it tries is left out and listed by [Settings.Ignored]. Trust is
// for one directory, not for those below it.
//
// # Secrets
//
// API keys, headers and environments are of the type [Secret], which prints as stars whatever way it is
// printed or encoded; [Secret.Reveal] gives the text. No error quotes one.
//
// Nothing but Trust and Untrust writes anything. Functions are safe for concurrent use, and so is a Settings
// that nobody changes.
package config
