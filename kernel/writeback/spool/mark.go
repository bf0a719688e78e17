package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Mark is how far a conversation has been learned from.
type Mark struct {
	Position process.Position `json:"position"`
	Job      string           `json:"job"`
	At       time.Time        `json:"at"` // UTC
}

// Learned returns how far a conversation was learned from, the zero Mark for none.
func (q *Queue) Learned(process string) (Mark, error) {
	var m Mark
	err := q.load(learnedDir, process, &m)
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	return m, failure("read mark", err)
}

// Forget drops the mark of a conversation: all of it is learned from again.
func (q *Queue) Forget(process string) error {
	if err := checkID(process); err != nil {
		return err
	}
	return failure("forget mark", remove(q.path(learnedDir, process)))
}

// mark keeps how far a job has come in its conversations.
func (q *Queue) mark(d Done) error {
	if len(d.Marks) == 0 {
		return nil
	}
	return q.withMarks(context.Background(), func() error { // held by nobody for long
		for uuid, at := range d.Marks {
			if err := q.store(learnedDir, uuid, Mark{Position: at, Job: d.Job, At: d.At}); err != nil {
				return err
			}
		}
		return nil
	})
}

// withMarks runs fn while no other program writes or prunes marks. The queue's lock
// may be held.
func (q *Queue) withMarks(ctx context.Context, fn func() error) error {
	dir := filepath.Join(q.dir, learnedDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return lockFile(ctx, filepath.Join(dir, lockName), fn)
}

// Whereabouts is what has become of a conversation.
type Whereabouts int

// The whereabouts of conversations.
const (
	Here    Whereabouts = iota
	Missing             // not there, but it may come back, by an import or an agent's hook
	Removed             // not there, and kept from coming back
)

const (
	// youngMark is when nobody is at work any more who wrote, or is about to write, a
	// mark: longer than a job may take.
	youngMark = time.Hour
	// lostMark is when a conversation that is missing comes back no more. Agents
	// delete their transcripts earlier (Claude Code after 30 days, by cleanupPeriodDays).
	lostMark   = 90 * 24 * time.Hour
	pruneEvery = 24 * time.Hour
	prunedName = ".pruned" // its time is that of the last time
)

// PruneMarks removes the marks of conversations that are gone for good, once a day
// whoever asks, and returns how many. Conversations that are there keep theirs.
func (q *Queue) PruneMarks(ctx context.Context, where func(ctx context.Context, uuid string) (Whereabouts, error)) (int, error) {
	n, err := q.pruneMarks(ctx, where)
	return n, failure("prune marks", err)
}

func (q *Queue) pruneMarks(ctx context.Context, where func(ctx context.Context, uuid string) (Whereabouts, error)) (n int, err error) {
	stamp := filepath.Join(q.dir, learnedDir, prunedName)
	if fi, err := os.Stat(stamp); err == nil && q.opts.Now().Sub(fi.ModTime()) < pruneEvery {
		return 0, nil
	}
	ids, err := q.names(learnedDir)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for _, id := range ids {
		gone, _, err := q.gone(ctx, id, where)
		if err != nil {
			return n, err
		}
		if !gone {
			continue
		}
		// Again, now that nobody writes: it may have come back meanwhile.
		err = q.withMarks(ctx, func() error {
			gone, path, err := q.gone(ctx, id, where)
			if err != nil || !gone {
				return err
			}
			n++
			return remove(path)
		})
		if err != nil {
			return n, err
		}
	}
	now := q.opts.Now()
	if f, err := os.OpenFile(stamp, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
		err = os.Chtimes(stamp, now, now)
		return n, err
	}
	return n, nil
}

// gone says whether a mark is of no use any more.
func (q *Queue) gone(ctx context.Context, id string, where func(ctx context.Context, uuid string) (Whereabouts, error)) (gone bool, path string, err error) {
	path = q.path(learnedDir, id)
	if checkID(id) != nil {
		return false, path, nil // somebody else's
	}
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, path, nil
	}
	if err != nil {
		return false, path, err
	}
	age := q.opts.Now().Sub(fi.ModTime())
	if age < youngMark {
		return false, path, nil
	}
	at, err := where(ctx, id)
	if err != nil {
		var m *memory.Error
		if errors.As(err, &m) && ctx.Err() == nil {
			return false, path, nil // whoever can't be found out about is left alone
		}
		return false, path, err
	}
	return at == Removed || at == Missing && age >= lostMark, path, nil
}
