package postings

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPack(t *testing.T) {
	for name, test := range map[string]struct {
		positions []uint32
		whole     bool
	}{
		"first":     {[]uint32{0}, true},
		"last":      {[]uint32{math.MaxUint32}, true},
		"same":      {[]uint32{0, 0, 0}, true},
		"passage":   {[]uint32{1, 20, 33, 40, 41, 59, 60}, true},
		"too many":  {[]uint32{1, 2, 3, 4, 5, 6, 7, 8}, false},
		"too far":   {[]uint32{1, 1 << 15}, true},
		"farther":   {[]uint32{1, 1<<15 + 1}, false},
		"too bulky": {[]uint32{1, 2, 3, 4, 5, 6, 600}, false},
	} {
		v, whole := pack(test.positions)
		if whole != test.whole || packedFreq(v) != uint32(len(test.positions)) {
			t.Errorf("%s: packed %v, frequency %d", name, whole, packedFreq(v))
		}
	}
}

func TestPackUnpack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.SampledFrom([]uint32{100, 1 << 15, math.MaxUint32}).Draw(t, "far")
		at := rapid.SliceOfN(rapid.Uint32Range(0, far), 1, 10).Draw(t, "at")
		slices.Sort(at)
		v, whole := pack(at)
		if v >= 1<<packedBits || packedFreq(v) != uint32(len(at)) {
			t.Fatalf("%v: %x", at, v)
		}
		if got := unpack(nil, v); whole && !slices.Equal(got, at) {
			t.Fatalf("%v for %v", got, at)
		}
	})
}
