// Package rules finds by rules what a finished conversation taught: a small floor that
// works offline.
//
// # What it is
//
// [Extract] returns what a person asked to be remembered, what holds from now on,
// where they put the agent right by name, what they like, and which command failed
// and which form of it worked. [Judge] says which conversations are worth it.
//
// # What it is not
//
// It stores nothing: what it returns passes the store like any write. It understands
// nothing, either: what no rule knows is left to a language model, or to the search
// of conversations.
//
// # Who is believed
//
// Only the user's own words, and they are quoted, not rewritten. Nothing is taken
// from a turn that is long, has headings, or opens as a prompt does: it was pasted.
// Code, quotations, logs, tables and elements are shown and not said. Questions,
// guesses, what others say, irony, what holds for a while, and what can't be
// understood without the sentence before it state nothing. Of a tool's turn only the
// command is used, that is what the agent ran, and whether it failed, for which there
// is a closed list of reasons: anybody may have written the answer.
//
// # Invariants
//
// The same conversation gives the same candidates. A candidate has at most 300
// runes on one line, is valid UTF-8, and names the turns that it came from. Time
// is linear: the regular expressions are RE2, at most 1 MB of what was said is
// read, 32 KB of a turn, and 256 candidates are compared with each other.
//
// # Locks
//
// None: there is no state.
//
// # Imports
//
// It imports process and memory for the nouns, and the standard library.
package rules
