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

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// QueueOptions adjust a [Queue]. The zero value works.
type QueueOptions struct {
	Now  func() time.Time // default time.Now
	Rand func() float64   // from 0 to 1, for the jitter; default math/rand/v2
	// Settle is how long a job waits for a later one of the same conversation to
	// take its place; nil: not at all.
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

	mu   sync.Mutex
	seen map[string]*pending // jobs as they were read last, by id; guarded by mu
}

// Open returns the queue of a spool's folder, which need not be there.
func Open(dir string, opts QueueOptions) *Queue {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Rand == nil {
		opts.Rand = rand.Float64
	}
	if opts.Settle == nil {
		opts.Settle = func(Job) time.Duration { return 0 }
	}
	opts.Base = cmp.Or(opts.Base, 2*time.Second)
	opts.MaxWait = cmp.Or(opts.MaxWait, time.Hour)
	opts.MaxAttempts = cmp.Or(opts.MaxAttempts, 8)
	opts.MaxCrashes = cmp.Or(opts.MaxCrashes, 20)
	opts.MaxDone = cmp.Or(opts.MaxDone, 1000)
	opts.MaxDoneAge = cmp.Or(opts.MaxDoneAge, 90*24*time.Hour)
	return &Queue{dir: dir, opts: opts}
}

// pending is a job that is not done, as its file was when it had a size: the file
// only grows. It is never changed.
type pending struct {
	id   string
	size int64
	log  jobLog
	key  string // of the conversation
	due  time.Time
}

// Claim takes the oldest job that is due. The claim is nil when there is none;
// next is then when one will be, zero for never. Whoever has a claim ends it by
// Done, Fail or Release.
func (q *Queue) Claim(ctx context.Context) (c *Claim, next time.Time, err error) {
	err = q.withLock(ctx, func() error {
		for c == nil {
			var first *pending
			if first, next, err = q.first(); first == nil || err != nil {
				return cmp.Or(err, ctx.Err())
			}
			if c, err = q.take(first); err != nil {
				return err
			} // without a claim it was dead, or done already
		}
		return nil
	})
	if err != nil {
		return nil, time.Time{}, failure("claim job", err)
	}
	return c, next, nil
}

// first is the job that is to be worked on now, or when there will be one.
func (q *Queue) first() (first *pending, next time.Time, err error) {
	jobs, err := q.free()
	if err != nil {
		return nil, next, err
	}
	now := q.opts.Now()
	for _, p := range jobs {
		if !p.due.After(now) {
			return p, time.Time{}, nil
		}
		if next.IsZero() || p.due.Before(next) {
			next = p.due
		}
	}
	return nil, next, nil
}

// free lists the jobs that nobody has in hand, the oldest first: of each conversation
// the newest, which brings all that the earlier ones would have. Those go. The
// queue's lock is held.
func (q *Queue) free() ([]*pending, error) {
	all, err := q.pending()
	if err != nil {
		return nil, err
	}
	busy, newest := map[string]bool{}, map[string]*pending{}
	gone := map[*pending]bool{}
	for _, p := range all {
		if q.held(p) {
			busy[p.key], gone[p] = true, true
			continue
		}
		if old := newest[p.key]; old != nil && replaces(p.log.job, old.log.job) && !old.log.begun() {
			gone[old] = true
			if err := remove(q.path(newDir, old.id)); err != nil {
				return nil, err
			}
		}
		newest[p.key] = p
	}
	return slices.DeleteFunc(all, func(p *pending) bool { return gone[p] || busy[p.key] }), nil
}

