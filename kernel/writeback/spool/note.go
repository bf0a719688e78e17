package spool

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
)

// runsDir holds a note for each run of an agent in which a hook has handed a
// conversation over: the job that came last. Whoever waits for the end of the run
// then knows the conversation, and need not search for it.
const runsDir = "runs"

// staleNote is when a note is of no run any more: one that was killed takes none
// away.
const staleNote = 7 * 24 * time.Hour

// Note keeps a job as the last one that was handed over in a run, in place of the
// one before. It is not durable: without it a run's conversation is searched for.
func (s *Spool) Note(session string, job Job) error {
	at, ok := s.note(session, job.Agent)
	if !ok {
		return nil
	}
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	temp := filepath.Join(s.dir, tmpDir, uuid.NewString())
	f, err := create(temp)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, at)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// TakeNote returns the job that an agent's hook handed over last in a run, and
// removes the note.
func (s *Spool) TakeNote(session, agent string) (Job, bool) {
	at, ok := s.note(session, agent)
	if !ok {
		return Job{}, false
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return Job{}, false
	}
	_ = os.Remove(at) // one that stays is pruned
	var job Job
	return job, json.Unmarshal(text, &job) == nil && job.Agent == agent
}

// note is the file of a run's note. The session comes from the environment: what is
// no id of a run names no file.
func (s *Spool) note(session, agent string) (string, bool) {
	if checkID(session) != nil || agent == "" || strings.ContainsAny(agent, "/\x00") {
		return "", false
	}
	return filepath.Join(s.dir, runsDir, session+"."+agent), true
}

// pruneNotes removes the notes of runs that were killed.
func (q *Queue) pruneNotes() error {
	list, err := os.ReadDir(filepath.Join(q.dir, runsDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, e := range list {
		if fi, err := e.Info(); err == nil && q.opts.Now().Sub(fi.ModTime()) > staleNote {
			if err := remove(filepath.Join(q.dir, runsDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
