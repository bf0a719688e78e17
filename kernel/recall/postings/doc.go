// Package postings keeps inverted indexes: for each term of each field, the
// documents that have it, how often, and how long the field is there; and for each
// document a row of fixed width that means something to its user alone.
//
// # What it is
//
// Documents are numbered 0, 1, 2 and so on, in the order of appending, for ever. A
// snapshot never changes. An index lives in memory, or in a folder as a cache that
// may be deleted at any time: it carries a fingerprint of what it was made by, and
// data of its user that are durable with each flush.
//
// # What it is not
//
// It neither analyses text nor scores, and it deletes nothing: its user passes over
// documents that are gone, and builds the index anew when there are too many.
//
// # The folder
//
//	lock         held by the one writer (flock)
//	manifest     the last flush: names, sizes and checksums of the others, user data
//	rows-N       the rows
//	segment-N    the postings of neighbouring documents, in bleve's format
//
// The manifest is replaced by renaming; rows-N only grows; segments never change.
// So a crash leaves the last flush and files without a name in it, which the next
// writer removes. Nothing that grows with the number of documents is read when a
// folder is opened, but for the user data: it is mapped.
//
// # Segments
//
// What is appended lies in a tail in memory: a map from term to a list that only
// grows, of which a snapshot reads the part before its end. A flush, or a tail
// that has become too big, makes a segment of it. A segment has its documents in
// their order, so their numbers are not stored. Only neighbours are merged, in the
// background, each document once for every eightfold growth.
//
// We use bleve's segments without its index (scorch), which joins segments in any
// order, and so has to learn the id of each document when it is opened. The length
// of the field stands in the place of the norm, and lists are read without bleve's
// iterator (zaplist.go).
//
// # Damage
//
// Files are mapped, so what cannot be trusted is found in three steps. Opening
// compares the size of every file, and the checksums of small ones. Reading checks
// bounds and order, and turns a fault (mmap(2)) or a panic into [ErrCorrupt].
// Index.Verify, and each merge before it begins, compare the checksums of all that
// they read. A writer that has met damage removes the manifest, so that the next
// one begins with an empty index. Row only relies on the size that was checked:
// cutting the file of an open index makes the process fault.
//
// # Locks
//
// Index.write, then Index.mu, then tail.mu. Files are held by counting references:
// an index, a snapshot and a merge each release what they acquired. The goroutine
// that merges belongs to the index; Close ends it and waits.
//
// # Imports
//
// It is the only importer of bleve's segments (zapx) and of the bitmaps that they
// take (roaring).
package postings
