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
	torn bool // the last one, without its newline: its writer may not be done
}

// eachLine calls f with the lines of a file, which may be compressed, until f
// returns false. The text is valid during the call. Lines above maxLine are counted
// and left out. It returns the error of ctx, or of reading.
func eachLine(ctx context.Context, w *writer, path string, f func(line) bool) error {
	file, err := open(opRead, path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	r, done, err := unpacked(file, w)
	if err != nil {
		return err
	}
	defer done()
	in := bufio.NewReaderSize(r, 64<<10)
	var buf []byte
	var next int64
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var size int
		buf, size, err = readLine(in, buf[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return memory.Errorf(memory.KindInternal, opRead, "%w", err)
		}
		l := line{n: n, off: next, text: bytes.TrimRight(buf, "\r\n"), torn: err != nil}
		if n == 0 {
			l.text = trimMark(l.text)
		}
		next += int64(size)
		switch {
		case size > maxLine:
			w.skipped.add(skipTooLong, 1)
		case size > 0 && !f(l):
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

// lines reads the lines of a file that decode as objects into T, and counts those
// that do not. The last line may be torn: nothing is said of it.
func lines[T any](ctx context.Context, w *writer, path string, f func(line, *T) bool) error {
	return eachLine(ctx, w, path, func(l line) bool {
		record, ok := parse[T](w, l)
		return !ok || f(l, record)
	})
}

// firstLine returns the first line of a file when it is an object by itself, as
// in JSONL, and nil when the file is one document over several lines.
func firstLine[T any](ctx context.Context, path string) (first *T, err error) {
	w := &writer{skipped: skips{}}
	err = eachLine(ctx, w, path, func(l line) bool {
		first, _ = parse[T](w, l)
		return len(l.text) == 0
	})
	return first, err
}

func parse[T any](w *writer, l line) (*T, bool) {
	if len(l.text) == 0 {
		return nil, false
	}
	record := new(T)
	if !isObject(l.text) || decode(l.text, record) != nil {
		if !l.torn {
			w.skipped.add(skipUnparsable, 1)
		}
		return nil, false
	}
	return record, true
}
