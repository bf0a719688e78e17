package recall

import (
	"encoding/binary"

	bleve "github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// entryPostings is a bleve index in memory, whose document ids are slots. Its writer
// holds the scope's lock, so there is one at a time.
type entryPostings struct {
	inverted index.Index
	reader   *scorch.IndexSnapshot // of what was applied last
	// slots of the documents of each segment, by segment id and document number.
	// A segment never changes, so neither does its table.
	slots    map[uint64][]uint32
	segments []segment // of the reader
}

// segment is one segment of the reader.
type segment struct {
	id         uint64
	size, live int      // documents, with and without the deleted ones
	slots      []uint32 // by document number in the segment
}

func openPostings(q *index.AnalysisQueue) (*entryPostings, error) {
	inverted, err := scorch.NewScorch(scorch.Name, map[string]any{"path": ""}, q)
	if err != nil {
		return nil, err
	}
	if err := inverted.Open(); err != nil {
		return nil, err
	}
	return &entryPostings{inverted: inverted, slots: map[uint64][]uint32{}}, nil
}

func (p *entryPostings) close() error {
	if p.reader != nil {
		_ = p.reader.Close()
		p.reader = nil
	}
	return p.inverted.Close()
}

// slotID is a slot as a document id of bleve.
func slotID(slot uint32) string {
	return string(binary.BigEndian.AppendUint32(nil, slot))
}

// batch collects changes for one call of apply. What is put wins over what is
// dropped.
type batch struct{ ops *index.Batch }

func newBatch() batch { return batch{index.NewBatch()} }

func (b batch) drop(slot uint32) { b.ops.Delete(slotID(slot)) }

func (b batch) put(slot uint32, a *analyzed) {
	doc := bleve.NewDocument(slotID(slot))
	for i, terms := range a.terms {
		if len(terms) > 0 {
			doc.AddField(newField(fieldNames[i], terms, int(a.lengths[i])))
		}
	}
	b.ops.Update(doc)
}

// apply makes a batch part of the index and moves the reader there.
func (p *entryPostings) apply(b batch) error {
	if len(b.ops.IndexOps) == 0 {
		return nil
	}
	if err := p.inverted.Batch(b.ops); err != nil {
		return err
	}
	r, err := p.inverted.Reader()
	if err != nil {
		return err
	}
	if p.reader != nil {
		_ = p.reader.Close()
	}
	p.reader = r.(*scorch.IndexSnapshot)
	return p.readSegments()
}

// readSegments brings the tables up to the reader.
func (p *entryPostings) readSegments() error {
	tables := make(map[uint64][]uint32, len(p.slots)+1)
	p.segments = p.segments[:0]
	for _, s := range p.reader.Segments() {
		slots, ok := p.slots[s.Id()]
		if !ok {
			slots = make([]uint32, s.FullSize())
			for n := range slots {
				id, err := s.DocID(uint64(n))
				if err != nil {
					return err
				}
				slots[n] = binary.BigEndian.Uint32(id)
			}
		}
		tables[s.Id()] = slots
		p.segments = append(p.segments, segment{s.Id(), int(s.FullSize()), int(s.LiveSize()), slots})
	}
	p.slots = tables
	return nil
}

// liveSlots calls yield with the slots of a segment that were not replaced or
// dropped since.
func (p *entryPostings) liveSlots(id uint64, yield func(slot uint32)) {
	for _, s := range p.reader.Segments() {
		if s.Id() != id {
			continue
		}
		deleted := s.Deleted()
		for n, slot := range p.slots[id] {
			if deleted == nil || !deleted.Contains(uint32(n)) {
				yield(slot)
			}
		}
	}
}
