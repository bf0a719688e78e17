package transcript

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// open opens a regular file for reading. Anything else could block or never end.
func open(op, path string) (*os.File, error) {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		return nil, memory.Errorf(memory.KindInvalid, op, "not a file")
	}
	if err != nil {
		return nil, fileError(op, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(op, err)
	}
	return f, nil
}

func fileError(op string, err error) error {
	kind := memory.KindInternal
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = memory.KindNotFound
	case errors.Is(err, fs.ErrPermission):
		kind = memory.KindDenied
	}
	return memory.Errorf(kind, op, "%w", err)
}

// maxDocument is the largest file that is read whole, in bytes: those that are
// one JSON document.
var maxDocument int64 = 256 << 20

// document reads a file whole.
func document(path string) ([]byte, error) {
	f, err := open(opRead, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, opRead, "%w", err)
	}
	if int64(len(text)) > maxDocument {
		return nil, memory.Errorf(memory.KindTooBig, opRead, "a document above %d MB", maxDocument>>20)
	}
	return trimMark(text), nil
}

// decodeDocument reads a file that is one JSON document.
func decodeDocument(path string, into any) error {
	text, err := document(path)
	if err != nil {
		return err
	}
	if err := decode(text, into); err != nil {
		return errDocument()
	}
	return nil
}

// beside returns a small file that another tool keeps beside its histories, nothing
// when there is none.
func beside(path string, limit int64) []byte {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > limit {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return text
}

func errDocument() error {
	return memory.Errorf(memory.KindInvalid, opRead, "not a whole JSON document")
}
