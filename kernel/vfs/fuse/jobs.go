package fuse

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// job is requests that came together and run.
type job struct {
	from     asker
	chain    attest.Chain // the asker's
	requests [][]byte
	done     chan struct{} // closed when results are set
	results  []vfs.Result  // one for each request that ran: all succeeded but the last, perhaps

	lateness // guarded by lateJobs.mu
}

// last is the result of the request that ran last.
func (j *job) last() vfs.Result { return j.results[len(j.results)-1] }

// lateAge is how long after a timeout the same request attaches to the job that
// goes on, in place of running again: the retry of a commit must not double it.
const lateAge = 60 * time.Second

// lateJobs makes retries idempotent: it finds the jobs whose callers were told
// ETIMEDOUT.
type lateJobs struct {
	mu sync.Mutex
	m  map[lateKey]*job
}

// lateKey is what makes two requests the same: the user, the device, the project,
// and every byte.
type lateKey struct {
	place place
	home
	sum [sha256.Size]byte
}

// lateness is what lateJobs knows of a job.
type lateness struct {
	key   lateKey // set before it runs
	same  *job    // the late job that it waits for
	left  time.Time
	ended bool
}

// same names where a job's caller belongs, and returns the late job with the same requests, or
// nil.
func (l *lateJobs) same(j *job, at home) *job {
	sum := sha256.New()
	for _, request := range j.requests {
		sum.Write(request)
	}
	key := lateKey{place: j.from.place(), home: at, sum: [sha256.Size]byte(sum.Sum(nil))}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, old := range l.m {
		if time.Since(old.left) > lateAge {
			delete(l.m, key)
		}
	}
	j.key, j.same = key, l.m[key]
	l.add(j)
	return j.same
}

// leave notes that the caller was told ETIMEDOUT; false when the job ended just now.
func (l *lateJobs) leave(j *job) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.ended {
		return false
	}
	j.left = time.Now()
	l.add(j)
	return true
}

// add lets a job be found when it is late and its key known. The caller holds l.mu.
func (l *lateJobs) add(j *job) {
	if j.left.IsZero() || j.key == (lateKey{}) {
		return
	}
	if l.m == nil {
		l.m = map[lateKey]*job{}
	}
	l.m[j.key] = j
}

// end notes that a job has its results, and reports whether it is late.
func (l *lateJobs) end(j *job) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j.ended = true
	return !j.left.IsZero()
}

// delivered forgets the late job whose results a retry was given: the next request
// like it is meant as a new one.
func (l *lateJobs) delivered(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.same != nil {
		delete(l.m, j.key)
	}
}
