package process

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Position is where the reading of a conversation goes on. The zero value is its
// beginning.
type Position struct {
	Offset int64 `json:"offset"` // of the next line, in bytes
	Number int   `json:"number"` // of the last turn before it
}

// Placed is a turn and where it stands. A turn's Offset never changes.
type Placed struct {
	Turn
	Number int   // from 1; of [Store.TurnAt] 0 where a line that was written by hand has none
	Offset int64 // of its line, in bytes
	End    int64 // of its line, behind the newline
}

// Next is the position behind the turn.
func (p Placed) Next() Position { return Position{Offset: p.End, Number: p.Number} }

// Turns yields the turns of a conversation from a position on, up to the last one that
// was acknowledged when it began. Lines that are no turns are passed over. An
// error ends it: a position that is not in the log is of KindConflict.
func (s *Store) Turns(ctx context.Context, project, uuid string, from Position) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		if err := s.scan(ctx, project, uuid, from, func(p Placed) bool { return yield(p, nil) }); err != nil {
			yield(Placed{}, failure(opRead, err))
		}
	}
}

// scan reads the turns from a position until fn says no.
func (s *Store) scan(ctx context.Context, project, uuid string, from Position, fn func(Placed) bool) error {
	f, err := s.openTurns(project, uuid)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := settled(ctx, f)
	if err == nil {
		err = checkPosition(f, from, size)
	}
	if err != nil {
		return err
	}
	in := newLineReader(io.NewSectionReader(f, from.Offset, size-from.Offset), from.Offset)
	for number, more := from.Number, true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, offset, err := in.line()
		if err != nil {
			return unlessEnd(err)
		}
		if r, ok := parse(line); ok {
			number = numberAfter(number, r)
			more = fn(Placed{Turn: r.Turn, Number: number, Offset: offset, End: in.next})
		}
	}
	return nil
}

// settled returns the file's size at a moment when nobody writes: what is whole
// then stays.
func settled(ctx context.Context, f *os.File) (int64, error) {
	if err := lock(ctx, f, durable.Shared); err != nil {
		return 0, err
	}
	defer unix.Flock(int(f.Fd()), unix.LOCK_UN) //nolint:errcheck // closing gives it back, too
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

func checkPosition(f *os.File, from Position, size int64) error {
	bad := from.Offset < 0 || from.Number < 0 || from.Offset > size
	if !bad && from.Offset > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], from.Offset-1); err != nil {
			return err
		}
		bad = last[0] != '\n'
	}
	if bad {
		return memory.Errorf(memory.KindConflict, opRead, "the position is not in the conversation: its file was changed")
	}
	return nil
}

// firstRead is how much TurnAt reads at once: most turns are shorter.
const firstRead = 8 << 10

// TurnAt returns the turn whose line begins at an offset, as [Placed] had it.
func (s *Store) TurnAt(ctx context.Context, project, uuid string, offset int64) (_ Placed, err error) {
	defer wrap(opRead, &err)
	f, err := s.openTurns(project, uuid)
	if err != nil {
		return Placed{}, err
	}
	defer f.Close()
	if err := ctx.Err(); err != nil {
		return Placed{}, err
	}
	line, err := lineAt(f, offset)
	if err != nil {
		return Placed{}, err
	}
	if r, ok := parse(line); ok {
		return Placed{Turn: r.Turn, Number: r.N, Offset: offset, End: offset + int64(len(line)) + 1}, nil
	}
	return Placed{}, memory.Errorf(memory.KindNotFound, opRead, "there is no turn at offset %d", offset)
}

// lineAt returns the whole line that begins at an offset, nil where none does.
func lineAt(f *os.File, offset int64) ([]byte, error) {
	if offset < 0 {
		return nil, nil
	}
	// The byte before it is read along: it must end a line.
	before := int(min(offset, 1))
	buf := make([]byte, firstRead)
	n, err := f.ReadAt(buf, offset-int64(before))
	if unlessEnd(err) != nil {
		return nil, err
	}
	if n < before || before == 1 && buf[0] != '\n' {
		return nil, nil
	}
	if i := bytes.IndexByte(buf[before:n], '\n'); i >= 0 {
		return buf[before : before+i], nil
	}
	line, _, err := newLineReader(io.NewSectionReader(f, offset, maxLine+1), offset).line()
	return line, unlessEnd(err)
}

func (s *Store) openTurns(project, uuid string) (*os.File, error) {
	root, at, err := s.lookup(project, uuid)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openFile(root, at.of(turnsFile), os.O_RDONLY)
}
