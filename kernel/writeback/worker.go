package writeback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// Store is where entries go: a *memory.Store.
type Store interface {
	Learn(ctx context.Context, source memory.Source, said time.Time, id memory.ScopeID, req store.Request) (store.Reply, error)
	Reader(id memory.ScopeID) store.Reader
}

// Settings is what of the configuration a worker obeys.
type Settings struct {
	Enabled          bool
	TriggerThreshold int
	RequireSuccess   bool
	MaxEntries       int           // of one job; 0: 20
	Timeout          time.Duration // of one job; 0: 2 min, and 15 where a model is asked
	Summaries        bool          // whether a conversation leaves a summary
	Model            *Model        // nil: the rules are asked
}

// Options make a [Worker]. Queue, Store and Conversations are required.
type Options struct {
	Queue         *spool.Queue
	Store         Store
	Conversations *process.Store
	UID           uint32
	// Import brings what a job's transcript holds into Conversations and returns
	// the processes; also of a job that has none, whose conversation it looks for.
	// nil: there are no transcripts.
	Import func(ctx context.Context, job spool.Job) ([]process.Conversation, error)
	// Settings is asked at each job for what holds of the conversations of a project,
	// where an agent ran in dir; nil: everything is learned from.
	Settings func(ctx context.Context, project, dir string) Settings
	// Redact masks what the scanner finds in a question, and says whether there was
	// anything; nil: nothing is masked.
	Redact func(ctx context.Context, text string) (string, bool, error)
	// Project is the project of a directory, as Import has it. A hand-over from
	// another project than the conversation's own teaches nothing: what a transcript
	// says of itself must not lead into the memory of a project that nobody stands
	// in. nil: not asked.
	Project func(dir string) string
	// There says whether memory can be kept for a project; nil: always.
	There func(project string) bool
	Now   func() time.Time // default time.Now
	Log   *slog.Logger     // default: discards
}

// Worker does the jobs of one spool.
type Worker struct {
	opts Options
	wake chan struct{}

	rules    func(process.Transcript) []rules.Candidate
	failures memory.Failures
}

// New returns a worker that does nothing yet.
func New(opts Options) *Worker {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Settings == nil {
		opts.Settings = func(context.Context, string, string) Settings { return Settings{Enabled: true} }
	}
	if opts.There == nil {
		opts.There = func(string) bool { return true }
	}
	return &Worker{opts: opts, wake: make(chan struct{}, 1), rules: rules.Extract}
}

// Wake has Run look for jobs at once.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// poll is how long Run waits before it looks for jobs of other programs.
const poll = 500 * time.Millisecond

// Run does jobs until the context ends. It returns nil then: what it had in hand
// is due again at once.
func (w *Worker) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-timer.C:
		}
		wait := poll
		if _, _, err := w.Drain(ctx); ctx.Err() == nil {
			w.failures.Report(w.opts.Log, "writeback: take jobs", err, "uid", w.opts.UID)
			if err != nil {
				wait = 20 * poll // a full disk, a lost folder
			}
		}
		timer.Reset(wait)
	}
}

// Drain does the jobs that are due, some of them more than once, and returns how many
// they were, and when the next one will be; the zero time for never.
func (w *Worker) Drain(ctx context.Context) (n int, next time.Time, err error) {
	jobs := map[string]bool{}
	for ctx.Err() == nil {
		c, next, err := w.opts.Queue.Claim(ctx)
		if err != nil || c == nil {
			return len(jobs), next, err
		}
		if err := w.do(ctx, c); err != nil {
			return len(jobs), next, err
		}
		jobs[c.ID] = true
	}
	return len(jobs), next, nil
}

// do does one job and ends its claim. Its error is one of the spool.
func (w *Worker) do(ctx context.Context, c *spool.Claim) error {
	set := w.opts.Settings(ctx, w.projectOf(c.Job), c.Job.Project)
	timeout := 2 * time.Minute
	if set.Model != nil {
		timeout = 15 * time.Minute
	}
	own, cancel := context.WithTimeout(ctx, cmp.Or(set.Timeout, timeout))
	defer cancel()
	done, err := w.learn(own, c, set)
	switch {
	case err == nil:
		w.opts.Log.Info("writeback: job done", "job", c.ID, "agent", done.Agent, "entries", len(done.Entries), "dropped", len(done.Dropped), "verdict", done.Verdict)
		return c.Done(done)
	case ctx.Err() != nil:
		c.Release()
		return ctx.Err()
	}
	kind, reason, final := explain(err)
	if _, ok := errors.AsType[later](err); ok {
		w.opts.Log.Info("writeback: job waits for the model", "job", c.ID, "kind", kind.Code(), "reason", reason)
		return c.Later(kind, reason, done)
	}
	w.opts.Log.Warn("writeback: job failed", "job", c.ID, "attempt", c.Attempt, "kind", kind.Code(), "reason", reason)
	return c.Fail(kind, reason, final)
}

