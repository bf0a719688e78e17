package meaning

import "sync"

// Texts are those of an index that is locked, by their numbers.
type Texts struct {
	N    int
	Key  func(i int) uint64 // says which text it is; 0: one that is to have no vector
	Live func(i int) bool   // whether it is there
}

// Index keeps the vectors of an index of texts, and where that of each text is. A text is
// known by its key, so neither an index that is built anew nor a crash gives it the vector
// of another one.
type Index struct {
	Path string // of the file; "": there are no vectors

	mu      sync.Mutex
	vectors *Vectors // nil: they are not open
	slots   []int32  // by text
}

// The slots of texts without a vector.
const (
	unknown int32 = -1 // it may get one
	never   int32 = -2
)

// open opens the vectors, anew when the endpoint is another one or they were thrown away.
// Only the goroutine that adds and drops vectors calls it. No search waits while it reads
// the file.
func (x *Index) open(by Endpoint) *Vectors {
	x.mu.Lock()
	if v := x.vectors; v != nil && v.by == by && v.file != nil {
		x.mu.Unlock()
		return v
	}
	x.close()
	path := x.Path
	x.mu.Unlock()
	if path == "" {
		return nil
	}
	v, _ := openVectors(path, by) // a cache: without it, words alone count
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.vectors = v; x.Path == "" { // it was closed
		x.close()
	}
	return x.vectors
}

// Close frees the file.
func (x *Index) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close()
	x.Path = ""
}

func (x *Index) close() {
	if v := x.vectors; v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.file != nil {
			_ = v.file.Close()
			v.file = nil
		}
	}
	x.vectors, x.slots = nil, nil
}

// Renumber forgets which text has which number.
func (x *Index) Renumber() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.slots = nil
}

// see returns the slots of texts that are there.
func (x *Index) see(t *Texts) ([]int32, *Vectors) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v := x.vectors
	if v == nil {
		return nil, nil
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	slots := make([]int32, t.N)
	for i := range slots {
		if i == len(x.slots) {
			x.slots = append(x.slots, unknown)
		}
		if x.slots[i] == never || !t.Live(i) {
			slots[i] = never
			continue
		}
		if x.slots[i] == unknown {
			if key := t.Key(i); key == 0 {
				x.slots[i] = never
			} else if s, ok := v.keys[key]; ok {
				x.slots[i] = s
			}
		}
		slots[i] = x.slots[i]
	}
	return slots, v
}

// Missing returns the numbers of texts without a vector, at most so many, the newest
// first. Vectors of which a quarter has no text any more are thrown away.
func (x *Index) Missing(t Texts, most int) (m Missing) {
	slots, v := x.see(&t)
	for i := len(slots) - 1; i >= 0; i-- {
		switch slots[i] {
		case never:
			continue
		case unknown:
			if len(m.Numbers) < most {
				m.Numbers = append(m.Numbers, i)
			}
		default:
			m.embedded++
		}
		m.total++
	}
	if v == nil {
		return m
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.file != nil && 4*(v.count-m.embedded) > v.count {
		_ = v.drop()
		return Missing{anew: true}
	}
	return m
}

// Nearest returns the texts nearest to a question, at most so many, the nearest first.
func (x *Index) Nearest(question []float32, t Texts, most int) ([]Near, error) {
	if slots, v := x.see(&t); v != nil {
		return v.nearest(question, slots, most)
	}
	return nil, nil
}
