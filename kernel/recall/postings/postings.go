package postings

// Term is a term of one field of one document.
type Term struct {
	Text string
	// Positions are where it stands, in ascending order. Their number is its
	// frequency.
	Positions []uint32
}

// Document is what is appended.
type Document struct {
	// Fields holds the terms of each field, by the field's number, each term once.
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
	// RowSize is the length of a row, in bytes.
	RowSize int
	// Fingerprint stands for whatever made the documents: analyser, format of the
	// rows. A folder with another one is emptied when it is opened.
	Fingerprint string
}

// Index is an inverted index with one writer and any number of readers.
type Index interface {
	// Append adds documents, which snapshots taken from now on see, and returns
	// the slot of the first; the others follow.
	Append(docs []Document) (first uint32, err error)
	// Delete hides slots from snapshots taken from now on.
	Delete(slots []uint32) error
	// Flush makes all that was appended and deleted durable, together with the
	// mark. After a crash the index is as of its last flush.
	Flush(mark []byte) error
	// Mark is the one of the last flush, also of a process that has ended.
	Mark() []byte
	// Snapshot is the index as it is now. It must be closed.
	Snapshot() Snapshot
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
	// Row is the row of a slot. It must not be changed.
	Row(slot uint32) []byte
	// Length is the length of a field in a slot.
	Length(slot uint32, field int) uint32
	// Total is the sum of the lengths of a field over the slots that live.
	Total(field int) uint64
	// Each calls yield with every live slot that has the term, ascending, until
	// yield returns false. Positions are nil unless they were asked for, and hold
	// only until yield returns.
	Each(term string, field int, positions bool, yield func(slot, freq uint32, positions []uint32) bool) error
	Close()
}
