package process

import (
	"context"
	"errors"
	"io"
)

// Examined is what is in a log, for tests.
type Examined struct {
	Turns, Broken int   // lines that are turns, and that are none
	Torn, Bytes   int64 // behind the last newline, and of the whole file
}

// Examine reads a whole log and counts.
func (s *Store) Examine(_ context.Context, project, uuid string) (e Examined, err error) {
	defer wrap(opRead, &err)
	f, err := s.openTurns(project, uuid)
	if err != nil {
		return e, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return e, err
	}
	e.Bytes = fi.Size()
	for in := newLineReader(f, 0); ; {
		line, _, err := in.line()
		if errors.Is(err, io.EOF) {
			e.Torn = e.Bytes - in.next
			return e, nil
		}
		if err != nil {
			return e, err
		}
		if _, ok := parse(line); ok {
			e.Turns++
		} else {
			e.Broken++
		}
	}
}
