// Package recall is the ranked search over what is remembered.
//
// # What it is
//
// An [Engine] is a memory.Observer: it is told of every entry that is there and
// of every change, and [Engine.Search] answers queries over them. Each scope of
// each owner (a memory.ScopeID) has an index of its own, in memory, and a search
// reads the indexes of the scopes it was given and no others.
//
// [Conversations] is the index of the turns of one project, on disk or in memory,
// which an engine searches together with the scopes. A [Indexes] keeps one for each
// project, in step with the store of the conversations.
//
// Entries and turns are cut into passages of about sixty words, which are the
// documents of package postings; an entry or a turn is as good as its best passage.
// The score is our own, for bleve's has no coverage, no proximity and no document
// frequencies over several indexes. Turns are ranked in three steps (see
// docs/recall.md).
//
// Where its user has a [meaning.Look], a search takes a second look by meaning (second.go):
// what is near to the question in the same scopes is fused with what words found.
//
// # What it is not
//
// It is no store: it keeps pointers to the entries that the providers hold, asks a
// [TurnReader] for the text of turns, and has on disk what can be made again. It
// does not decide who may read a scope; its caller does. It has no query syntax, so
// no text is a wrong query.
//
// # Invariants
//
//   - What was acknowledged can be recalled: Opened and Changed add to a queue, and
//     Search drains the queues of the scopes it reads before it reads them.
//   - Opened and Changed take short locks and never wait for indexing.
//   - The order of hits depends on the entries, the query and the clock alone,
//     not on the history of the index.
//   - Postings are never deleted. What is removed or replaced is passed over, and
//     an index that is mostly of that is built anew.
//   - The table of a Conversations is the user data of its postings, so both are of one
//     moment: after a crash, of the last flush.
//   - What was removed from a Conversations is durable when Remove returns.
//
// # Lock order
//
// Engine.mu, then scopeIndex.mu (of several scopes: in the order of their ids),
// then queue.mu. Observers take Engine.mu for reading and queue.mu; neither is
// held while indexing. projectIndex.turn comes before
// Conversations.adding, that before Conversations.mu, and none is held with one of
// the others; searches hold mu while they read postings, not while they read turns, and
// no lock while they wait for the vector of a question. The locks of package meaning come
// after all of these.
//
// # Imports
//
// With postings and meaning below it, it is the only importer of bleve's segments. It imports
// memory and process for the nouns, and is imported by the device table, writeback
// and the composition root.
package recall
