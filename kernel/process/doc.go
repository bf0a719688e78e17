// Package process keeps the conversations of agents: what was said in each run,
// in order, and how it ended.
//
// # What it is
//
// A process is one run of an agent; its turns are what the user, the agent and
// its tools said. A [Store] keeps the processes of one user by project, as files
// that can be read without this program:
//
//	projects/<slug>-<hash>/           one project; "home" for directories in none
//	    project.json                  which one
//	    processes/<uuid>/
//	        process.json              a [Conversation]
//	        turns.jsonl               a turn a line, append-only; its flock(2) is the process's lock
//	    index/                        belongs to recall
//	projects/.removed/<uuid>          empty: a conversation that must not come back
//	projects/.salt                    keys the ids that are derived from text
//	projects/.lock, .tmp/, .trash/    of the making and removing of processes
//
// # What it is not
//
// It searches nothing (package recall does) and learns nothing from what it keeps
// (package writeback does). It reads no other tool's format (package
// recall/transcript does): it takes turns.
//
// # Invariants
//
//   - No text is written that the redactor has not returned. Without a redactor
//     nothing is taken.
//   - What [Store.Append] acknowledged is durable, and there once: a turn whose id
//     is there is not kept again, however many programs append.
//   - Lines are never changed, so an offset names a turn for ever. What is behind
//     the last newline is a write that was cut off: readers ignore it, the next
//     append completes or cuts it.
//   - A broken line, or one longer than the bound, is passed over and counted.
//   - A process comes into being, and goes, by one rename.
//   - Symbolic links below the store's folder are not followed.
//
// # Locks
//
// In this order: the flock of projects/.lock (the making of a process), log.mu,
// the flock of a turns.jsonl, Store.mu. Observers are called with log.mu held, so
// that they see the turns of a process in order.
//
// # Imports
//
// It imports memory for the errors and the trust levels. Recall, writeback and
// the devices import it.
package process
