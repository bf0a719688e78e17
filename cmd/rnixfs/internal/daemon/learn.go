package daemon

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// spools are the jobs of the writeback, one spool a user, and who works on them.
type spools struct {
	mu   sync.Mutex
	by   map[uint32]*learning
	ctx  context.Context // of the workers; nil: none run in this kernel
	work sync.WaitGroup
}

// learning is one user's part of the writeback.
type learning struct {
	spool   *spool.Spool
	queue   *spool.Queue
	worker  *writeback.Worker
	running bool
}

// settleTime is how long a job of a conversation that may go on waits for the next
// one: an agent's hook comes after every answer.
const settleTime = 3 * time.Second

// settle is how long a job waits. A run that has ended does not go on.
func settle(j spool.Job) time.Duration {
	switch j.Event {
	case "end", "exit", "SessionEnd":
		return 0
	}
	return settleTime
}

// Writeback returns the queue of a user's jobs.
func (k *Kernel) Writeback(uid uint32) (*spool.Queue, error) {
	l, err := k.learning(uid)
	if err != nil {
		return nil, err
	}
	return l.queue, nil
}

// learning returns a user's part of the writeback, and has it worked on where this
// kernel works.
func (k *Kernel) learning(uid uint32) (*learning, error) {
	s := &k.spools
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.by[uid]
	if l == nil {
		conversations, err := k.Conversations(uid)
		if err != nil {
			return nil, err
		}
		dir := k.Paths.Spool(uid)
		l = &learning{spool: spool.New(dir, spool.Options{}), queue: spool.Open(dir, spool.QueueOptions{Settle: settle})}
		l.worker = writeback.New(writeback.Options{
			Queue: l.queue, Store: k.Store, Conversations: conversations, UID: uid,
			Import: k.importRun(uid), Project: k.importer(uid).ProjectOf, Settings: k.settingsOf(uid), There: func(project string) bool { return project == "" || paths.IsFolder(project) }, First: k.extractor(), Log: k.log,
		})
		if s.by == nil {
			s.by = map[uint32]*learning{}
		}
		s.by[uid] = l
	}
	if s.ctx != nil && s.ctx.Err() == nil && !l.running {
		l.running = true
		s.work.Go(func() { l.worker.Run(s.ctx) })
	}
	return l, nil
}

// startLearning has this kernel work on the jobs of all users until the context
// ends. The caller waits for that with k.spools.work.
func (k *Kernel) startLearning(ctx context.Context) {
	k.spools.mu.Lock()
	k.spools.ctx = ctx
	k.spools.mu.Unlock()
	for _, uid := range k.Paths.Users() {
		if _, err := k.learning(uid); err != nil {
			k.log.Error("writeback: the jobs of a user are not worked on", "uid", uid, "err", err)
		}
	}
}

// Work does this user's jobs that are due, or will be in a moment, and returns how
// many. Those that failed wait for longer, and are left.
func (k *Kernel) Work(ctx context.Context) (sum int, err error) {
	l, err := k.learning(uint32(os.Getuid()))
	if err != nil {
		return 0, err
	}
	for {
		n, next, err := l.worker.Drain(ctx)
		sum += n
		wait := time.Until(next)
		if err != nil || next.IsZero() || wait > settleTime {
			return sum, err
		}
		select {
		case <-ctx.Done():
			return sum, nil
		case <-time.After(wait):
		}
	}
}

// conversationEnded hands a conversation to the writeback.
func (k *Kernel) conversationEnded(ctx context.Context, p process.Conversation) (string, error) {
	if !k.settingsOf(p.UID)(ctx, p.Project, p.Project).Enabled {
		return "", nil
	}
	l, err := k.learning(p.UID)
	if err != nil {
		return "", err
	}
	id, err := l.spool.Submit(ctx, spool.Job{
		Agent: p.Agent, External: p.External, Process: p.UUID, Project: p.Project, Event: "end",
		Reason: p.ExitReason, ExitCode: p.ExitCode, Start: p.Start, End: p.End, UID: p.UID,
	})
	if err != nil {
		return "", err
	}
	l.worker.Wake()
	return id, nil
}

// processDevice is the device that takes conversations.
func (k *Kernel) processDevice(find vfs.ProjectFunc) vfs.Device {
	return vfs.NewProcess(vfs.ProcessOptions{Store: k.Conversations, Project: find, Ended: k.conversationEnded})
}

// Undo takes back what a job stored, as far as it still is as the job left it.
func (k *Kernel) Undo(ctx context.Context, caller memory.Caller, job string) (writeback.Undone, error) {
	q, err := k.Writeback(caller.UID)
	if err != nil {
		return writeback.Undone{}, err
	}
	return writeback.Undo(ctx, q, k.Store, caller, job)
}

// WritebackStats are the numbers of a user's spool, nil where it can't be read.
func (k *Kernel) WritebackStats(uid uint32) *spool.Stats {
	q, err := k.Writeback(uid)
	if err != nil {
		return nil
	}
	s, err := q.Stats()
	if err != nil {
		return nil
	}
	return &s
}
