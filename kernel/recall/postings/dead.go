package postings

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// deadSet is the set of deleted slots. It never changes. nil is empty.
type deadSet struct {
	words []uint64
	n     uint32
}

func (d *deadSet) has(slot uint32) bool {
	if d == nil {
		return false
	}
	w := slot >> 6
	return int(w) < len(d.words) && d.words[w]>>(slot&63)&1 != 0
}

func (d *deadSet) count() uint32 {
	if d == nil {
		return 0
	}
	return d.n
}

// with returns the set with more slots in it.
func (d *deadSet) with(slots []uint32) *deadSet {
	if len(slots) == 0 {
		return d
	}
	out := &deadSet{}
	if d != nil {
		out.n, out.words = d.n, slices.Clone(d.words)
	}
	if need := int(slices.Max(slots)>>6) + 1; need > len(out.words) {
		out.words = append(out.words, make([]uint64, need-len(out.words))...)
	}
	for _, s := range slots {
		if !out.has(s) {
			out.words[s>>6] |= 1 << (s & 63)
			out.n++
		}
	}
	return out
}

// within counts the members in [from, to).
func (d *deadSet) within(from, to uint32) int {
	if d == nil {
		return 0
	}
	n := 0
	for w := from >> 6; int(w) < len(d.words) && w<<6 < to; w++ {
		word := d.words[w]
		if w == from>>6 {
			word &= ^uint64(0) << (from & 63)
		}
		if to-w<<6 < 64 {
			word &= 1<<(to&63) - 1
		}
		n += bits.OnesCount64(word)
	}
	return n
}

func (d *deadSet) encode() []byte {
	out := make([]byte, 0, 8*len(d.words))
	for _, w := range d.words {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

func decodeDead(data []byte) (*deadSet, error) {
	if len(data)%8 != 0 {
		return nil, damaged("deleted slots")
	}
	d := &deadSet{words: make([]uint64, len(data)/8)}
	for i := range d.words {
		d.words[i] = binary.LittleEndian.Uint64(data[8*i:])
		d.n += uint32(bits.OnesCount64(d.words[i]))
	}
	return d, nil
}
