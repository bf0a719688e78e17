package spool

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// staleNote is when a note is of no run any more: one that was killed takes none
// away.
const staleNote = 7 * 24 * time.Hour

// Note keeps a job as the last one that a hook handed over in a run of an agent, in
// place of the one before: who waits for the end of the run then knows the
// conversation. It is not durable: without it the conversation is searched for.
func (s *Spool) Note(session string, job Job) error {
	at, ok := s.note(session, job.Agent)
	if !ok {
		return nil
	}
	if err := s.name(&job); err != nil {
		return err
	}
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, append(text, '\n'), 0o600)
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

// pruneBefore removes the files of a folder that were written before a time, and of
// which match says so.
func (q *Queue) pruneBefore(folder string, at time.Time, match func(name string) bool) error {
	list, err := os.ReadDir(filepath.Join(q.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if fi, err := e.Info(); err != nil || !match(e.Name()) || !fi.ModTime().Before(at) {
			continue
		}
		if err := remove(filepath.Join(q.dir, folder, e.Name())); err != nil {
			return err
		}
	}
	return err
}
