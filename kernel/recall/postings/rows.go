package postings

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// rowsFile is the file of the rows and lengths, one record of fixed width a slot.
// It only grows. The writer holds it.
type rowsFile struct {
	dir, name string
	f         *os.File
	size      int64
	sum       uint32 // of all of it
	mapped    *mapping
}

// createRows begins an empty file.
func createRows(dir, name string) (*rowsFile, error) {
	f, err := os.OpenFile(path(dir, name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	return &rowsFile{dir: dir, name: name, f: f}, nil
}

// openRows opens a file to go on after what a manifest tells of. What is there
// beyond it was never flushed.
func openRows(dir string, m fileMeta) (*rowsFile, error) {
	if err := checkRows(dir, m); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path(dir, m.Name), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	r := &rowsFile{dir: dir, name: m.Name, f: f, size: m.Size, sum: m.Sum}
	if err := f.Truncate(m.Size); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("postings: %w", err)
	}
	if err := r.cover(m.Size); err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

// checkRows is checkSize for a file that may be longer.
func checkRows(dir string, m fileMeta) error {
	info, err := os.Stat(path(dir, m.Name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return damaged("%s is missing", m.Name)
	case err != nil:
		return fmt.Errorf("postings: %w", err)
	case !info.Mode().IsRegular() || info.Size() < m.Size:
		return damaged("%s has %d bytes for %d", m.Name, info.Size(), m.Size)
	}
	return nil
}

// write adds records. After an error the file is as it was, but for bytes beyond
// its size.
func (r *rowsFile) write(records []byte) error {
	if _, err := r.f.WriteAt(records, r.size); err != nil {
		return fmt.Errorf("postings: %w", err)
	}
	size := r.size + int64(len(records))
	if err := r.cover(size); err != nil {
		return err
	}
	r.size, r.sum = size, sum(r.sum, records)
	return nil
}

// leastMapping is the room that is mapped at least.
const leastMapping = 1 << 20

// cover maps the file with room to grow into, so that it is mapped anew only when
// it has doubled. Addresses beyond its end are not touched.
func (r *rowsFile) cover(size int64) error {
	if size == 0 || r.mapped != nil && int64(len(r.mapped.data)) >= size {
		return nil
	}
	m, err := mapFile(r.dir, r.name, int(max(leastMapping, 2*size)))
	if err != nil {
		return err
	}
	r.mapped.release()
	r.mapped = m
	return nil
}

func (r *rowsFile) meta() fileMeta { return fileMeta{Name: r.name, Size: r.size, Sum: r.sum} }

func (r *rowsFile) close() error {
	if r == nil {
		return nil
	}
	r.mapped.release()
	r.mapped = nil
	return r.f.Close()
}

func (o *Options) recordSize() int { return o.RowSize + 4*len(o.Fields) }

// bare reports whether a field has no positions.
func (o *Options) bare(field int) bool { return field < len(o.NoPositions) && o.NoPositions[field] }

// appendRecord appends a document's row and lengths.
func (o *Options) appendRecord(dst []byte, d *Document) []byte {
	dst = append(dst, d.Row...)
	for f := range o.Fields {
		n := uint32(0)
		if f < len(d.Lengths) {
			n = d.Lengths[f]
		}
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

// length is that of a field in a record.
func (o *Options) length(record []byte, field int) uint32 {
	return binary.LittleEndian.Uint32(record[o.RowSize+4*field:])
}
