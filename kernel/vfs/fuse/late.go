package fuse

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// lateAge is how long after a timeout the same request attaches to the work that
// goes on, in place of running again: the retry of a commit must not double it.
const lateAge = 60 * time.Second

// late finds the jobs whose callers were told ETIMEDOUT.
type late struct {
	mu    sync.Mutex
	byKey map[lateKey]*lateJob
	byJob map[*job]*lateJob
}

// lateKey is what makes two requests the same: who, where, and every byte.
type lateKey struct {
	place   place
	project string
	sum     [sha256.Size]byte
}

func keyOf(at place, project string, request []byte) lateKey {
	return lateKey{at, project, sha256.Sum256(request)}
}

type lateJob struct {
	job   *job
	key   lateKey
	chain attest.Chain // of the writer, who will read the reply
	since time.Time
}

func (l *late) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.byKey) == 0
}

// put adds a job, or renews the one of the same key.
func (l *late) put(j *lateJob) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire(j.since)
	if old := l.byKey[j.key]; old != nil {
		delete(l.byJob, old.job)
	}
	l.byKey[j.key], l.byJob[j.job] = j, j
}

// find returns the job to attach to, or nil.
func (l *late) find(key lateKey, now time.Time) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire(now)
	if j := l.byKey[key]; j != nil {
		return j.job
	}
	return nil
}

func (l *late) get(j *job) (lateJob, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := l.byJob[j]; found != nil {
		return *found, true
	}
	return lateJob{}, false
}

// remove forgets a job whose result was delivered: the next one like it is meant.
func (l *late) remove(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := l.byJob[j]; found != nil {
		delete(l.byJob, j)
		delete(l.byKey, found.key)
	}
}

// expire drops what is too old to attach to. Their number is bounded by that of
// running requests, and by this.
func (l *late) expire(now time.Time) {
	for key, j := range l.byKey {
		if now.Sub(j.since) > lateAge {
			delete(l.byKey, key)
			delete(l.byJob, j.job)
		}
	}
}
