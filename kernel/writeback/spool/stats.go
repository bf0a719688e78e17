package spool

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Stats are the numbers of a spool.
type Stats struct {
	Queue   int            `json:"queue"`             // jobs that wait or are worked on
	Oldest  float64        `json:"oldest_seconds"`    // age of the oldest of them
	Done    int            `json:"done"`              // records there are
	Dead    int            `json:"dead"`              // jobs that failed for good
	Entries int            `json:"entries"`           // stored by the jobs of those records
	Dropped map[string]int `json:"dropped,omitempty"` // their candidates that were not, by reason
}

// tally is what was counted of the records, each once.
type tally struct {
	by      map[string]Done
	dropped map[string]int
	entries int
}

func (t *tally) add(d Done) {
	if t.by == nil {
		t.by, t.dropped = map[string]Done{}, map[string]int{}
	}
	t.drop(d.Job)
	t.by[d.Job] = Done{Entries: d.Entries, Dropped: d.Dropped}
	t.entries += stored(d)
	for reason, n := range d.Dropped {
		t.dropped[reason] += n
	}
}

// stored is how many entries a job stored.
func stored(d Done) (n int) {
	for _, e := range d.Entries {
		if e.Action != memory.ActionRemove {
			n++
		}
	}
	return n
}

func (t *tally) drop(id string) {
	d, ok := t.by[id]
	if !ok {
		return
	}
	delete(t.by, id)
	t.entries -= stored(d)
	for reason, n := range d.Dropped {
		if t.dropped[reason] -= n; t.dropped[reason] <= 0 {
			delete(t.dropped, reason)
		}
	}
}

// Stats counts. Records are read once each.
func (q *Queue) Stats() (Stats, error) {
	s, err := q.stats()
	return s, failure("count jobs", err)
}

func (q *Queue) stats() (s Stats, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var oldest string
	for _, folder := range []string{newDir, curDir} {
		ids, _, err := q.listed(folder)
		if err != nil {
			return s, err
		}
		s.Queue += len(ids)
		if len(ids) > 0 && (oldest == "" || ids[0] < oldest) {
			oldest = ids[0]
		}
	}
	if at := timeOf(oldest); !at.IsZero() {
		s.Oldest = max(0, q.opts.Now().Sub(at).Round(time.Millisecond).Seconds())
	}
	dead, _, err := q.listed(deadDir)
	if err != nil {
		return s, err
	}
	s.Dead = len(dead)
	done, same, err := q.listed(doneDir)
	if err != nil {
		return s, err
	}
	if !same {
		q.count(done)
	}
	s.Done, s.Entries, s.Dropped = len(done), q.done.entries, maps.Clone(q.done.dropped)
	return s, nil
}

// count takes in the records that are new and drops those that are gone. q.mu is
// held.
func (q *Queue) count(done []string) {
	there := make(map[string]bool, len(done))
	for _, id := range done {
		there[id] = true
		if _, ok := q.done.by[id]; ok {
			continue
		}
		var d Done
		switch err := q.load(doneDir, id, &d); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil: // a record that can't be read is one all the same
			q.done.add(Done{Job: id})
		default:
			d.Job = id
			q.done.add(d)
		}
	}
	for id := range q.done.by {
		if !there[id] {
			q.done.drop(id)
		}
	}
}

// Item is a job as it is listed.
type Item struct {
	ID       string    `json:"id"`
	State    string    `json:"state"` // waiting, running, retrying, dead, done
	At       time.Time `json:"at,omitzero"`
	Attempts int       `json:"attempts,omitempty"` // that failed
	Next     time.Time `json:"next,omitzero"`      // not before
	Reason   string    `json:"reason,omitempty"`   // of the last failure
	Job      *Job      `json:"job,omitempty"`      // of one that is not done
	Done     *Done     `json:"done,omitempty"`
}

// List returns all jobs, the oldest first within each state.
func (q *Queue) List(ctx context.Context) (out []Item, err error) {
	err = q.looking(ctx, func() error {
		out, err = q.list()
		return err
	})
	return out, failure("list jobs", err)
}

// looking is withLock for a spool that need not be there.
func (q *Queue) looking(ctx context.Context, fn func() error) error {
	if _, err := os.Lstat(q.dir); errors.Is(err, fs.ErrNotExist) {
		return fn()
	}
	return q.withLock(ctx, fn)
}

func (q *Queue) list() ([]Item, error) {
	var out []Item
	for _, in := range []struct{ folder, state string }{{newDir, "waiting"}, {curDir, "retrying"}, {deadDir, "dead"}, {doneDir, "done"}} {
		ids, err := q.names(in.folder)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			it, err := q.item(in.folder, in.state, id)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has moved on
			}
			if err != nil {
				return nil, err
			}
			out = append(out, it)
		}
	}
	return out, nil
}

// Item returns one job.
func (q *Queue) Item(ctx context.Context, id string) (it Item, err error) {
	if err := checkID(id); err != nil {
		return Item{}, err
	}
	err = q.looking(ctx, func() error {
		it, err = q.find(id)
		return err
	})
	return it, failure("show job", err)
}

func (q *Queue) find(id string) (Item, error) {
	for _, in := range []struct{ folder, state string }{{doneDir, "done"}, {newDir, "waiting"}, {curDir, "retrying"}, {deadDir, "dead"}} {
		it, err := q.item(in.folder, in.state, id)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return it, err
		}
	}
	return Item{}, fs.ErrNotExist
}

func (q *Queue) item(folder, state, id string) (Item, error) {
	it := Item{ID: id, State: state, At: timeOf(id)}
	if folder == doneDir {
		it.Done = &Done{}
		return it, q.load(folder, id, it.Done)
	}
	f, err := q.open(folder, id)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		it.Reason = "the job's file can't be read"
		return it, nil // it is listed as what it is
	}
	if err != nil {
		return it, err
	}
	defer f.Close()
	log, err := readLog(f)
	if err != nil {
		return it, err
	}
	// The queue's lock is held: whoever has this one is at work.
	if folder == curDir && unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		it.State = "running"
	}
	it.Job, it.Attempts, it.Next, it.Reason = &log.job, log.fails, log.next, log.last.Reason
	return it, nil
}
