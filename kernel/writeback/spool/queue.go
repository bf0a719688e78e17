package spool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// QueueOptions adjust a [Queue]. The zero value works.
type QueueOptions struct {
	Now  func() time.Time // default time.Now
	Rand func() float64   // from 0 to 1, for the jitter; default math/rand/v2
	// Settle is how long a job waits for a later one of the same conversation to
	// take its place; nil: not at all. It is asked once for each job.
	Settle func(Job) time.Duration

	Base        time.Duration // the first wait after a failure, doubled each time; default 2 s
	MaxWait     time.Duration // default 1 h
	MaxAttempts int           // that failed, and the job is dead; default 8
	MaxCrashes  int           // of the worker with this job in hand, and the job is dead; default 20
	MaxDone     int           // records of jobs that are done; default 1000
	MaxDoneAge  time.Duration // of them; default 90 days
}

// Queue is the side of a spool that works on its jobs. It is safe for concurrent
// use, and any number of programs may have the same folder: a job is in one
// claimer's hands at a time, and so is a conversation.
type Queue struct {
	dir  string
	opts QueueOptions

	mu    sync.Mutex
	seen  map[string]*waiting // jobs in new/, whose files never change, by name; guarded by mu
	done  tally               // guarded by mu
	lists map[string]*listing // folders as they were read last; guarded by mu
}

// Open returns the queue of a spool's folder, which need not be there.
func Open(dir string, opts QueueOptions) *Queue {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Rand == nil {
		opts.Rand = rand.Float64
	}
	opts.Base = cmp.Or(opts.Base, 2*time.Second)
	opts.MaxWait = cmp.Or(opts.MaxWait, time.Hour)
	opts.MaxAttempts = cmp.Or(opts.MaxAttempts, 8)
	opts.MaxCrashes = cmp.Or(opts.MaxCrashes, 20)
	opts.MaxDone = cmp.Or(opts.MaxDone, 1000)
	opts.MaxDoneAge = cmp.Or(opts.MaxDoneAge, 90*24*time.Hour)
	return &Queue{dir: dir, opts: opts, seen: map[string]*waiting{}}
}

// Dir is the spool's folder.
func (q *Queue) Dir() string { return q.dir }

// The folders of a spool.
const (
	tmpDir     = "tmp"
	newDir     = "new"
	curDir     = "cur"
	doneDir    = "done"
	deadDir    = "dead"
	learnedDir = "learned"
	lockName   = ".lock"
)

// waiting is a job that somebody may take. It is never changed.
type waiting struct {
	id  string
	in  string // newDir or curDir
	job Job
	key string // of the conversation
	due time.Time
}

// Claim takes the oldest job that is due. The claim is nil when there is none;
// next is then when one will be, zero for never. Whoever has a claim ends it by
// Done, Fail or Release.
func (q *Queue) Claim(ctx context.Context) (c *Claim, next time.Time, err error) {
	if _, err := os.Lstat(q.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, time.Time{}, nil
	}
	err = q.withLock(ctx, func() error {
		c, next, err = q.claim(ctx)
		return err
	})
	if err != nil {
		return nil, time.Time{}, failure("claim job", err)
	}
	return c, next, nil
}

func (q *Queue) claim(ctx context.Context) (*Claim, time.Time, error) {
	for {
		jobs, err := q.waiting()
		if err != nil {
			return nil, time.Time{}, err
		}
		var next time.Time
		var first *waiting
		now := q.opts.Now()
		for _, w := range jobs {
			if !w.due.After(now) {
				first = w
				break
			}
			if next.IsZero() || w.due.Before(next) {
				next = w.due
			}
		}
		if first == nil {
			return nil, next, ctx.Err()
		}
		c, err := q.take(first)
		if c != nil || err != nil {
			return c, time.Time{}, err
		}
		// It was dead, or done already: look again.
	}
}

// waiting lists the jobs that are free, the oldest first, each conversation once
// and without those that somebody has in hand. The queue's lock is held.
func (q *Queue) waiting() ([]*waiting, error) {
	retried, busy, err := q.retried()
	if err != nil {
		return nil, err
	}
	fresh, err := q.fresh()
	if err != nil {
		return nil, err
	}
	all, err := q.collapse(append(retried, fresh...))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(w *waiting) bool { return busy[w.key] }), nil
}

// fresh lists new/.
func (q *Queue) fresh() ([]*waiting, error) {
	names, err := q.names(newDir)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	there := make(map[string]*waiting, len(names))
	out := make([]*waiting, 0, len(names))
	for _, id := range names {
		w := q.seen[id]
		if w == nil {
			log, err := q.read(newDir, id)
			if gone, err := q.putAside(newDir, id, err); gone || err != nil {
				if err != nil {
					return nil, err
				}
				continue
			}
			if log.bad {
				log.job = Job{} // take says so
			}
			w = q.handedIn(id, log.job)
		}
		there[id] = w
		out = append(out, w)
	}
	q.seen = there
	return out, nil
}

func (q *Queue) handedIn(id string, job Job) *waiting {
	due := timeOf(id)
	if q.opts.Settle != nil {
		due = due.Add(q.opts.Settle(job))
	}
	return &waiting{id: id, in: newDir, job: job, key: keyOf(job, id), due: due}
}

