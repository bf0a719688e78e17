package postings

import (
	"encoding/binary"
	"sync"
)

// tail is what was appended last, and in memory only. The writer adds to it;
// readers see what they copied the head of, up to the end of their snapshot.
type tail struct {
	base uint32 // its first document

	mu     sync.RWMutex
	fields []map[string]*list
	cost   int // bytes of memory, about
}

// list is the postings of a term: for each the distance to the document before, the
// frequency, and the length of the field.
type list struct {
	data []byte
	next uint32 // the document after the last one, less the base
}

func newTail(opts *Options, base uint32) *tail {
	t := &tail{base: base, fields: make([]map[string]*list, len(opts.Fields))}
	for f := range t.fields {
		t.fields[f] = map[string]*list{}
	}
	return t
}

// What a document, a posting and a term take beside their bytes, about.
const (
	documentCost = 64
	postingCost  = 18
	termCost     = 128
)

// cost is about how much memory documents take in a tail.
func cost(docs []Document) int {
	n := 0
	for i := range docs {
		n += len(docs[i].Row) + documentCost
		for _, terms := range docs[i].Fields {
			for _, t := range terms {
				n += postingCost + len(t.Text)
			}
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
	t.cost += cost(docs)
}

func (t *tail) addDocument(at uint32, d *Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for f, terms := range d.Fields {
		length := uint64(d.length(f))
		for _, term := range terms {
			l := t.fields[f][term.Text]
			if l == nil {
				l = &list{}
				t.fields[f][term.Text] = l
				t.cost += termCost
			}
			if at < l.next {
				continue // twice in one field; the first counts
			}
			l.data = binary.AppendUvarint(l.data, uint64(at-l.next))
			l.data = binary.AppendUvarint(l.data, uint64(term.Freq))
			l.data = binary.AppendUvarint(l.data, length)
			l.next = at + 1
		}
	}
}

// list returns the postings of a term as they are now.
func (t *tail) list(term string, field int) listReader {
	t.mu.RLock()
	defer t.mu.RUnlock()
	l := t.fields[field][term]
	if l == nil {
		return listReader{}
	}
	return listReader{data: l.data}
}

// listReader goes through a list.
type listReader struct {
	data []byte
	next uint32 // as in list

	at, freq, length uint32 // of the posting; at less the base
}

// read moves to the next posting.
func (r *listReader) read() bool {
	if len(r.data) == 0 {
		return false
	}
	r.at = r.next + r.uvarint()
	r.next = r.at + 1
	r.freq, r.length = r.uvarint(), r.uvarint()
	return true
}

func (r *listReader) uvarint() uint32 {
	if b := r.data[0]; b < 0x80 {
		r.data = r.data[1:]
		return uint32(b)
	}
	v, n := binary.Uvarint(r.data)
	r.data = r.data[n:]
	return uint32(v)
}
