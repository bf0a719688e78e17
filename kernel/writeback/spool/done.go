package spool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
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
	Fallback  string         `json:"fallback,omitempty"`  // why the model was of no use: a code, and a reason
	Verdict   string         `json:"verdict,omitempty"`   // why not all was learned
	Entries   []Stored       `json:"entries,omitempty"`
	Proposed  []Proposal     `json:"proposed,omitempty"`
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
	Revision int64         `json:"revision"`         // 0: removed
	Action   memory.Action `json:"action"`           // add, replace, remove
	Before   int64         `json:"before,omitempty"` // replace, remove: the revision that the job found
	Quotes   []Quote       `json:"quotes,omitempty"` // on which it rests
}

// Proposal is what a model would do to an entry that is not its to change.
type Proposal struct {
	Scope  memory.Scope  `json:"scope"`
	Owner  string        `json:"owner"` // of the scope
	ID     string        `json:"id"`
	Action memory.Action `json:"action"` // replace, remove
	Quotes []Quote       `json:"quotes,omitempty"`
}

// Quote is where words stand in a turn of a conversation.
type Quote struct {
	Process string `json:"process"`
	Turn    string `json:"turn"`
	From    int    `json:"from,omitempty"` // bytes; with To 0 the beginning of the turn
	To      int    `json:"to,omitempty"`
}

// finish does what is left of a job whose record is there: the marks, before the job
// goes. The queue's lock is held.
func (q *Queue) finish(d Done) error {
	for uuid, at := range d.Marks {
		if err := q.write(learnedDir, uuid, Mark{Position: at, Job: d.Job, At: d.At}); err != nil {
			return err
		}
	}
	return remove(q.path(newDir, d.Job))
}

// Record returns the record of a job that is done.
func (q *Queue) Record(id string) (Done, error) {
	var d Done
	return d, failure("read record", q.read(doneDir, id, &d))
}

// SetUndone notes that what a job stored was taken back.
func (q *Queue) SetUndone(id string) error {
	d, err := q.Record(id)
	if err != nil {
		return err
	}
	now := q.opts.Now().UTC()
	d.Undone = &now
	return failure("write record", q.write(doneDir, id, d))
}

func (q *Queue) read(folder, id string, v any) error {
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

// write writes a file durably, in place of the one that is there.
func (q *Queue) write(folder, id string, v any) error {
	if err := checkID(id); err != nil {
		return err
	}
	return durable.ReplaceJSON(q.path(folder, id), v)
}

// staleTemp is when the file of a replacement is of nobody who still writes it.
const staleTemp = time.Hour

// prune removes the oldest records where there are too many, the notes of runs that
// were killed, and what killed programs left half written.
func (q *Queue) prune() error {
	ids, err := q.names(doneDir)
	if err != nil {
		return err
	}
	now := q.opts.Now()
	for i, id := range ids { // in order of time
		over := len(ids)-i > q.opts.MaxDone
		if at := timeOf(id); !over && (at.IsZero() || now.Sub(at) < q.opts.MaxDoneAge) {
			break
		}
		if err := remove(q.path(doneDir, id)); err != nil {
			return err
		}
	}
	err = q.pruneBefore(runsDir, now.Add(-staleNote), func(string) bool { return true })
	for _, folder := range []string{newDir, doneDir, learnedDir} {
		err = errors.Join(err, q.pruneBefore(folder, time.Now().Add(-staleTemp), func(name string) bool { return name[0] == '.' && filepath.Ext(name) == ".tmp" }))
	}
	return err
}
