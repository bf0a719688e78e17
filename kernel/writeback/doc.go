// Package writeback turns what was said in conversations into memory.
//
// # What it is
//
// When a process ends, a job is put into a spool (package spool). A [Worker] takes
// one job after the other: it finds the conversation, decides whether it is worth
// learning from, has candidates extracted from what was said since the last time (package
// rules, or a model of package llm where one is configured), compares each with what is
// remembered and with what was removed, and hands the rest to the store like anybody who
// writes. Of each conversation it keeps a summary. A job whose model is not there waits.
//
// # What it is not
//
// It reads no other tool's format, scans nothing itself and writes no file of
// memory: an importer, the store and its scanner do. It searches nothing.
//
// # Invariants
//
//   - An entry that it stored is stamped extracted, with the process, the turns and
//     the job, and evicts nothing. What a person wrote or pinned it neither replaces
//     nor removes: what a model would do to that is a proposal in the job's record. What
//     an agent wrote is changed by a model alone.
//   - What a model changes rests on the words of a turn that the user or the agent spoke.
//   - A job that is done again, whole or from where it was killed, stores nothing
//     twice.
//   - What was removed, by whomever, is learned again only when a person asks for it
//     after that.
//   - Neither logs nor records hold any text of a conversation.
//
// # Locks
//
// The lock of the claim on a job is held while it is worked on; those of the stores
// are taken below it. The worker has one goroutine, which [Worker.Run] is.
//
// It imports memory, process, recall/analysis and its own rules, llm and spool; the devices and the composition
// root import it.
package writeback
