package postings

import (
	"fmt"
	"os"
)

// rowsFile is the file of the rows, one of fixed width a document. It only
// grows. The writer holds it.
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
	if err := m.checkSize(dir, true); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path(dir, m.Name), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	r := &rowsFile{dir: dir, name: m.Name, f: f, size: m.Size, sum: m.Sum}
	if err = f.Truncate(m.Size); err == nil {
		err = r.cover(m.Size)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("postings: %w", err)
	}
	return r, nil
}

// write adds rows. After an error the file is as it was, but for bytes beyond its
// size.
func (r *rowsFile) write(rows []byte) error {
	if _, err := r.f.WriteAt(rows, r.size); err != nil {
		return fmt.Errorf("postings: %w", err)
	}
	size := r.size + int64(len(rows))
	if err := r.cover(size); err != nil {
		return err
	}
	r.size, r.sum = size, sum(r.sum, rows)
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
