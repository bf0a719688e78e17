package postings

import (
	"context"
	"errors"
)

// What callers act on. Any other error is one of the disk's.
var (
	// ErrCorrupt says that the folder is damaged. The index is of no use any more:
	// close it and open it again, which begins an empty one.
	ErrCorrupt = errors.New("postings: the index is damaged")
	// ErrLocked says that another process, or another Index, writes to the folder.
	ErrLocked = errors.New("postings: the index is in use by another writer")
	// ErrReadOnly says that an index was opened to be read.
	ErrReadOnly = errors.New("postings: the index is open for reading only")
	// ErrClosed says that the index was closed.
	ErrClosed = errors.New("postings: the index is closed")
	// ErrDocument says that a document cannot be taken as it is.
	ErrDocument = errors.New("postings: malformed document")
	// ErrFull says that no slot is left: it is time to build the index anew.
	ErrFull = errors.New("postings: no slot is left")
)

// Term is a term of one field of one document.
type Term struct {
	Text string
	// Positions are where it stands, in ascending order, at least one. Their
	// number is its frequency.
	Positions []uint32
}

// Document is what is appended. Nothing of it is kept or changed.
type Document struct {
	// Fields holds the terms of each field, by the field's number, each term once.
	// The last ones may be left out.
	Fields [][]Term
	// Lengths are those of the fields, in whatever unit the user counts.
	Lengths []uint32
	// Row is kept as it is. All rows of an index are equally long.
	Row []byte
}

// Options makes an index.
type Options struct {
	// Dir is its folder; "" keeps it in memory.
	Dir string
	// Fields are the names of the fields, in the order of their numbers.
	Fields []string
	// NoPositions says by a field's number that its positions are counted and then
	// forgotten: Each gives nil. It saves about a byte a posting.
	NoPositions []bool
	// RowSize is the length of a row, in bytes.
	RowSize int
	// Fingerprint stands for whatever made the documents: analyser, format of the
	// rows. A folder with another one is emptied when it is opened.
	Fingerprint string
	// ReadOnly opens what was flushed last, whether or not another process writes
	// to the folder. It stays as of then. Append, Delete and Flush give
	// ErrReadOnly; a folder without an index is an empty one, a damaged folder
	// gives ErrCorrupt.
	ReadOnly bool

	// tailBytes overrides what is kept in memory before it is written.
	tailBytes int
}

// Index is an inverted index with one writer and any number of readers. Its
// methods are safe for concurrent use.
type Index interface {
	// Append adds documents, which snapshots taken from now on see, and returns
	// the slot of the first; the others follow. After an error none was added.
	Append(docs []Document) (first uint32, err error)
	// Delete hides slots from snapshots taken from now on. Slots that do not exist
	// or are hidden already are passed over.
	Delete(slots []uint32) error
	// Flush makes all that was appended and deleted durable, together with the
	// mark. After a crash the index is as of its last flush. After an error it is
	// as it was, and Flush can be tried again.
	Flush(mark []byte) error
	// Mark is the one of the last flush, also of a process that has ended. nil: the
	// index is new, or began anew.
	Mark() []byte
	// Snapshot is the index as it is now. It must be closed. It may outlive the
	// index, but not the next opening of the folder to write.
	Snapshot() Snapshot
	// Verify reads the whole folder and compares checksums: ErrCorrupt. What is
	// small is compared when it is opened, the rest here and before it is merged.
	Verify(ctx context.Context) error
	// Close gives up what was not flushed.
	Close() error
}

// Snapshot is an index at one moment. Its methods are safe for concurrent use.
type Snapshot interface {
	// Slots is one more than the highest slot.
	Slots() uint32
	// Live is how many slots are not deleted.
	Live() uint32
	// Deleted reports whether a slot was deleted.
	Deleted(slot uint32) bool
	// Row is the row of a slot. It must not be changed, nor be used after Close.
	Row(slot uint32) []byte
	// Length is the length of a field in a slot.
	Length(slot uint32, field int) uint32
	// Total is the sum of the lengths of a field over the slots that live.
	Total(field int) uint64
	// Each calls yield with every live slot that has the term, ascending, until
	// yield returns false. Positions are nil unless they were asked for, and hold
	// only until yield returns.
	Each(term string, field int, positions bool, yield func(slot, freq uint32, positions []uint32) bool) error
	// EachLength is Each without positions, and with what Length would give: the
	// length stands beside the frequency, so it takes no look at the row.
	EachLength(term string, field int, yield func(slot, freq, length uint32) bool) error
	Close()
}
