package postings

import (
	"errors"
	"fmt"
)

// What callers act on. Any other error is one of the disk's.
var (
	// ErrCorrupt says that the folder is damaged. The index is of no use any more:
	// close it and open it again, which begins an empty one.
	ErrCorrupt = errors.New("postings: the index is damaged")
	// ErrLocked says that another process, or another Index, writes to the folder, or
	// that nobody can: its file system is mounted read-only.
	ErrLocked = errors.New("postings: the index is in use by another writer")
	// ErrReadOnly says that an index was opened to be read.
	ErrReadOnly = errors.New("postings: the index is open for reading only")
	// ErrClosed says that the index was closed.
	ErrClosed = errors.New("postings: the index is closed")
	// ErrDocument says that a document cannot be taken as it is.
	ErrDocument = errors.New("postings: malformed document")
	// ErrFull says that no document number is left: it is time to build the index anew.
	ErrFull = errors.New("postings: no document number is left")
)

// damaged returns an ErrCorrupt that says what is wrong.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// Term is a term of one field of one document.
type Term struct {
	Text string
	Freq uint32 // how often it occurs, at least once
}

// Document is what is appended. Nothing of it is kept or changed.
type Document struct {
	// Fields holds the terms of each field, by the field's number, each term once.
	// The last ones may be left out.
	Fields [][]Term
	// Lengths are those of the fields, in whatever unit the user counts. They are
	// stored up to MaxLength, beside each of the field's terms.
	Lengths []uint32
	// Row is kept as it is. All rows of an index are equally long.
	Row []byte
}

// MaxLength is the highest length that is stored.
const MaxLength = 1<<20 - 1

// length returns the stored length of a field.
func (d *Document) length(field int) uint32 {
	if field >= len(d.Lengths) {
		return 0
	}
	return min(d.Lengths[field], MaxLength)
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
	// ReadOnly opens what was flushed last, whether or not another process writes
	// to the folder. It stays as of then. Append and Flush give ErrReadOnly; a
	// folder without an index is an empty one, a damaged folder gives ErrCorrupt.
	ReadOnly bool

	// tailBytes overrides what is kept in memory before it is written.
	tailBytes int
}

func (o *Options) validate() error {
	seen := map[string]bool{"_id": true, "": true} // bleve's own, and none
	for _, name := range o.Fields {
		if seen[name] {
			return fmt.Errorf("postings: open: field %q", name)
		}
		seen[name] = true
	}
	if len(o.Fields) == 0 || o.RowSize < 0 {
		return errors.New("postings: open: fields or size of rows")
	}
	return nil
}

// check refuses documents that the index could not give back.
func (o *Options) check(docs []Document) error {
	for i := range docs {
		d := &docs[i]
		if len(d.Row) != o.RowSize || len(d.Fields) > len(o.Fields) || len(d.Lengths) > len(o.Fields) {
			return fmt.Errorf("%w: row of %d bytes, %d fields, %d lengths", ErrDocument, len(d.Row), len(d.Fields), len(d.Lengths))
		}
		for _, terms := range d.Fields {
			for _, t := range terms {
				if t.Freq == 0 || t.Freq > MaxLength {
					return fmt.Errorf("%w: frequency of a term", ErrDocument)
				}
			}
		}
	}
	return nil
}
