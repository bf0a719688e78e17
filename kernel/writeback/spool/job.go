// Package spool keeps the jobs of the writeback until they are done: a folder
// like a maildir, a file a job.
//
//	new/      jobs that wait, are worked on, or wait after a failure
//	dead/     jobs that failed for good
//	done/     records of those that were done
//	learned/  how far each conversation was learned from
//	runs/     of runs that go on, the conversation that a hook named last
//
// A job's file has the job in its first line and below it what became of it, a line
// each; it is locked while somebody works on it. A job names a conversation and never
// holds any of its text. Ids are UUIDs of version 7: their order is that of the jobs.
//
// Handing in takes no lock and needs nothing that runs: an agent's hook has
// milliseconds, and the worker may be started later. The command line imports it.
package spool

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The folders of a spool.
const (
	newDir     = "new"
	doneDir    = "done"
	deadDir    = "dead"
	learnedDir = "learned"
	runsDir    = "runs"
	lockName   = ".lock"
)

// Job says that a conversation has ended or has come to a place where it is worth
// reading. The same conversation may be handed in many times.
type Job struct {
	Agent      string    `json:"agent"`                // claude, codex, gemini, antigravity, opencode, aider
	External   string    `json:"external,omitempty"`   // the agent's id of the conversation
	Subagent   string    `json:"subagent,omitempty"`   // id of the sub-agent whose transcript it is
	Session    string    `json:"session,omitempty"`    // $RNIX_SESSION: the run it belongs to
	Process    string    `json:"process,omitempty"`    // uuid, of one that is among the conversations already
	Transcript string    `json:"transcript,omitempty"` // absolute path; "": to be found by agent, project, start and end
	Project    string    `json:"project,omitempty"`    // the working directory, absolute
	Event      string    `json:"event"`                // the hook's event, or "exit" of a run
	Reason     string    `json:"reason,omitempty"`     // as the agent gave it
	ExitCode   *int      `json:"exit_code,omitempty"`  // of a run; 128 and the signal's number, where one ended it
	Start      time.Time `json:"start,omitzero"`       // UTC
	End        time.Time `json:"end,omitzero"`         // UTC
	UID        uint32    `json:"uid"`                  // whose conversation it is
	// Places are the variables of the environment that say where the agent of a run
	// keeps its histories; nil: as in the environment of whoever does the job.
	Places map[string]string `json:"places,omitempty"`
}

// Options adjust a spool. The zero value works.
type Options struct {
	NewID func() string // of a job; nil: UUIDs
	// Name is a text that is kept, or a hash of what the scanner would not have stored of
	// it; nil: the text.
	Name func(label, text string) string
}

// Spool is the folder of one user's jobs.
type Spool struct {
	dir  string
	opts Options
}

// New returns the spool in a folder, which is made when it is first needed.
func New(dir string, opts Options) *Spool {
	if opts.NewID == nil {
		opts.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if opts.Name == nil {
		opts.Name = func(_, text string) string { return text }
	}
	return &Spool{dir: dir, opts: opts}
}

// Submit keeps a job. When it returns, the job is on disk, file and name, and
// survives a crash. It costs two flushes.
func (s *Spool) Submit(ctx context.Context, job Job) (id string, err error) {
	if err := ctx.Err(); err != nil {
		return "", memory.Errorf(memory.KindTimeout, "submit job", "%w", err)
	}
	if err := s.name(&job); err != nil {
		return "", err
	}
	id = s.opts.NewID()
	if err := durable.ReplaceJSON(filepath.Join(s.dir, newDir, id+".json"), job); err != nil {
		return "", memory.Errorf(memory.KindInternal, "submit job", "%w", err)
	}
	return id, nil
}

// name makes the texts of a job fit to be kept. Those by which its conversation is found
// must be so already.
func (s *Spool) name(job *Job) error {
	for _, text := range []*string{&job.Agent, &job.Event, &job.Reason} {
		*text = s.opts.Name("", *text)
	}
	texts := []string{job.External, job.Subagent, job.Session, job.Process, job.Transcript, job.Project}
	for _, text := range slices.AppendSeq(texts, maps.Values(job.Places)) {
		if s.opts.Name("", text) != text {
			return memory.Errorf(memory.KindRejected, "submit job", "an id or a path of the conversation is what the scanner does not let be stored; give it another name")
		}
	}
	return nil
}
