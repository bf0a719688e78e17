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

const (
	// oldMark is the age from which a mark goes with its conversation: one that is
	// missing may come back before, by an import or an agent's hook. Agents delete their
	// transcripts earlier (Claude Code after 30 days, by cleanupPeriodDays).
	oldMark    = 90 * 24 * time.Hour
	pruneEvery = 24 * time.Hour
	prunedName = ".pruned" // its time is that of the last time
)

// PruneMarks removes the old marks of conversations that are gone, once a day whoever
// asks, and returns how many.
func (q *Queue) PruneMarks(ctx context.Context, gone func(ctx context.Context, uuid string) bool) (n int, err error) {
	stamp, now := filepath.Join(q.dir, learnedDir, prunedName), q.opts.Now()
	if fi, err := os.Stat(stamp); err == nil && now.Sub(fi.ModTime()) < pruneEvery {
		return 0, nil
	}
	ids, err := q.names(learnedDir)
	if err != nil || len(ids) == 0 {
		return 0, failure("prune marks", err)
	}
	for _, id := range ids {
		err := q.withLock(ctx, func() error { // nobody writes a mark meanwhile
			fi, err := os.Lstat(q.path(learnedDir, id))
			if err != nil || checkID(id) != nil || now.Sub(fi.ModTime()) < oldMark || !gone(ctx, id) {
				return nil // it has gone
			}
			n++
			return remove(q.path(learnedDir, id))
		})
		if err != nil {
			return n, failure("prune marks", err)
		}
	}
	return n, failure("prune marks", errors.Join(os.WriteFile(stamp, nil, 0o600), os.Chtimes(stamp, now, now)))
}
