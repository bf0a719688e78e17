// Package recall is the ranked search over what is remembered.
//
// # What it is
//
// An [Engine] is a memory.Observer: it is told of every entry that is there and
// of every change, and [Engine.Search] answers queries over them. Each scope of
// each owner (a memory.ScopeID) has an index of its own, and a search reads the
// indexes of the scopes it was given and no others: what lies in another scope
// can not be found, because it is not looked at.
//
// A document is something that can be found (an entry; turns of conversations
// and knowledge come from other sources). It is indexed in passages of about
// sixty words, each with the document's key and tags as fields of less weight,
// and is as good as its best passage. bleve keeps the postings; the score is our
// own (see score.go), for bleve's has no coverage, no proximity and no document
// frequencies over several indexes.
//
// [Conversations] is the index of the turns of one project, on disk or in memory,
// which an engine searches together with the scopes. A turn is cut into passages
// that are documents of package postings, one slot each; the row of a slot says
// which turn it is, and a small table which process has which slots. Turns are
// ranked in three steps (see turnSearch and docs/recall.md).
//
// # What it is not
//
// It is no store: it keeps pointers to the entries that the providers hold, asks
// a [TurnReader] for the text of turns, and has on disk what can be made again. It does not decide who may read a scope; its caller does. It
// has no query syntax, so no text is a wrong query.
//
// # Invariants
//
//   - What was acknowledged can be recalled: Opened and Changed append to a
//     queue, and Search drains the queues of the scopes it reads before it reads
//     them. The engine's goroutine drains them too, so that a search rarely has
//     anything to do.
//   - Opened and Changed take short locks and never wait for indexing.
//   - The order of hits depends on the entries, the query and the clock alone,
//     not on the history of the index.
//   - The index is a cache of its documents: when bleve fails, it is built anew.
//   - The table of a Conversations and its postings are of one moment: the mark
//     of the postings says how much of the table's log belongs to them. After a
//     crash both are as of the last flush.
//   - What was removed from a Conversations is durable when Remove returns.
//
// # Lock order
//
// Engine.mu, then scopeIndex.mu (of several scopes: in the order of their ids),
// then queue.mu. Observers take Engine.mu for reading and queue.mu; whoever holds
// one of those does no indexing. Conversations.adding comes before
// Conversations.mu, and neither is held with one of the others; searches hold mu
// while they read postings, not while they read turns.
//
// # Imports
//
// It is the only importer of bleve, with postings and eval below it. It imports
// memory and process for the nouns, and is imported by the device table,
// writeback and the composition root.
package recall
