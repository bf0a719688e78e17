// Package rules finds by rules what a finished conversation taught: a small floor that
// works offline.
//
// # What it is
//
// [Extract] returns what a person asked to be remembered, what holds from now on,
// where they put the agent right by name, what they like, and which command failed
// and which form of it worked. What it looks for is data: rules.txt.
//
// # What it is not
//
// It stores nothing: what it returns passes the store like any write. It understands
// nothing: what no rule knows is left to a language model, or to the search of
// conversations.
//
// # Invariants
//
// Only the user's own words are believed, and they are quoted, not rewritten. What
// is pasted, shown, guessed, reported or meant for a while teaches nothing. Of a
// tool's turn only the command is used, and whether it failed, for one of a closed
// list of reasons: anybody may have written the answer.
//
// The same conversation gives the same candidates. A candidate has at most 300
// runes on one line, is valid UTF-8, and names the turns that it came from. Time is
// linear: the expressions are RE2, at most 1 MB of what was said is read, 32 KB of a
// turn, and 256 candidates are compared with each other.
//
// # Locks
//
// None: there is no state.
//
// # Imports
//
// It imports process and memory for the nouns, recall/analysis, and the standard library.
package rules