// learn is job without its panics: one broken conversation is one failed job.
func (w *Worker) learn(ctx context.Context, c *spool.Claim, set Settings) (d spool.Done, err error) {
	defer func() {
		if v := recover(); v != nil {
			// The value of a panic may quote the conversation: only its type is logged.
			w.opts.Log.Error("writeback: panic", "job", c.ID, "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
			err = memory.Errorf(memory.KindInternal, "learn", "the extraction failed in a way that it should not")
		}
	}()
	return w.job(ctx, c, set)
}

// final is an error that no other attempt would end differently.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// explain is what may be kept of an error: never a text of the conversation.
func explain(err error) (memory.Kind, string, bool) {
	if errors.Is(err, context.DeadlineExceeded) {
		return memory.KindTimeout, "it took too long", false
	}
	return memory.KindOf(err), memory.ReasonOf(err), errors.As(err, new(final))
}

const switchedOff = "writeback is switched off"

// projectOf is the project that a job was handed in for.
func (w *Worker) projectOf(job spool.Job) string {
	if job.Process == "" && w.opts.Project != nil {
		return w.opts.Project(job.Project)
	}
	return job.Project
}

func (w *Worker) job(ctx context.Context, c *spool.Claim, set Settings) (spool.Done, error) {
	d := spool.Done{Agent: c.Job.Agent, Dropped: map[string]int{}, Marks: map[string]process.Position{}}
	if part := c.Part(); part != nil {
		d.Entries, d.Proposed = part.Entries, part.Proposed
		maps.Copy(d.Dropped, part.Dropped)
		maps.Copy(d.Marks, part.Marks)
	}
	if c.Job.UID != w.opts.UID {
		return d, final{memory.Errorf(memory.KindDenied, "learn", "the job is of another user")}
	}
	if !set.Enabled {
		d.Verdict = switchedOff
		return d, nil
	}
	list, err := w.find(ctx, c.Job)
	if errors.Is(err, process.ErrRemoved) {
		d.Verdict = "the conversation was removed"
		return d, nil
	}
	if err != nil {
		return d, err
	}
	if len(list) == 0 { // a session that was opened and closed
		d.Verdict = "no conversation was found"
	}
	for i, p := range list {
		if i == 0 {
			d.Project, d.Agent = p.Project, cmp.Or(p.Agent, d.Agent)
		}
		d.Processes = append(d.Processes, p.UUID)
		own, project := set, w.projectOf(c.Job)
		switch {
		case project == p.Project:
		case c.Job.Process == "" && w.opts.Project != nil:
			d.Verdict = "the conversation is of another project"
			continue
		default:
			own = w.opts.Settings(ctx, p.Project, p.Project)
		}
		if !own.Enabled {
			d.Verdict = switchedOff
			continue
		}
		l := learner{Worker: w, set: own, job: c, spoken: spoken{process: p}, done: &d}
		if err := l.run(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}

// find returns the processes that a job is about, in the store.
func (w *Worker) find(ctx context.Context, job spool.Job) ([]process.Conversation, error) {
	uuid := job.Process
	if uuid == "" && job.Transcript == "" && job.External != "" && job.Subagent == "" {
		uuid = process.ID(w.opts.UID, job.Agent, job.External)
	}
	if uuid != "" {
		p, err := w.stored(ctx, uuid)
		if memory.KindOf(err) != memory.KindNotFound || errors.Is(err, process.ErrRemoved) || job.Process != "" {
			return []process.Conversation{ended(p, job)}, finalIf(err)
		}
	}
	if w.opts.Import == nil {
		return nil, final{memory.Errorf(memory.KindNotFound, "learn", "the conversation is not there")}
	}
	list, err := w.opts.Import(ctx, job)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i] = ended(list[i], job)
	}
	return list, nil
}

func finalIf(err error) error {
	if memory.KindOf(err) == memory.KindNotFound && err != nil {
		return final{err}
	}
	return err
}

func (w *Worker) stored(ctx context.Context, uuid string) (process.Conversation, error) {
	project, err := w.opts.Conversations.Find(ctx, uuid)
	if err != nil {
		return process.Conversation{}, err
	}
	return w.opts.Conversations.Conversation(ctx, project, uuid)
}

// ended completes what the conversation's own record does not know of its end.
func ended(p process.Conversation, job spool.Job) process.Conversation {
	if job.ExitCode != nil {
		p.ExitCode = job.ExitCode
	}
	if p.ExitReason == "" || p.ExitReason == "imported" {
		p.ExitReason = job.Reason
	}
	return p
}
