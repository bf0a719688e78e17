package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

const (
	// MaxContent bounds the text of one turn, in bytes.
	MaxContent = 8 << 20
	// maxLine bounds a line: JSON may write a byte as six.
	maxLine = 16 << 20
)

// record is a line of turns.jsonl.
type record struct {
	// N is the number of the turn in its conversation, from 1, so that it is known
	// without reading what is before it. Lines written by hand may have none.
	N int `json:"n,omitempty"`
	Turn
}

// maxNumber bounds what is believed of a line's number.
const maxNumber = 1 << 40

// numberAfter is the number of a turn whose predecessor has the number last.
func numberAfter(last int, r record) int {
	if r.N > last {
		return r.N
	}
	return last + 1
}

// parse reads a line. One that is no turn is broken.
func parse(line []byte) (record, bool) {
	var r record
	if json.Unmarshal(line, &r) != nil || r.ID == "" || !r.Role.Valid() || r.N < 0 {
		return record{}, false
	}
	if r.N > maxNumber {
		r.N = 0
	}
	r.Time = utc(r.Time)
	return r, true
}

// unlessEnd is no error at the end of what is read.
func unlessEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// lineReader reads whole lines in bounded memory.
type lineReader struct {
	in   *bufio.Reader
	next int64 // offset of the next line
	buf  []byte
}

func newLineReader(in io.Reader, at int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), next: at}
}

// line returns the next line that ends in a newline, without it, and its offset.
// A line over the bound is nil. The line is valid until the next call. At the end,
// or before a line that is not whole, the error is io.EOF.
func (r *lineReader) line() (line []byte, offset int64, err error) {
	r.buf = r.buf[:0]
	offset = r.next
	size := int64(0)
	for {
		part, err := r.in.ReadSlice('\n')
		size += int64(len(part))
		whole := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, offset, err
		}
		if size > maxLine {
			if whole {
				r.next += size
				return nil, offset, nil
			}
			continue
		}
		if whole && len(r.buf) == 0 {
			r.next += size
			return part[:len(part)-1], offset, nil
		}
		r.buf = append(r.buf, part...)
		if whole {
			r.next += size
			return r.buf[:len(r.buf)-1], offset, nil
		}
	}
}
