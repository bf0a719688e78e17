package postings

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum"
	zap "github.com/blevesearch/zapx/v17"
)

// bleve's own iterator takes 20 ns and more for a posting, and believes the
// numbers that it reads when it allocates. We go through whole lists, so we read
// the same bytes from end to end (zapx, zap.md of version 17):
//
//	term        to a document and nothing else, or to the offset of
//	list        offset of numbers, offset of locations, length and roaring bitmap
//	numbers     count of chunks, the end of each, then for each document
//	            frequency<<1 | has locations, and a norm
//
// No field of ours has locations, and the norm is the length of the field plus one.
const (
	zapVersion = 17

	oneHitMask = uint64(3) << 62
	oneHit     = uint64(1) << 63
	oneHitDoc  = 1<<31 - 1
)

// zapList goes through a list of postings.
type zapList struct {
	many    roaring.ManyIntIterable
	one     uint32 // the only document, when there is no bitmap
	norm    uint32 // its norm
	hasOne  bool
	numbers []byte
}

// openDicts opens the dictionary of each field.
func openDicts(seg *zap.Segment, fields []string) ([]*vellum.FST, error) {
	if seg.Version() != zapVersion {
		return nil, damaged("segment of version %d", seg.Version())
	}
	out := make([]*vellum.FST, len(fields))
	for i, name := range fields {
		at, err := seg.DictAddr(name)
		if err != nil {
			return nil, err
		}
		rest, size, err := uvarint(seg.Data()[at:])
		if err != nil {
			return nil, err
		}
		if out[i], err = vellum.Load(rest[:size]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// open finds a term. It may panic on damage, like what follows.
func (l *zapList) open(data []byte, dict *vellum.FST, term string) (found bool, err error) {
	at, found, err := dict.Get([]byte(term))
	if err != nil || !found {
		return false, err
	}
	if at&oneHitMask == oneHit {
		l.one, l.norm, l.hasOne = uint32(at&oneHitDoc), uint32(at>>31&oneHitDoc), true
		return true, nil
	}
	var numbers, locations, size uint64
	rest := data[at:]
	for _, to := range []*uint64{&numbers, &locations, &size} {
		if rest, *to, err = uvarint(rest); err != nil {
			return false, err
		}
	}
	bitmap := roaring.New()
	if _, err := bitmap.FromBuffer(rest[:size]); err != nil {
		return false, err
	}
	l.many = bitmap.ManyIterator()
	l.numbers, err = chunks(data, numbers)
	return err == nil, err
}

// chunks returns what stands in the chunks at an offset, which follow each other.
func chunks(data []byte, at uint64) ([]byte, error) {
	if at == 0 {
		return nil, nil
	}
	rest, count, err := uvarint(data[at:])
	var end uint64
	for ; count > 0 && err == nil; count-- {
		rest, end, err = uvarint(rest)
	}
	if err != nil {
		return nil, err
	}
	return rest[:end], nil
}

func uvarint(data []byte) (rest []byte, v uint64, err error) {
	v, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, 0, damaged("a number")
	}
	return data[n:], v, nil
}

// docs fills in the next documents and returns how many there were.
func (l *zapList) docs(dst []uint32) int {
	if l.many != nil {
		return l.many.NextMany(dst)
	}
	if !l.hasOne {
		return 0
	}
	l.hasOne = false
	dst[0] = l.one
	return 1
}

// values fills in the frequencies and lengths of the next documents.
func (l *zapList) values(freqs, lengths []uint32) error {
	if l.many == nil { // of the only document
		for i := range freqs {
			freqs[i], lengths[i] = 1, l.norm-1
		}
		return nil
	}
	b := l.numbers
	lengths = lengths[:len(freqs)]
	for i := range freqs {
		// Mostly a frequency and a length of one byte each.
		if len(b) > 1 && b[0]|b[1] < 0x80 {
			freqs[i], lengths[i] = uint32(b[0])>>1, uint32(b[1])-1
			b = b[2:]
			continue
		}
		freq, n := binary.Uvarint(b)
		norm, m := binary.Uvarint(b[max(0, n):])
		if n <= 0 || m <= 0 {
			return damaged("a number")
		}
		freqs[i], lengths[i] = uint32(freq>>1), uint32(norm)-1
		b = b[n+m:]
	}
	l.numbers = b
	return nil
}
