// Package postings keeps inverted indexes: for each term of each field, the
// slots that have it, how often and where; and for each slot a row of fixed
// width that means something to its user alone.
//
// # What it is
//
// A slot is a number that is given to a document when it is appended: 0, 1, 2
// and so on, in the order of appending, for ever. A snapshot never changes.
// An index lives in memory, or in a folder as a cache that may be deleted at any
// time: it carries a fingerprint of what it was made by, and a mark, set by its
// user, of how far it has got.
//
// # What it is not
//
// It neither analyses text nor scores: package recall does. It does not give
// slots again: whoever replaces documents all the time builds the index anew once
// in a while.
//
// # The folder
//
//	lock         held by the one writer (flock)
//	manifest     the last flush: names, sizes and checksums of the others, totals, mark
//	rows-N       a record for each slot: its row, and the length of each field
//	segment-N    the postings of neighbouring slots, in bleve's format
//	gaps-N       the slots of a segment that have no document in it any more
//	dead-N       a bit for each deleted slot
//
// The manifest is replaced by renaming; rows-N only grows; the others never
// change. So a crash leaves the last flush and files that nobody names, which the
// next writer removes. Nothing that grows with the number of slots is read when a
// folder is opened, but for the bits of the deleted ones: the rest is mapped.
//
// # Segments
//
// What is appended lies in a tail in memory: a map from term to a list that only
// grows, of which a snapshot reads the part before its end. A flush, or a tail
// that has become too big, makes a segment of it. Segments hold their slots in
// order, so a document's number, with the gaps before it, tells its slot: there
// are no document ids. Only neighbours are merged, in the background, each
// document once for every eightfold growth.
//
// We use bleve's segments without its index (scorch), which joins segments in any
// order, and so has to learn the id of each document when it is opened. Positions
// stand in the place of the frequency (pack.go), at about one byte instead of six;
// the length of the field in the place of the norm; and lists are read without bleve's iterator (zaplist.go).
//
// # Damage
//
// Files are mapped, so what cannot be trusted is found in three steps. Opening
// compares the size of every file, and the checksums of small ones. Reading checks
// bounds and order, and turns a fault (mmap(2)) or a panic into [ErrCorrupt]. Index.Verify, and each merge before it begins, compare the
// checksums of all that they read. A writer that has met damage removes the
// manifest, so that the next one begins with an empty index. Row and Length only
// rely on the size that was checked: who cuts the file of an open index makes the
// process fault.
//
// # Locks
//
// inverted.write, then inverted.mu, then tail.mu. Files are held by counting
// references: an index, a snapshot and a merge each release what they acquired.
// The goroutine that merges belongs to the index; Close ends it and waits.
//
// # Imports
//
// It is the only importer of bleve's segments (zapx) and of the bitmaps that they
// take (roaring), and imports nothing of ours.
package postings
