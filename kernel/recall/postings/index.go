package postings

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
)

// inverted is the index: segments and rows in a folder, and a tail in memory.
// Without a folder the tail is all of it.
type inverted struct {
	opts Options
	lock *os.File

	write   sync.Mutex // one writer at a time; guards what follows
	closed  bool
	rows    *rowsFile // nil: in memory, or to be created
	number  uint64    // of the next file
	durable manifest  // of the last flush
	dead    *deadSet  // of the last flush
	unsure  bool      // whether that is durable
	making  map[string]bool
	thinned uint32 // deleted slots that a tail without a folder has dropped

	merges merges

	mu      sync.Mutex // taken last; guards what follows
	now     *state
	mark    []byte
	spoiled bool // damage was met
	gone    bool // closed
}

var _ Index = (*inverted)(nil)

// defaultTail bounds what is held in memory before it is written: building its
// segment takes a few times as much.
const defaultTail = 24 << 20

func (ix *inverted) inMemory() bool { return ix.opts.Dir == "" }

// usable is asked first by all that write.
func (ix *inverted) usable() error {
	if ix.closed {
		return ErrClosed
	}
	if ix.opts.ReadOnly {
		return ErrReadOnly
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.spoiled {
		return ErrCorrupt
	}
	return nil
}

// publish makes a state the present one.
func (ix *inverted) publish(s *state) {
	ix.mu.Lock()
	old := ix.now
	ix.now = s
	ix.mu.Unlock()
	if old.files != s.files {
		old.files.release()
	}
}

// Append implements Index.
func (ix *inverted) Append(docs []Document) (uint32, error) {
	ix.write.Lock()
	defer ix.write.Unlock()
	if err := ix.usable(); err != nil {
		return 0, err
	}
	if err := ix.opts.check(docs); err != nil {
		return 0, err
	}
	first := ix.now.slots
	if uint64(first)+uint64(len(docs)) > math.MaxUint32-1 {
		return 0, ErrFull
	}
	chunks := ix.chunks(docs)
	if len(chunks) == 0 {
		return first, nil
	}
	if !ix.fits(chunks) {
		if err := ix.spill(); err != nil {
			return 0, err
		}
	}
	s, err := ix.sealed(chunks[:len(chunks)-1])
	if err != nil {
		return 0, err
	}
	last := chunks[len(chunks)-1]
	s.tail.add(s.slots, last)
	s.grow(last)
	ix.publish(s)
	return first, nil
}

// chunks cuts documents into what a tail may hold.
func (ix *inverted) chunks(docs []Document) [][]Document {
	if len(docs) == 0 {
		return nil
	}
	var out [][]Document
	from, cost := 0, 0
	for i := range docs {
		c := docs[i].cost()
		if !ix.inMemory() && i > from && cost+c > ix.opts.tailBytes {
			out = append(out, docs[from:i])
			from, cost = i, 0
		}
		cost += c
	}
	return append(out, docs[from:])
}

// fits reports whether documents can be added to the tail as it is.
func (ix *inverted) fits(chunks [][]Document) bool {
	if ix.inMemory() || ix.now.slots == ix.now.files.slots {
		return true
	}
	cost := ix.now.tail.cost
	for i := range chunks[0] {
		cost += chunks[0][i].cost()
	}
	return len(chunks) == 1 && cost <= ix.opts.tailBytes
}

// grow makes room for documents in a state that is not published yet. Their rows
// follow those that older states see, and so change nothing of them.
func (s *state) grow(docs []Document) {
	s.totals = slices.Clone(s.totals)
	for i := range docs {
		s.tailRows = s.opts.appendRecord(s.tailRows, &docs[i])
		for f, n := range docs[i].Lengths {
			s.totals[f] += uint64(n)
		}
	}
	s.slots += uint32(len(docs))
}

func (o *Options) check(docs []Document) error {
	for i := range docs {
		d := &docs[i]
		if len(d.Row) != o.RowSize || len(d.Fields) > len(o.Fields) || len(d.Lengths) > len(o.Fields) {
			return fmt.Errorf("%w: row of %d bytes, %d fields, %d lengths", ErrDocument, len(d.Row), len(d.Fields), len(d.Lengths))
		}
		for _, terms := range d.Fields {
			for _, t := range terms {
				if len(t.Positions) == 0 || !ascending(t.Positions) {
					return fmt.Errorf("%w: positions of a term", ErrDocument)
				}
			}
		}
	}
	return nil
}

// Delete implements Index.
func (ix *inverted) Delete(slots []uint32) error {
	ix.write.Lock()
	defer ix.write.Unlock()
	if err := ix.usable(); err != nil {
		return err
	}
	s := *ix.now
	var hit []uint32
	for _, slot := range slots {
		if slot < s.slots && !s.dead.has(slot) {
			hit = append(hit, slot)
		}
	}
	slices.Sort(hit)
	hit = slices.Compact(hit)
	if len(hit) == 0 {
		return nil
	}
	s.totals = slices.Clone(s.totals)
	err := guard(func() error {
		for _, slot := range hit {
			for f := range s.totals {
				s.totals[f] -= uint64(s.Length(slot, f))
			}
		}
		return nil
	})
	if err != nil {
		ix.spoil(err)
		return err
	}
	s.dead = s.dead.with(hit)
	ix.thin(&s)
	ix.publish(&s)
	return nil
}

// thinAfter is how many documents must be deleted before a tail is copied without
// them.
const thinAfter = 1024

// thin drops the postings of deleted slots from a tail that is never written,
// whenever most of it is deleted.
func (ix *inverted) thin(s *state) {
	gone := s.dead.count() - ix.thinned
	if ix.inMemory() && gone > thinAfter && gone > s.slots-s.dead.count() {
		s.tail = s.tail.without(s.dead)
		ix.thinned = s.dead.count()
	}
}

// Snapshot implements Index.
func (ix *inverted) Snapshot() Snapshot {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.now.files.acquire()
	return &snapshot{state: ix.now, onDamage: ix.spoil}
}

// Mark implements Index.
func (ix *inverted) Mark() []byte {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return slices.Clone(ix.mark)
}

// spoil takes note of damage, and sees to it that the folder is not opened as it
// is again.
func (ix *inverted) spoil(error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.spoiled || ix.gone || ix.inMemory() {
		return
	}
	ix.spoiled = true
	ix.condemn()
}

func (ix *inverted) condemn() {
	if !ix.opts.ReadOnly {
		_ = os.Remove(path(ix.opts.Dir, manifestName))
	}
}
