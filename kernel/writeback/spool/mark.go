package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
	err := q.read(learnedDir, process, &m)
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
	stamp, now := filepath.Join(q.dir, learnedDir, prunedName), q.opts.Now()
	if fi, err := os.Stat(stamp); err == nil && now.Sub(fi.ModTime()) < pruneEvery {
		return 0, nil
	}
	ids, err := q.names(learnedDir)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for _, id := range ids {
		err := q.withLock(ctx, func() error { // nobody writes a mark meanwhile
			gone, err := q.gone(ctx, id, where)
			if err != nil || !gone {
				return err
			}
			n++
			return remove(q.path(learnedDir, id))
		})
		if err != nil {
			return n, err
		}
	}
	return n, errors.Join(os.WriteFile(stamp, nil, 0o600), os.Chtimes(stamp, now, now))
}

// gone says whether a mark is of no use any more. The mark of a conversation that
// can't be found out about is left alone.
func (q *Queue) gone(ctx context.Context, id string, where func(ctx context.Context, uuid string) (Whereabouts, error)) (bool, error) {
	fi, err := os.Lstat(q.path(learnedDir, id))
	if checkID(id) != nil || errors.Is(err, fs.ErrNotExist) {
		return false, nil // somebody else's
	}
	if err != nil {
		return false, err
	}
	age := q.opts.Now().Sub(fi.ModTime())
	if age < youngMark {
		return false, nil
	}
	at, err := where(ctx, id)
	if err != nil {
		return false, ctx.Err()
	}
	return at == Removed || at == Missing && age >= lostMark, nil
}
