package postings

import (
	"math/bits"
	"slices"
)

// A posting's frequency and positions are one number, which takes the place of
// the frequency in bleve's postings. bleve's own locations take five bytes or
// more each and are read one varint after the other; most terms stand once or
// twice in a passage, and then their positions fit here.
//
//	bits 0-2  the frequency, or 0: the rest is the frequency, and the positions
//	          are elsewhere (in bleve's locations)
//	frequency 1: the rest is the position
//	otherwise:   4 bits of width, then a gap of that width for each position
//
// A field without positions has the plain frequency.
const (
	packedFreqs = 7  // the highest frequency that is packed
	packedBits  = 62 // bleve shifts the number by one, and takes it as an int
)

// pack returns the number for ascending positions, and whether it holds them.
func pack(positions []uint32) (uint64, bool) {
	n := len(positions)
	if n == 1 {
		return uint64(positions[0])<<3 | 1, true
	}
	apart := uint64(n) << 3
	if n > packedFreqs {
		return apart, false
	}
	var highest, last uint32
	for _, p := range positions {
		highest = max(highest, p-last)
		last = p
	}
	width := bits.Len32(highest)
	if width > 15 || 7+n*width > packedBits {
		return apart, false
	}
	var v uint64
	for i := n - 1; i >= 0; i-- {
		gap := positions[i]
		if i > 0 {
			gap -= positions[i-1]
		}
		v = v<<width | uint64(gap)
	}
	return v<<7 | uint64(width)<<3 | uint64(n), true
}

// packedFreq is the frequency in a number.
func packedFreq(v uint64) uint32 {
	if n := uint32(v & 7); n != 0 {
		return n
	}
	return uint32(v >> 3)
}

// unpack appends the positions that a number holds.
func unpack(dst []uint32, v uint64) []uint32 {
	n := int(v & 7)
	if n == 1 {
		return append(dst, uint32(v>>3))
	}
	width := v >> 3 & 15
	mask := uint64(1)<<width - 1
	var at uint32
	for v >>= 7; n > 0; n-- {
		at += uint32(v & mask)
		v >>= width
		dst = append(dst, at)
	}
	return dst
}

func ascending(positions []uint32) bool { return slices.IsSorted(positions) }
