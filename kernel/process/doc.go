// Package process keeps the conversations of agents: what was said in each run,
// in order, and how it ended.
//
// # What it is
//
// A conversation is one run of an agent; its turns are what the user, the agent and
// its tools said. A [Store] keeps the conversations of one user by project, as files
// that can be read without this program:
//
//	projects/<slug>-<hash>/           one project; "home" for directories in none
//	    project.json                  which one
//	    processes/<uuid>/
//	        process.json              a [Conversation]
//	        turns.jsonl               a turn a line, append-only; its flock(2) is the conversation's lock
//	    .changes                      uuids of conversations that changed: see [Store.Changes]
//	    index/                        belongs to recall
//	projects/.removed/<uuid>          empty: a conversation that must not come back
//	projects/.salt                    keys the ids that are derived from text
//	projects/.lock, .tmp/, .trash/    of the making and removing of conversations
//
// # What it is not
//
// It searches nothing (package recall does) and learns nothing from what it keeps
// (package writeback does). It reads no other tool's format (package transcript
// does): it takes turns.
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
//   - A broken line, or one longer than the bound, is passed over.
//   - A conversation comes into being, and goes, by one rename.
//   - No symbolic link leads out of the store's folder ([os.Root]).
//
// # Locks
//
// In this order: Store.saltMu, the flock of projects/.lock (the making of a
// conversation), log.mu, the flock of a turns.jsonl; no other is held while one is
// waited for.
//
// # Imports
//
// It imports memory for the errors and the trust levels. Recall, writeback and
// the devices import it.
package process
