package postings

import (
	"encoding/binary"
	"sync"
)

// tail is what was appended last, and in memory only. The writer adds to it;
// readers see what they copied the head of, up to the slots of their snapshot.
type tail struct {
	opts *Options
	base uint32 // its first slot

	mu     sync.RWMutex
	fields []map[string]*list
	cost   int // bytes of memory, about
}

// list is the postings of a term: for each the distance to the slot before, the
// packed number, and the positions that do not fit in there as gaps.
type list struct {
	data []byte
	next uint32 // the slot after the last one, less the base
}

func newTail(opts *Options, base uint32) *tail {
	t := &tail{opts: opts, base: base, fields: make([]map[string]*list, len(opts.Fields))}
	for f := range t.fields {
		t.fields[f] = map[string]*list{}
	}
	return t
}

// What a posting and a term take beside their bytes, about.
const (
	postingCost = 16
	termCost    = 128
)

func (d *Document) cost() int {
	n := len(d.Row) + 4*len(d.Lengths) + 64
	for _, terms := range d.Fields {
		for _, t := range terms {
			n += postingCost + 2*len(t.Positions) + len(t.Text)
		}
	}
	return n
}

// add takes documents in one by one, so that readers don't wait for all of them.
// None sees a part: their snapshots end before the first.
func (t *tail) add(first uint32, docs []Document) {
	for i := range docs {
		t.addDocument(first+uint32(i)-t.base, &docs[i])
	}
}

func (t *tail) addDocument(at uint32, d *Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for f, terms := range d.Fields {
		for _, term := range terms {
			t.addTerm(f, at, term)
		}
	}
	t.cost += d.cost()
}

func (t *tail) addTerm(field int, at uint32, term Term) {
	l := t.fields[field][term.Text]
	if l == nil {
		l = &list{}
		t.fields[field][term.Text] = l
		t.cost += termCost + len(term.Text)
	}
	if at < l.next {
		return // twice in one field; the first counts
	}
	l.data = binary.AppendUvarint(l.data, uint64(at-l.next))
	l.next = at + 1
	if t.opts.bare(field) {
		l.data = binary.AppendUvarint(l.data, uint64(len(term.Positions)))
		return
	}
	v, whole := pack(term.Positions)
	l.data = binary.AppendUvarint(l.data, v)
	if !whole {
		last := uint32(0)
		for _, p := range term.Positions {
			l.data = binary.AppendUvarint(l.data, uint64(p-last))
			last = p
		}
	}
}

// cursor returns nil when no slot below the limit can have the term.
func (t *tail) cursor(term string, field int, limit uint32, positions bool) cursor {
	t.mu.RLock()
	defer t.mu.RUnlock()
	l := t.fields[field][term]
	if l == nil {
		return nil
	}
	return &tailCursor{listReader{data: l.data, bare: t.opts.bare(field)}, t.base, limit, positions}
}

// listReader goes through a list.
type listReader struct {
	data []byte
	bare bool

	next uint32 // as in list
	at   uint32 // the posting's slot, less the base
	v    uint64 // its number
	rest []byte // its positions, when they are not in v
}

// read moves to the next posting.
func (r *listReader) read() bool {
	if len(r.data) == 0 {
		return false
	}
	r.at = r.next + uint32(r.uvarint())
	r.next = r.at + 1
	r.v = r.uvarint()
	if r.bare || r.v&7 != 0 {
		return true
	}
	r.rest = r.data
	for n := r.v >> 3; n > 0; n-- {
		r.uvarint()
	}
	return true
}

func (r *listReader) uvarint() uint64 {
	if b := r.data[0]; b < 0x80 {
		r.data = r.data[1:]
		return uint64(b)
	}
	v, n := binary.Uvarint(r.data)
	r.data = r.data[n:]
	return v
}

func (r *listReader) freq() uint32 {
	if r.bare {
		return uint32(r.v)
	}
	return packedFreq(r.v)
}

// positions appends those of the posting.
func (r *listReader) positions(dst []uint32) []uint32 {
	if r.bare {
		return dst
	}
	if r.v&7 != 0 {
		return unpack(dst, r.v)
	}
	p := listReader{data: r.rest}
	at := uint32(0)
	for n := r.v >> 3; n > 0; n-- {
		at += uint32(p.uvarint())
		dst = append(dst, at)
	}
	return dst
}

type tailCursor struct {
	listReader
	base, limit uint32
	positional  bool
}

func (c *tailCursor) next(h *hits) error {
	h.n, h.positions = 0, h.positions[:0]
	for h.n < batchHits && c.read() {
		if c.base+c.at >= c.limit {
			c.data = nil
			break
		}
		h.slots[h.n], h.freqs[h.n] = c.base+c.at, c.freq()
		if c.positional {
			h.positions = c.positions(h.positions)
			h.ends[h.n] = uint32(len(h.positions))
		}
		h.n++
	}
	return nil
}

// without is the tail less the postings of deleted slots.
func (t *tail) without(dead *deadSet) *tail {
	out := newTail(t.opts, t.base)
	for f, lists := range t.fields {
		for term, l := range lists {
			r := listReader{data: l.data, bare: t.opts.bare(f)}
			for r.read() {
				if !dead.has(t.base + r.at) {
					out.copyPosting(f, term, &r)
				}
			}
		}
	}
	return out
}

func (t *tail) copyPosting(field int, term string, r *listReader) {
	l := t.fields[field][term]
	if l == nil {
		l = &list{}
		t.fields[field][term] = l
		t.cost += termCost + len(term)
	}
	l.data = binary.AppendUvarint(l.data, uint64(r.at-l.next))
	l.next = r.at + 1
	l.data = binary.AppendUvarint(l.data, r.v)
	if !r.bare && r.v&7 == 0 {
		l.data = append(l.data, r.rest[:len(r.rest)-len(r.data)]...)
	}
	t.cost += postingCost
}
