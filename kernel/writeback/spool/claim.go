package spool

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The events of a job, a line each behind that of the job itself.
const (
	eventClaim = "claim"
	eventFail  = "fail"
	eventDead  = "dead"
	eventRetry = "retry" // a person wants it tried again
	eventLeave = "leave" // given back unfinished, by no fault of its own
	eventLater = "later" // whoever is needed for it is not there: no attempt
)

type event struct {
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Next   time.Time `json:"next,omitzero"`    // fail, later: not before
	Kind   string    `json:"kind,omitempty"`   // fail, later: the error's code
	Reason string    `json:"reason,omitempty"` // fail, later, dead: without any of the conversation's text
	Done   *Done     `json:"done,omitempty"`   // later: what is done already
}

// jobLog is a job's file: what was handed in, and what became of it.
type jobLog struct {
	job    Job
	bad    bool // the first line is no job
	claims int  // since the last retry
	fails  int
	leaves int
	laters int
	kinds  map[string]int // laters by kind
	since  time.Time      // of the first later
	next   time.Time
	last   event // fail, later or dead
	part   *Done // what is done of it
	torn   bool  // the last line is not whole
}

// crashes is how often the worker ended with the job in hand.
func (l jobLog) crashes() int { return l.claims - l.fails - l.leaves - l.laters }

// begun says whether some of the job is done, which no other job would know.
func (l jobLog) begun() bool { return l.part != nil && len(l.part.Marks) > 0 }

const maxJob = 1 << 20 // bytes of a job's file

func readLog(f *os.File) (jobLog, error) {
	var l jobLog
	in := bufio.NewReader(io.NewSectionReader(f, 0, maxJob))
	for n := 0; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			l.torn = len(line) > 0
			l.bad = l.bad || n == 0
			return l, nil
		}
		if err != nil {
			return l, err
		}
		if n == 0 {
			l.bad = json.Unmarshal(line, &l.job) != nil
			continue
		}
		var e event
		if json.Unmarshal(line, &e) == nil {
			l.take(e)
		}
	}
}

func (l *jobLog) take(e event) {
	switch e.Event {
	case eventClaim:
		l.claims++
	case eventLeave:
		l.leaves++
	case eventFail:
		l.fails++
		l.next, l.last = e.Next, e
	case eventLater:
		if l.laters++; l.laters == 1 {
			l.since, l.kinds = e.At, map[string]int{}
		}
		l.kinds[e.Kind]++
		l.next, l.last, l.part = e.Next, e, e.Done
	case eventDead:
		l.last = e
	case eventRetry:
		*l = jobLog{job: l.job, bad: l.bad, part: l.part}
	}
}

// Claim is a job in hand. Its file is locked until the claim ends, also by the end
// of the program.
type Claim struct {
	ID      string
	Job     Job
	Attempt int // from 1

	queue *Queue
	file  *os.File
	log   jobLog
}

// note appends an event to the job's file.
func (c *Claim) note(e event) error {
	e.At = c.queue.opts.Now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	size, err := c.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if c.log.torn {
		line = append([]byte{'\n'}, line...)
		c.log.torn = false
	}
	_, err = c.file.WriteAt(append(line, '\n'), size)
	return err
}

// Done ends the claim with a record of what was done, which is durable when it
// returns nil: the job is not done again.
func (c *Claim) Done(d Done) error {
	defer c.file.Close()
	d.Job, d.At = c.ID, c.queue.opts.Now().UTC()
	return failure("end job", c.queue.withLock(context.Background(), func() error { // held by nobody for long
		if err := c.queue.write(doneDir, d.Job, d); err != nil {
			return err
		}
		if err := c.queue.finish(d); err != nil {
			return err
		}
		return c.queue.prune()
	}))
}

