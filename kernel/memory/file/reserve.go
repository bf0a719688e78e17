package file

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// journalReserve is the room that is kept free at the journal's end for changes
// that only remove: on a full disk they must work, for they make room.
const journalReserve = 64 << 10

// reserve makes sure of that room before the batch writes. A batch with new texts
// fails where there is none; one that only removes takes what is left.
func (b *batch) reserve() error {
	p, need := b.p, b.p.mark.Journal+int64(len(b.lines))+journalReserve
	if need <= p.reserved {
		return nil
	}
	// Twice as much, so that it is asked for once in many changes.
	err := p.journal.Reserve(p.mark.Journal, need-p.mark.Journal+journalReserve)
	switch {
	case err == nil:
		p.reserved = need + journalReserve
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		p.reserved = math.MaxInt64 // this file system reserves nothing
	case b.grows():
		return fmt.Errorf("reserve room for the journal: %w", err)
	}
	return nil
}

// grows reports whether the batch writes a file.
func (b *batch) grows() bool {
	for _, op := range b.ops {
		if op.data != nil && !op.keep {
			return true
		}
	}
	return false
}
