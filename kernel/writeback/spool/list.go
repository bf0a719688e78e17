package spool

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
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

// Stats counts.
func (q *Queue) Stats() (Stats, error) {
	s, err := q.stats()
	return s, failure("count jobs", err)
}

func (q *Queue) stats() (s Stats, err error) {
	waiting, err := q.names(newDir)
	dead, derr := q.names(deadDir)
	done, rerr := q.names(doneDir)
	if err := errors.Join(err, derr, rerr); err != nil {
		return s, err
	}
	s = Stats{Queue: len(waiting), Done: len(done), Dead: len(dead), Dropped: map[string]int{}}
	if s.Queue > 0 {
		if at := timeOf(waiting[0]); !at.IsZero() {
			s.Oldest = max(0, q.opts.Now().Sub(at).Round(time.Millisecond).Seconds())
		}
	}
	for _, id := range done {
		var d Done
		_ = q.read(doneDir, id, &d) // one that can't be read is one all the same
		for _, e := range d.Entries {
			if e.Action != memory.ActionRemove {
				s.Entries++
			}
		}
		for reason, n := range d.Dropped {
			s.Dropped[reason] += n
		}
	}
	return s, nil
}

// Item is a job as it is listed.
type Item struct {
	ID       string    `json:"id"`
	State    string    `json:"state"` // waiting, running, retrying, dead, done
	At       time.Time `json:"at,omitzero"`
	Attempts int       `json:"attempts,omitempty"` // that failed
	Next     time.Time `json:"next,omitzero"`      // not before
	Reason   string    `json:"reason,omitempty"`   // of the last failure, or what it waits for
	Job      *Job      `json:"job,omitempty"`      // of one that is not done
	Done     *Done     `json:"done,omitempty"`
}

// folders are where a job may be, in the order in which it is looked for: one that is
// killed at the end of a job leaves it in two.
var folders = []string{doneDir, newDir, deadDir}

// List returns all jobs, the oldest first within each state.
func (q *Queue) List(ctx context.Context) (out []Item, err error) {
	err = q.withLock(ctx, func() error {
		for _, folder := range []string{newDir, deadDir, doneDir} {
			ids, err := q.names(folder)
			if err != nil {
				return err
			}
			for _, id := range ids {
				it, err := q.item(folder, id)
				if err == nil {
					out = append(out, it)
				} else if !errors.Is(err, fs.ErrNotExist) { // it has moved on
					return err
				}
			}
		}
		return nil
	})
	return out, failure("list jobs", err)
}

// Item returns one job.
func (q *Queue) Item(ctx context.Context, id string) (it Item, err error) {
	if err := checkID(id); err != nil {
		return Item{}, err
	}
	err = q.withLock(ctx, func() error {
		for _, folder := range folders {
			if it, err = q.item(folder, id); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return fs.ErrNotExist
	})
	return it, failure("show job", err)
}

func (q *Queue) item(folder, id string) (Item, error) {
	it := Item{ID: id, State: "dead", At: timeOf(id)}
	if folder == doneDir {
		it.State, it.Done = "done", &Done{}
		return it, q.read(folder, id, it.Done)
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
	if folder == newDir {
		it.State = "waiting"
		if log.claims > 0 && log.last.Event != eventLater {
			it.State = "retrying"
		}
		// The queue's lock is held: whoever has this one is at work.
		if free, err := durable.TryLock(f, durable.Exclusive); err == nil && !free {
			it.State = "running"
		}
	}
	it.Job, it.Attempts, it.Next, it.Reason = &log.job, log.fails, log.next, log.last.Reason
	return it, nil
}
