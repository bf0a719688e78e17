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
// It neither analyses text nor scores: package recall does.
//
// # Imports
//
// It is the only importer of bleve, and imports nothing of ours.
package postings
