package recall

import "slices"

// top keeps the best of what is added, without sorting all of it.
type top[T any] struct {
	size    int
	compare func(a, b T) int // negative: a comes first
	list    []T              // the first size of them are in order once full
	full    bool
}

func (t *top[T]) add(x T) {
	if t.full && t.compare(x, t.list[t.size-1]) >= 0 {
		return
	}
	if t.list = append(t.list, x); len(t.list) >= 2*t.size {
		t.best()
		t.full = true
	}
}

// best returns the best in order.
func (t *top[T]) best() []T {
	slices.SortFunc(t.list, t.compare)
	t.list = t.list[:min(t.size, len(t.list))]
	return t.list
}
