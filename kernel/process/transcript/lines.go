package transcript

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxLine is the longest line that is read, in bytes: agents write pictures and
// whole files into one. A longer one is skipped.
var maxLine = 32 << 20

// line is one line of a file.
type line struct {
	n    int   // 0-based
	off  int64 // where it begins
	text []byte
	long bool // above maxLine: text is not kept
	torn bool // the last one, without its newline: its writer may not be done
}

// eachLine calls f with each line that is not empty, until f returns false. The
// text is valid during the call. It returns the error of ctx, or of reading.
func eachLine(ctx context.Context, r io.Reader, f func(line) bool) error {
	return eachLineBlank(ctx, r, func(l line) bool { return len(l.text) == 0 && !l.long || f(l) })
}

// eachLineBlank is eachLine with the empty lines.
func eachLineBlank(ctx context.Context, r io.Reader, f func(line) bool) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var buf []byte
	next := int64(0)
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := line{n: n, off: next}
		var size int
		var err error
		buf, size, err = readLine(in, buf[:0])
		next += int64(size)
		if err != nil && !errors.Is(err, io.EOF) {
			return memory.Errorf(memory.KindInternal, opRead, "%w", err)
		}
		l.torn = err != nil
		l.text, l.long = bytes.TrimRight(buf, "\r\n"), size > maxLine
		if n == 0 {
			l.text = bytes.TrimPrefix(l.text, []byte("\xef\xbb\xbf"))
		}
		if (size > 0 || l.long) && !f(l) {
			return nil
		}
		if err != nil {
			return nil
		}
		if cap(buf) > 1<<20 {
			buf = nil // one picture must not keep its memory for the rest of the file
		}
	}
}

// readLine appends the next line to buf, as far as maxLine, and returns how many
// bytes of the file it takes.
func readLine(in *bufio.Reader, buf []byte) ([]byte, int, error) {
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if size <= maxLine {
			buf = append(buf, part...)
		} else {
			buf = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, size, err
		}
	}
}
