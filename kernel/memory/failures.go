package memory

import (
	"log/slog"
	"sync"
)

// Failures logs what fails in the background, where the same work is tried again and
// again: each failure once, until that work succeeds or fails otherwise. The zero
// value works.
type Failures struct {
	mu   sync.Mutex
	last map[string]string // the error of each work that failed
}

// Report tells how some work ended.
func (f *Failures) Report(log *slog.Logger, work string, err error, attrs ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.last, work)
		return
	}
	if f.last[work] == err.Error() {
		return
	}
	if f.last == nil {
		f.last = map[string]string{}
	}
	f.last[work] = err.Error()
	log.Error("background work failed", append(attrs, "work", work, "error", err)...)
}
