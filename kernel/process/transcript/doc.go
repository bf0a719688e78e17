// Package transcript reads the conversations that other tools keep.
//
// # What it is
//
// One reader for each kind of history: Claude Code, Codex, Gemini, OpenCode,
// Aider, rnix, SWE-agent, SpecStory, and plain lists of messages. [Detect] says of
// which kind a file is; a [Format] finds a user's histories of its kind and reads
// one into conversations.
//
// # What it is not
//
// It keeps nothing, scans nothing and writes nothing, least of all where other
// tools keep their files. What it yields is as the tool wrote it, secrets
// included: the scanner sees it before it is kept. The formats belong to others,
// who call some of them internal: a reader takes what it knows, counts what it
// doesn't, and goes on.
//
// # Conversations
//
// A sequence yields a conversation in one or more chunks, one after the other:
// all have the same Agent and External, their turns follow each other, and the
// fields of a later one are the better ones (a title may stand at the end of a
// file). A chunk may have no turns, only fields. A file may hold many
// conversations, each whole before the next. A conversation without turns is not
// yielded.
//
// External is the tool's own id of the session. Where a file has none it is the
// file's name with eight digits of the hash of its path: a file that was moved is
// another. Parent is the External of the conversation that started this one, of
// the same Agent; it may be of a file that was read before, comes later, or is
// gone. Project is the recorded working directory, or "" when that is none of
// this system. End is the time of the last turn, or what the tool wrote.
//
// # Turns
//
// Ids are unique in a conversation and the same at each reading, also when the
// file has grown since: the tool's uuid, else the External with the ordinal of
// the record. A text or a call that the tool may still write again is not a turn
// yet: a call of a tool is one once its result is there. Its content is the name
// and the arguments on the first line, then the result, cut to its head and tail.
//
// What was taken back (branches that were left, rollbacks, rewinds) is not read,
// and counted. A turn that was yielded before it was taken back stays where it
// was put: who imports a growing file keeps what was once said. Thoughts,
// instructions of the tool to its model, and what the tool writes into a user's
// words are left out. The summary that takes the place of compacted turns is a
// turn of the system; the turns themselves are still there.
//
// All text is valid UTF-8 without control characters but newline and tab. Nothing
// in it is judged: it is what somebody said, also when it says what to do.
//
// # Errors
//
// What is skipped is told at the end of a file, as errors that are [ErrSkipped],
// one for each kind of record. Any other error ends the sequence; what came
// before it is good.
//
// # Bounds
//
// A line above 32 MB is skipped; JSON nests at most 10,000 deep. A line of JSONL is
// forgotten when its turns are made, and chunks end at 4 MB: memory does not grow
// with the file but for a few words per record of Claude Code, whose records are
// links, and for a chat of Gemini, whose lines replace each other (128 MB of
// text). A history that is one JSON document may have 256 MB. A compressed one is
// read as far as 4 GB.
//
// # Locks
//
// None: a Format has no state, and a sequence belongs to who runs it.
//
// # Imports
//
// It imports process for the nouns, memory for the errors, and sqlite. It is the
// only importer of klauspost/compress, for the rollouts that Codex compresses:
// zstd is not in the standard library, and the module is in the program already,
// by way of gitleaks. The command imports it.
package transcript
