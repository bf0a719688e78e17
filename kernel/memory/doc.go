// Package memory holds the nouns of rnixfs: what is remembered, whose it is, and
// what a change does to it.
//
// # What it is
//
// An [Entry] is one thing remembered. It belongs to a [Scope] (the project, all
// projects, the user, a session, an agent), and the scope of one owner is a
// [ScopeID]. A [Policy] bounds it, and [Resolve] says whose it is. A [Category] is
// what holds for entries of a kind. A [Provider] keeps the entries of one ScopeID; the
// package store is the only road to it. [EntryFields] is the table of an entry's fields. [Error] and [Kind] say what went
// wrong in a form that every front end can map (an errno in a mount, a code in JSON).
//
// # What it is not
//
// It knows no file format, no index, no scanner and no FUSE. It imports the
// standard library alone; everything else is an interface declared here by its
// consumer and wired by the composition root.
//
// # Invariants
//
//   - Entries are immutable once a provider has returned them: a change makes a
//     new *Entry. They may be shared between goroutines without a lock.
//   - [State.Plan] is the one place that decides what a change does. Providers
//     call it under their own lock, on their newest state, and then make its
//     steps durable: all or none.
//   - A limit counts runes of content (Unicode code points) and entries, exactly.
//
// Everything in kernel/ may import this package.
package memory