// held says whether somebody has a job in hand, which nobody has who never claimed it.
// The queue's lock is held.
func (q *Queue) held(p *pending) bool {
	if p.log.claims == 0 {
		return false
	}
	f, err := q.open(newDir, p.id)
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := durable.TryLock(f, durable.Exclusive)
	return !free && err == nil
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

// pending lists the jobs that are not done, the oldest first. A file that has not
// grown is not read again.
func (q *Queue) pending() ([]*pending, error) {
	ids, err := q.names(newDir)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	seen := make(map[string]*pending, len(ids))
	out := make([]*pending, 0, len(ids))
	for _, id := range ids {
		p, err := q.look(id)
		if err != nil {
			return nil, err
		}
		if p != nil {
			seen[id] = p
			out = append(out, p)
		}
	}
	q.seen = seen
	return out, nil
}

// look reads a job, unless it has gone. What is no file of ours (a link, a folder,
// somebody else's) goes to the dead ones: it must not stop the others. q.mu is held.
func (q *Queue) look(id string) (*pending, error) {
	fi, err := os.Lstat(q.path(newDir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p := q.seen[id]; p != nil && p.size == fi.Size() {
		return p, nil
	}
	f, err := q.open(newDir, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && (!fi.Mode().IsRegular() || errors.Is(err, fs.ErrPermission)):
		return nil, q.move(id, newDir, deadDir)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	log, err := readLog(f)
	if err != nil {
		return nil, err
	}
	p := &pending{id: id, size: fi.Size(), log: log, key: keyOf(log.job, id), due: log.next}
	if p.due.IsZero() {
		p.due = timeOf(id).Add(q.opts.Settle(log.job))
	}
	return p, nil
}

// take puts a job into a claim, or nil when it turned out to be none to work on.
func (q *Queue) take(p *pending) (c *Claim, err error) {
	f, err := q.open(newDir, p.id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if c == nil {
			f.Close()
		}
	}()
	if free, err := durable.TryLock(f, durable.Exclusive); err != nil || !free {
		return nil, cmp.Or[error](err, memory.Errorf(memory.KindConflict, "claim job", "a job's file is locked"))
	}
	if _, err := os.Lstat(q.path(doneDir, p.id)); err == nil { // killed before it could go
		d, _ := q.Record(p.id) // one that can't be read has no marks
		d.Job = p.id
		return nil, q.finish(d)
	}
	c = &Claim{ID: p.id, Job: p.log.job, Attempt: p.log.fails + 1, queue: q, file: f, log: p.log}
	switch {
	case p.log.bad:
		return nil, c.bury("the job's file can't be read")
	case p.log.crashes() >= q.opts.MaxCrashes:
		return nil, c.bury("the worker ended again and again while it was at this job")
	}
	// Without a flush: a count that a power cut takes back does no harm.
	return c, c.note(event{Event: eventClaim})
}

// names lists the ids of the jobs in a folder, the oldest first.
func (q *Queue) names(folder string) ([]string, error) {
	list, err := os.ReadDir(filepath.Join(q.dir, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids := make([]string, 0, len(list))
	for _, e := range list {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && id != "" && id[0] != '.' {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (q *Queue) path(folder, id string) string { return filepath.Join(q.dir, folder, id+".json") }

// move renames a job from one folder into another, which is made if need be. The
// name is durable when it returns nil.
func (q *Queue) move(id, from, to string) error {
	if err := durable.MkdirAll(filepath.Join(q.dir, to)); err != nil {
		return err
	}
	if err := os.Rename(q.path(from, id), q.path(to, id)); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Join(q.dir, to))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// withLock runs fn while no other program claims; where there is no spool, without
// a lock.
func (q *Queue) withLock(ctx context.Context, fn func() error) error {
	if _, err := os.Lstat(q.dir); errors.Is(err, fs.ErrNotExist) {
		return fn()
	}
	return durable.WithLock(ctx, filepath.Join(q.dir, lockName), fn)
}

// checkID keeps what is no id out of paths.
func checkID(id string) error {
	if _, err := uuid.Parse(id); err != nil || len(id) != 36 {
		return memory.Errorf(memory.KindInvalid, "find job", "an id of a job is a UUID")
	}
	return nil
}

// timeOf is when a job was handed in, by its id (RFC 9562, 5.7); the zero time for
// an id of another kind.
func timeOf(id string) time.Time {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return time.Time{}
	}
	sec, nsec := u.Time().UnixTime()
	return time.Unix(sec, nsec).UTC()
}

// failure makes an error of this package's own kind of any other.
func failure(op string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*memory.Error)):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return memory.Errorf(memory.KindTimeout, op, "%w", err)
	case errors.Is(err, fs.ErrNotExist):
		return memory.Errorf(memory.KindNotFound, op, "no such job")
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}
