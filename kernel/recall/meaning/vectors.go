package meaning

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// Vectors are those of the texts of one index, in a file that one process has: a head, and
// records of a key and two bytes for each dimension. In memory are the keys, and the sign of
// each dimension. The methods are safe for concurrent use.
type Vectors struct {
	path string
	by   Endpoint

	mu      sync.RWMutex
	file    *os.File // nil: they are closed, or were thrown away
	length  int      // of a vector; 0: there is none yet
	keys    map[uint64]int32
	count   int       // of the records
	signs   []uint64  // of all, with the mean taken off
	mean    []float32 // of the first
	centred int       // how many these are
}

const (
	version    = "rnixfs vectors 1" // changes with the way texts are cut and vectors kept
	headSize   = sha256.Size + 4
	recordHead = 8
	centre     = 10_000 // vectors whose mean is taken
	rescored   = 1000   // of the nearest by signs, that are compared in full
)

// fingerprint changes with whatever makes vectors that can't be compared.
func (e Endpoint) fingerprint() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %q", version, e.Model, e.DocumentPrefix, e.QueryPrefix))
	return sum[:]
}

// openVectors opens the vectors at path, and throws away those of another model.
func openVectors(path string, by Endpoint) (*Vectors, error) {
	if err := durable.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	v := &Vectors{path: path, by: by, file: f, keys: map[uint64]int32{}}
	mine, err := durable.TryLock(f, durable.Exclusive)
	if err == nil && !mine {
		err = os.ErrPermission // another process has them
	}
	if err == nil {
		err = v.load()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return v, nil
}

func (v *Vectors) size() int64 { return int64(recordHead + 2*v.length) }

func (v *Vectors) words() int { return (v.length + 63) / 64 }

func (v *Vectors) load() error {
	head := make([]byte, headSize)
	n, _ := v.file.ReadAt(head, 0)
	length := binary.LittleEndian.Uint32(head[sha256.Size:])
	if n < headSize || !bytes.HasPrefix(head, v.by.fingerprint()) || length == 0 || length > maxLength {
		return v.file.Truncate(0)
	}
	fi, err := v.file.Stat()
	if err != nil {
		return err
	}
	v.length = int(length)
	return v.take(int((fi.Size() - headSize) / v.size()))
}

// take reads the records up to the nth, all where the mean is to be taken of more.
func (v *Vectors) take(n int) error {
	if v.centred < centre && n >= 2*v.centred {
		v.centred, v.mean, v.count, v.signs = min(n, centre), make([]float32, v.length), 0, nil
		if err := v.each(v.centred, func(_ uint64, x []float32) {
			for i := range x {
				v.mean[i] += x[i] / float32(v.centred)
			}
		}); err != nil {
			return err
		}
	}
	return v.each(n, func(key uint64, x []float32) {
		v.keys[key] = int32(v.count)
		v.signs = append(v.signs, v.sign(x)...)
		v.count++
	})
}

// each reads the records that were not taken yet, up to the nth.
func (v *Vectors) each(n int, fn func(key uint64, x []float32)) error {
	from := int64(v.count)
	in := bufio.NewReaderSize(io.NewSectionReader(v.file, headSize+from*v.size(), (int64(n)-from)*v.size()), 1<<20)
	record, x := make([]byte, v.size()), make([]float32, v.length)
	for range int64(n) - from {
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		fn(decode(record, x), x)
	}
	return nil
}

func decode(b []byte, x []float32) (key uint64) {
	for i := range x {
		x[i] = float32(int16(binary.LittleEndian.Uint16(b[recordHead+2*i:]))) / math.MaxInt16
	}
	return binary.LittleEndian.Uint64(b)
}

func (v *Vectors) sign(x []float32) []uint64 {
	out := make([]uint64, v.words())
	for i := range x {
		if x[i] > v.mean[i] {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// add keeps vectors of length 1; nil stands for one that its text never gets. With the
// first of another length all are thrown away: the model is another one of that name.
func (v *Vectors) add(texts []Text, list [][]float32) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.file == nil {
		return os.ErrClosed
	}
	var out []byte
	for i, x := range list {
		switch {
		case x == nil:
			v.keys[texts[i].Key] = never // until the file is opened again
			continue
		case v.length == 0:
			v.length = len(x)
			if _, err := v.file.WriteAt(binary.LittleEndian.AppendUint32(v.by.fingerprint(), uint32(v.length)), 0); err != nil {
				return err
			}
		case v.length != len(x):
			return v.drop()
		}
		out = binary.LittleEndian.AppendUint64(out, texts[i].Key)
		for _, y := range x {
			out = binary.LittleEndian.AppendUint16(out, uint16(int16(math.Round(float64(y)*math.MaxInt16))))
		}
	}
	if len(out) == 0 {
		return nil
	}
	if _, err := v.file.WriteAt(out, headSize+int64(v.count)*v.size()); err != nil {
		return err
	}
	if err := v.take(v.count + len(out)/int(v.size())); err != nil { // some are in memory, and others not
		return errors.Join(err, v.drop())
	}
	return nil
}

// drop throws the vectors away.
func (v *Vectors) drop() error {
	err := errors.Join(v.file.Truncate(0), v.file.Close())
	v.file = nil
	return err
}

// Near is a text that is near, by its number, and how near: 1 is the same.
type Near struct {
	Text int
	Near float32
}

// nearest returns the texts nearest to a question, at most so many, the nearest first.
// Those with a slot below 0 are passed over.
func (v *Vectors) nearest(question []float32, slots []int32, most int) ([]Near, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.file == nil || len(question) != v.length || v.count == 0 {
		return nil, nil
	}
	asked, words := v.sign(question), v.words()
	far, counts := make([]int, len(slots)), make([]int, v.length+1)
	for i, s := range slots {
		if s < 0 {
			continue
		}
		for w, x := range v.signs[int(s)*words : (int(s)+1)*words] {
			far[i] += bits.OnesCount64(x ^ asked[w])
		}
		counts[far[i]]++
	}
	bound := 0
	for sum := counts[0]; bound < v.length && sum < rescored; sum += counts[bound] {
		bound++
	}
	record, x := make([]byte, v.size()), make([]float32, v.length)
	var out []Near
	for i, s := range slots {
		if s < 0 || far[i] > bound {
			continue
		}
		if _, err := v.file.ReadAt(record, headSize+int64(s)*v.size()); err != nil {
			return nil, err
		}
		decode(record, x)
		n := Near{Text: i}
		for k, y := range question {
			n.Near += y * x[k]
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Near, a.Near), cmp.Compare(a.Text, b.Text)) })
	return out[:min(most, len(out))], nil
}
