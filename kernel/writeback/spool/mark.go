package spool

import (
	"errors"
	"io/fs"
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
