// Package store is the one way to change what is remembered.
//
// # What it is
//
// [Store] takes a [Request], decides what it means, has its texts scanned, and
// gives the change to the provider of its scope under that scope's limit. [Reply]
// says what came of it. Request and Reply are the JSON contract of the commit and
// profile devices.
//
// # What it is not
//
// It knows no file format, no index, no scanner and no FUSE: what it needs is an
// interface of kernel/memory, wired by the composition root. What a change does to
// a list of entries is decided by [memory.State.Plan].
//
// # Invariants
//
//   - Every text is scanned, in the form in which it is stored, before it reaches a
//     provider, a journal, a temporary file or an observer.
//   - The reply comes after the change is durable and recallable.
//
// # Lock order
//
// Store.mu, then a provider's own locks. Observers are called with the provider's
// lock held, in the order of the changes; they must not block and must not call
// back.
package store
