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
// # What it is not
//
// It is no store: it keeps pointers to the entries that the providers hold, and
// nothing on disk. It does not decide who may read a scope; its caller does. It
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
//
// # Lock order
//
// Engine.mu, then scopeIndex.mu (of several scopes: in the order of their ids),
// then queue.mu. Observers take Engine.mu for reading and queue.mu; whoever holds
// one of those does no indexing.
//
// # Imports
//
// It is the only importer of bleve. It imports memory for the nouns, and is
// imported by the device table, writeback and the composition root.
package recall