// retried lists cur/: what is free there, and the conversations that somebody has
// in hand.
func (q *Queue) retried() (free []*waiting, busy map[string]bool, err error) {
	names, err := q.names(curDir)
	if err != nil {
		return nil, nil, err
	}
	busy = map[string]bool{}
	for _, id := range names {
		f, err := q.open(curDir, id)
		if gone, err := q.putAside(curDir, id, err); gone || err != nil {
			if err != nil {
				return nil, nil, err
			}
			continue
		}
		log, err := readLog(f)
		held := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil
		f.Close()
		switch {
		case err != nil:
			return nil, nil, err
		case held:
			busy[keyOf(log.job, id)] = true
		default:
			free = append(free, &waiting{id: id, in: curDir, job: log.job, key: keyOf(log.job, id), due: log.next})
		}
	}
	return free, busy, nil
}

// putAside looks at the error of opening a job. What is no file of ours (a link, a
// folder, somebody else's) goes to the dead ones: it must not stop the others.
func (q *Queue) putAside(folder, id string, err error) (gone bool, _ error) {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return err != nil, nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.EACCES):
		return true, q.move(id, folder, deadDir)
	}
	return false, err
}

// collapse keeps of each conversation the newest job: it brings all that the
// earlier ones would have. Those go.
func (q *Queue) collapse(all []*waiting) ([]*waiting, error) {
	slices.SortFunc(all, func(a, b *waiting) int { return strings.Compare(a.id, b.id) })
	last := make(map[string]*waiting, len(all))
	gone := map[*waiting]bool{}
	for _, w := range all {
		if old := last[w.key]; old != nil && replaces(w.job, old.job) {
			gone[old] = true
		}
		last[w.key] = w
	}
	for w := range gone {
		if err := remove(q.path(w.in, w.id)); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(w *waiting) bool { return gone[w] }), nil
}

// replaces says whether a later job of a conversation brings all that an earlier
// one would: where to read it, and how it ended.
func replaces(later, earlier Job) bool {
	return (later.Transcript != "" || earlier.Transcript == "") && (later.ExitCode != nil || earlier.ExitCode == nil)
}

// keyOf names the conversation of a job; one that names none is like no other.
func keyOf(j Job, id string) string {
	switch {
	case j.Process != "":
		return "process\x00" + j.Process
	case j.External != "":
		return strings.Join([]string{"external", j.Agent, j.External, j.Subagent}, "\x00")
	case j.Transcript != "":
		return "transcript\x00" + j.Transcript
	}
	return "job\x00" + id
}

// take puts a job into a claim, or nil when it turned out to be none to work on.
func (q *Queue) take(w *waiting) (*Claim, error) {
	f, err := q.open(w.in, w.id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close() // somebody looks at it by hand
		return nil, err
	}
	c, err := q.enter(w, f)
	if c == nil {
		f.Close()
	}
	return c, err
}

func (q *Queue) enter(w *waiting, f *os.File) (*Claim, error) {
	log, err := readLog(f)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(q.path(doneDir, w.id)); err == nil { // killed before it could go
		d, _ := q.Record(w.id) // one that can't be read has no marks
		d.Job = w.id
		return nil, q.finish(d, w.in)
	}
	c := &Claim{ID: w.id, Job: log.job, Attempt: log.fails + 1, queue: q, file: f, in: w.in, log: log}
	switch {
	case log.bad:
		return nil, c.bury("the job's file can't be read")
	case log.crashes() >= q.opts.MaxCrashes:
		return nil, c.bury("the worker ended again and again while it was at this job")
	}
	if w.in == newDir {
		if err := q.move(w.id, newDir, curDir); err != nil {
			return nil, err
		}
		c.in = curDir
	}
	// Without a flush: a count that a power cut takes back does no harm.
	return c, c.note(event{Event: eventClaim})
}

// names lists the ids of the jobs in a folder, the oldest first.
func (q *Queue) names(folder string) ([]string, error) {
	f, err := os.Open(filepath.Join(q.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	ids := list[:0]
	for _, name := range list {
		if id, ok := strings.CutSuffix(name, ".json"); ok && id != "" && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (q *Queue) path(folder, id string) string { return filepath.Join(q.dir, folder, id+".json") }

func (q *Queue) open(folder, id string) (*os.File, error) {
	return os.OpenFile(q.path(folder, id), os.O_RDWR|unix.O_NOFOLLOW, 0)
}

// move renames a job from one folder into another, which is made if need be.
func (q *Queue) move(id, from, to string) error {
	err := os.Rename(q.path(from, id), q.path(to, id))
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Join(q.dir, to), 0o700); err != nil {
			return err
		}
		err = os.Rename(q.path(from, id), q.path(to, id))
	}
	return err
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// withLock runs fn while no other program claims.
func (q *Queue) withLock(ctx context.Context, fn func() error) error {
	return lockFile(ctx, filepath.Join(q.dir, lockName), fn)
}

// lockFile runs fn while no other program has the file locked.
func lockFile(ctx context.Context, path string, fn func() error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return fn()
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// failure makes an error of this package's own kind of any other.
func failure(op string, err error) error {
	var e *memory.Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return memory.Errorf(memory.KindTimeout, op, "%w", err)
	case errors.Is(err, fs.ErrNotExist):
		return memory.Errorf(memory.KindNotFound, op, "no such job")
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}