// Fail ends the claim: the job is tried again later, or is dead when it has failed
// too often or final says so. The reason must hold none of the conversation's text.
func (c *Claim) Fail(kind memory.Kind, reason string, final bool) error {
	defer c.file.Close()
	if final || c.log.fails+1 >= c.queue.opts.MaxAttempts {
		return failure("fail job", c.bury(reason))
	}
	next := c.queue.opts.Now().Add(c.queue.backoff(c.log.fails)).UTC()
	err := c.note(event{Event: eventFail, Next: next, Kind: kind.Code(), Reason: reason})
	if err == nil {
		err = c.file.Sync()
	}
	return failure("fail job", err)
}

// Later ends the claim of a job that can't go on without somebody who is not there, by
// no fault of its own: it is tried again after a wait that grows up to an hour, and that is
// no attempt. The reason is as that of [Claim.Fail]; part is what is done already, which
// the next claim finds in [Claim.Part].
func (c *Claim) Later(kind memory.Kind, reason string, part Done) error {
	defer c.file.Close()
	next := c.queue.opts.Now().Add(c.queue.backoff(c.log.laters + 4)).UTC() // outages are longer than quarrels about a lock
	err := c.note(event{Event: eventLater, Next: next, Kind: kind.Code(), Reason: reason, Done: &part})
	if err == nil {
		err = c.file.Sync()
	}
	return failure("put off job", err)
}

// Part is what earlier claims did of the job before they were put off, nil for nothing.
func (c *Claim) Part() *Done { return c.log.part }

// Delays is how often the job has been put off by errors of the kinds.
func (c *Claim) Delays(kinds ...memory.Kind) (n int) {
	for _, k := range kinds {
		n += c.log.kinds[k.Code()]
	}
	return n
}

// Waited is for how long the job has been put off, 0 if it has not.
func (c *Claim) Waited() time.Duration {
	if c.log.since.IsZero() {
		return 0
	}
	return c.queue.opts.Now().Sub(c.log.since)
}

// Release ends the claim without a word: the job is as it was, and due at once.
func (c *Claim) Release() {
	_ = c.note(event{Event: eventLeave}) // else it counts as a crash, of which many are allowed
	c.file.Close()
}

// bury moves a job to the dead ones, durably.
func (c *Claim) bury(reason string) error {
	err := c.note(event{Event: eventDead, Reason: reason})
	if err = errors.Join(err, c.file.Sync()); err != nil {
		return err
	}
	return c.queue.move(c.ID, newDir, deadDir)
}

// backoff is how long to wait after so many failures: exponential, with a jitter
// of a half, so that jobs that failed together do not come back together.
func (q *Queue) backoff(fails int) time.Duration {
	wait := q.opts.MaxWait
	if fails < 30 {
		wait = min(wait, q.opts.Base<<fails)
	}
	return wait/2 + time.Duration(q.opts.Rand()*float64(wait/2))
}

// Retry makes a dead job, or one that waits after a failure, due at once.
func (q *Queue) Retry(ctx context.Context, id string) error {
	return failure("retry job", q.withLock(ctx, func() error { return q.retry(id) }))
}

func (q *Queue) retry(id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	for _, from := range []string{deadDir, newDir} {
		f, err := q.open(from, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer f.Close()
		if free, err := durable.TryLock(f, durable.Exclusive); err != nil || !free {
			return cmp.Or[error](err, memory.Errorf(memory.KindConflict, "retry job", "the job is being worked on"))
		}
		log, err := readLog(f)
		if err != nil {
			return err
		}
		if from == newDir && log.fails+log.laters == 0 {
			break // it waits anyway
		}
		c := &Claim{ID: id, queue: q, file: f, log: log}
		if err := errors.Join(c.note(event{Event: eventRetry}), f.Sync()); err != nil || from == newDir {
			return err
		}
		return q.move(id, from, newDir)
	}
	return memory.Errorf(memory.KindNotFound, "retry job", "no such job that failed")
}

func (q *Queue) open(folder, id string) (*os.File, error) {
	return os.OpenFile(q.path(folder, id), os.O_RDWR|unix.O_NOFOLLOW, 0)
}
