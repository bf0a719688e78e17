// Package transcript reads the conversations that other tools keep: those of Claude
// Code, Codex, Gemini, OpenCode, Aider, Cline, Roo Code, Copilot, Cursor, rnix,
// SWE-agent, SpecStory, and plain lists of messages.
//
// [Detect] says of which kind a file is. A [Format] finds a user's histories of its
// kind and reads a file into conversations. To add a reader, write a file with a
// Format, add it to [Formats], and put an example below testdata.
//
// # What it is not
//
// It keeps nothing, scans nothing and writes nothing, least of all where other
// tools keep their files. It yields text as the tool wrote it, secrets included: the
// scanner sees it before it is kept. Some tools call their format internal: a reader
// takes the records that it knows and counts the others.
//
// # Conversations
//
// A sequence yields a conversation in one or more chunks, one after the other: all
// have the same Agent and External, their turns follow each other, and the fields
// of a later chunk are the better ones (a title may stand at the end of a file). A
// chunk may have no turns, only fields. A file may hold many conversations, each
// whole before the next. A conversation without turns is not yielded.
//
// External is the tool's own id of the session or, where a file has none, its name
// with eight digits of the hash of its path: a file that was moved is another
// conversation. Parent is the External of the conversation of the same Agent that
// started this one; its file may be gone. Project is the recorded working directory,
// or "" if that is no path of this system. End is the time of the last turn, or the
// time that the tool wrote.
//
// # Turns
//
// Ids are unique in a conversation and the same at each reading, also after the
// file has grown: the tool's uuid, or the External with the ordinal of the record.
// Text that the tool may still rewrite is not a turn yet; a call of a tool becomes a
// turn when its result is there. Its content is the name and the arguments on the
// first line, then the result, cut to its head and tail.
//
// Turns that were taken back (abandoned branches, rollbacks, rewinds) are not read,
// and counted; an importer of a growing file keeps those that it has already.
// Thoughts, instructions of the tool to its model, and text that the tool writes
// into a user's words are left out. The summary that replaces compacted turns is a
// turn of the system; the turns themselves are still there.
//
// A conversation that the tool gave no title has the beginning of its first request
// for one.
//
// All text is valid UTF-8 without control characters but newline and tab.
//
// # Errors
//
// At the end of a file, errors that are [ErrSkipped] count the records that were
// skipped, one error for each kind. Any other error ends the sequence; the chunks
// before it are good.
//
// # Bounds
//
// A line above 32 MB is skipped; JSON nests at most 10,000 deep. A line of JSONL is
// forgotten when its turns are made, and chunks end at 4 MB. So memory does not grow
// with the file, but for a few words for each record of Claude Code, whose records
// are linked, and for a chat of Gemini, whose lines replace each other (128 MB of
// text). A history that is one JSON document may have 256 MB. A compressed one is
// read as far as 4 GB.
//
// # Locks
//
// None: a Format has no state, and a sequence belongs to its caller.
//
// # Imports
//
// It imports process for the nouns, memory for the errors, and sqlite. It alone
// imports klauspost/compress, for the rollouts that Codex compresses with zstd. The
// importer and the command import it.
package transcript
