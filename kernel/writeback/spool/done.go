package spool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Done is the record of a job that is done. It holds no text.
type Done struct {
	Job       string         `json:"job"`
	At        time.Time      `json:"at"` // UTC
	Agent     string         `json:"agent,omitempty"`
	Processes []string       `json:"processes,omitempty"` // uuids of the conversations
	Project   string         `json:"project"`             // of the first of them
	By        string         `json:"by,omitempty"`        // rules, llm
	Fallback  string         `json:"fallback,omitempty"`  // code of why the model was of no use
	Verdict   string         `json:"verdict,omitempty"`   // why not all was learned
	Entries   []Stored       `json:"entries,omitempty"`
	Dropped   map[string]int `json:"dropped,omitempty"` // candidates, by reason
	Undone    *time.Time     `json:"undone,omitempty"`
	// Marks is how far the conversations were learned from, by uuid. They are kept
	// where [Queue.Learned] finds them after the record is, and before the job goes.
	Marks map[string]process.Position `json:"marks,omitempty"`
}

// Stored is an entry as a job left it.
type Stored struct {
	Scope    memory.Scope  `json:"scope"`
	Owner    string        `json:"owner"` // of the scope
	ID       string        `json:"id"`
	Key      string        `json:"key"`
	Revision int64         `json:"revision"`         // remove: the last that it had
	Action   memory.Action `json:"action"`           // add, replace, remove
	Before   int64         `json:"before,omitempty"` // replace, remove: the revision that the job found
}

// finish does what is left of a job whose record is there.
func (q *Queue) finish(d Done, in string) error {
	if err := q.mark(d); err != nil {
		return err
	}
	return remove(q.path(in, d.Job))
}

// Record returns the record of a job that is done.
func (q *Queue) Record(id string) (Done, error) {
	var d Done
	return d, failure("read record", q.load(doneDir, id, &d))
}

// SetUndone notes that what a job stored was taken back.
func (q *Queue) SetUndone(id string) error {
	d, err := q.Record(id)
	if err != nil {
		return err
	}
	now := q.opts.Now().UTC()
	d.Undone = &now
	return failure("write record", q.writeDone(d))
}

func (q *Queue) writeDone(d Done) error {
	if err := q.store(doneDir, d.Job, d); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done.add(d)
	return nil
}

func (q *Queue) load(folder, id string, v any) error {
	if err := checkID(id); err != nil {
		return err
	}
	raw, err := os.ReadFile(q.path(folder, id))
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, v) != nil {
		return errors.New("the file is not JSON of the right kind")
	}
	return nil
}

// store writes a file durably, in place of the one that is there.
func (q *Queue) store(folder, id string, v any) error {
	if err := checkID(id); err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	for _, name := range []string{tmpDir, folder} {
		if err := os.MkdirAll(filepath.Join(q.dir, name), 0o700); err != nil {
			return err
		}
	}
	temp := filepath.Join(q.dir, tmpDir, uuid.NewString())
	f, err := create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temp, q.path(folder, id))
	}
	if err != nil {
		return errors.Join(err, remove(temp))
	}
	return syncDir(filepath.Join(q.dir, folder))
}

// staleTemp is when a file in tmp/ is of nobody who still writes it.
const staleTemp = time.Hour

// prune removes the oldest records where there are too many, and what was left
// behind in tmp/.
func (q *Queue) prune() error {
	ids, err := q.names(doneDir)
	if err != nil || len(ids) == 0 {
		return err
	}
	now := q.opts.Now()
	for i, id := range ids {
		over := len(ids)-i > q.opts.MaxDone
		if at := timeOf(id); !over && (at.IsZero() || now.Sub(at) < q.opts.MaxDoneAge) {
			break // ids are in order of time
		}
		if err := remove(q.path(doneDir, id)); err != nil {
			return err
		}
		q.mu.Lock()
		q.done.drop(id)
		q.mu.Unlock()
	}
	if err := q.pruneNotes(); err != nil {
		return err
	}
	left, err := os.ReadDir(filepath.Join(q.dir, tmpDir))
	if err != nil {
		return nil //nolint:nilerr // nothing was left behind
	}
	for _, e := range left {
		if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > staleTemp {
			if err := remove(filepath.Join(q.dir, tmpDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
