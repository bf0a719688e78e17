package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"time"
)

// Size is how far a conversation has come, found out without reading it: compared
// with a [Position] of it, it says whether there is more.
type Size struct {
	UUID  string
	Bytes int64 // of turns.jsonl; a last line that is not whole included
	Turns int   // number of the last turn
}

// Sizes yields the sizes of a project's conversations, sorted by uuid.
func (s *Store) Sizes(ctx context.Context, project string) iter.Seq2[Size, error] {
	return each(ctx, s, project, sizeAt)
}

// Size returns how far one conversation has come.
func (s *Store) Size(ctx context.Context, project, uuid string) (Size, error) {
	return one(ctx, s, project, uuid, sizeAt)
}

func sizeAt(root *os.Root, at place) (Size, error) {
	f, err := openFile(root, at.of(turnsFile), os.O_RDONLY)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Size{}, err
	}
	n, err := lastNumber(f, fi.Size())
	return Size{UUID: at.uuid, Bytes: fi.Size(), Turns: n}, err
}

// lastNumber finds the number of the last turn from the end of the file: each
// line carries its own. Lines that a person wrote may not; then all are counted.
func lastNumber(f *os.File, size int64) (int, error) {
	for window := int64(16 << 10); ; window *= 8 {
		from := max(size-window, 0)
		buf := make([]byte, min(window, size))
		if _, err := f.ReadAt(buf, from); unlessEnd(err) != nil {
			return 0, err
		}
		if n, ok := lastIn(buf, from == 0); ok {
			return n, nil
		}
		if from == 0 || window > maxLine {
			return countTurns(f, size)
		}
	}
}

// lastIn looks for the last numbered turn among the whole lines of a file's end.
func lastIn(buf []byte, all bool) (int, bool) {
	lines := bytes.Split(buf, []byte{'\n'})
	lines = lines[:len(lines)-1] // behind the last newline
	if !all && len(lines) > 0 {
		lines = lines[1:] // may have begun before
	}
	for _, line := range slices.Backward(lines) {
		if r, ok := parse(line); ok {
			return r.N, r.N > 0
		}
	}
	return 0, all
}

func countTurns(f *os.File, size int64) (int, error) {
	in := newLineReader(io.NewSectionReader(f, 0, size), 0)
	for n := 0; ; {
		line, _, err := in.line()
		if err != nil {
			return n, unlessEnd(err)
		}
		if r, ok := parse(line); ok {
			n = numberAfter(n, r)
		}
	}
}

// countAge is how old the sums may be where other programs write, too.
const countAge = 10 * time.Second

// Counters returns the sums. What other programs have changed may be missing for
// some seconds.
func (s *Store) Counters(ctx context.Context) (Counters, error) {
	now := s.opts.Now()
	s.counts.mu.Lock()
	known, fresh := s.counts.sum, !s.counts.taken.IsZero() && now.Sub(s.counts.taken) < countAge
	s.counts.mu.Unlock()
	if fresh {
		return known, nil
	}
	var sum Counters
	err := s.eachFolder(ctx, func(root *os.Root, folder string) error {
		sum.Projects++
		list, err := uuids(root, folder)
		for _, uuid := range list {
			if size, err := sizeAt(root, place{folder, uuid}); err == nil {
				sum.Processes++
				sum.Turns += size.Turns
				sum.Bytes += size.Bytes
			}
		}
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return Counters{}, failure("count conversations", err)
	}
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	s.counts.taken, s.counts.sum = now, sum
	return sum, nil
}
