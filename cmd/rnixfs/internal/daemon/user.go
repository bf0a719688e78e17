package daemon

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/importer"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// User is what the kernel keeps of one user beside the entries.
type User struct {
	Conversations *process.Store
	Importer      *importer.Importer
	Jobs          *spool.Queue

	spool   *spool.Spool
	worker  *writeback.Worker
	running bool
	entries *store.Store
}

// users are all of them, and the working on their jobs.
type users struct {
	mu   sync.Mutex
	by   map[uint32]*User
	ctx  context.Context // of the workers; nil: none run in this kernel
	work sync.WaitGroup
}

// Own is the user who runs this process.
func (k *Kernel) Own() (*User, error) { return k.user(uint32(os.Getuid())) }

// user returns a user, whose jobs are worked on from then on where this kernel works.
func (k *Kernel) user(uid uint32) (*User, error) {
	all := &k.users
	all.mu.Lock()
	defer all.mu.Unlock()
	u := all.by[uid]
	if u == nil {
		var err error
		if u, err = k.openUser(uid); err != nil {
			return nil, err
		}
		if all.by == nil {
			all.by = map[uint32]*User{}
		}
		all.by[uid] = u
	}
	if all.ctx != nil && all.ctx.Err() == nil && !u.running {
		u.running = true
		all.work.Go(func() { u.worker.Run(all.ctx) })
	}
	return u, nil
}

func (k *Kernel) openUser(uid uint32) (*User, error) {
	store, err := process.Open(k.Paths.Conversations(uid), process.Options{UID: uid, Redact: k.Gate.RedactLong})
	if err != nil {
		return nil, err
	}
	home, _ := paths.Home() // without one, no history is found
	dir := k.Paths.Spool(uid)
	u := &User{
		Conversations: store,
		Importer:      &importer.Importer{Store: store, UID: uid, Home: home, FindProject: paths.Project, Ledger: k.Paths.Imports(), Name: k.Gate.Name},
		Jobs:          spool.Open(dir, spool.QueueOptions{Settle: k.settleOf(uid)}),
		spool:         spool.New(dir, spool.Options{Name: k.Gate.Name}), entries: k.Store,
	}
	opts := writeback.Options{
		Queue: u.Jobs, Store: k.Store, Conversations: store, UID: uid, Log: k.log, Redact: k.Gate.RedactLong,
		Project: projectOf, Settings: k.settingsOf(uid),
		There: func(project string) bool { return project == "" || paths.IsFolder(project) },
	}
	// A job of another user than this process's can't name a transcript: it would be
	// read with the rights of this process.
	if int(uid) == os.Getuid() {
		opts.Import = func(ctx context.Context, job spool.Job) ([]process.Conversation, error) {
			return u.Importer.ImportRun(ctx, importer.Run{
				Agent: job.Agent, External: job.External, Transcript: job.Transcript, Dir: job.Project,
				Start: job.Start, End: job.End, Places: job.Places,
			})
		}
	}
	u.worker = writeback.New(opts)
	return u, nil
}

// projectOf is the project of what is learned from conversations in a directory.
func projectOf(dir string) string { return importer.ProjectOf(dir, paths.Project) }

// How long a job of a conversation that may go on waits for the next one: an agent's hook
// comes after every answer. A model is asked once, when it seems to be over.
const (
	settleTime = 3 * time.Second
	idleSettle = 5 * time.Minute
)

// settleOf is how long the jobs of a user wait. A run that has ended does not go on, and
// what is compacted is gone.
func (k *Kernel) settleOf(uid uint32) func(spool.Job) time.Duration {
	return func(j spool.Job) time.Duration {
		asks := k.modelOf(uid) != nil
		switch j.Event {
		case "end", "exit", "SessionEnd":
			return 0
		case "PreCompact", "PreCompress":
			if asks {
				return 0
			}
		default:
			if asks {
				return idleSettle
			}
		}
		return settleTime
	}
}

// conversations are those of a user.
func (k *Kernel) conversations(uid uint32) (*process.Store, error) {
	u, err := k.user(uid)
	if err != nil {
		return nil, err
	}
	return u.Conversations, nil
}

// startLearning has this kernel work on the jobs of all users until the context
// ends. The caller waits for that with k.users.work.
func (k *Kernel) startLearning(ctx context.Context) {
	k.users.mu.Lock()
	k.users.ctx = ctx
	k.users.mu.Unlock()
	for _, uid := range k.Paths.Users() {
		if _, err := k.user(uid); err != nil {
			k.log.Error("writeback: the jobs of a user are not worked on", "uid", uid, "err", err)
		}
	}
}

// Work does the user's jobs that are due, or will be in a moment, and returns how
// many. Those that failed wait for longer, and are left.
func (u *User) Work(ctx context.Context) (sum int, err error) {
	for {
		n, next, err := u.worker.Drain(ctx)
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

// conversationEnded drops what the session kept in RAM, and hands the conversation to
// the writeback.
func (k *Kernel) conversationEnded(ctx context.Context, p process.Conversation) (string, error) {
	k.dropSession(ctx, p.UID, p.External)
	if !k.settingsOf(p.UID)(ctx, p.Project, p.Project).Enabled {
		return "", nil
	}
	u, err := k.user(p.UID)
	if err != nil {
		return "", err
	}
	id, err := u.spool.Submit(ctx, spool.Job{
		Agent: p.Agent, External: p.External, Process: p.UUID, Project: p.Project, Event: "end",
		Reason: p.ExitReason, ExitCode: p.ExitCode, Start: p.Start, End: p.End, UID: p.UID,
	})
	if err == nil {
		u.worker.Wake()
	}
	return id, err
}

// Undo takes back what a job of this user stored, as far as it still is as the job
// left it.
func (u *User) Undo(ctx context.Context, job string) (writeback.Undone, error) {
	return writeback.Undo(ctx, u.Jobs, u.entries, Self(), job)
}

// Question is what a model would be asked about a conversation, of "" the template.
func (u *User) Question(ctx context.Context, uuid string) (string, error) {
	return u.worker.Question(ctx, uuid)
}

// Words are those of a quote: the beginning of its turn where it has no bounds.
func (u *User) Words(ctx context.Context, q spool.Quote) string { return u.worker.Words(ctx, q) }

// Entry is an entry that a job left or would change, nil where it is not there any more.
func (u *User) Entry(ctx context.Context, scope memory.Scope, owner, id string) *memory.Entry {
	v, err := u.entries.Reader(memory.ScopeID{Scope: scope, Owner: owner, UID: u.Importer.UID}).Load(ctx)
	i := slices.IndexFunc(v.Entries, func(e *memory.Entry) bool { return e.ID == id })
	if err != nil || i < 0 {
		return nil
	}
	return v.Entries[i]
}

// Learned counts the entries that were learned from a conversation of a project, and
// removes them if that is wanted.
func (u *User) Learned(ctx context.Context, project, uuid string, remove bool) (int, error) {
	return writeback.Learned(ctx, u.entries, Self(), project, uuid, remove)
}

// Stats are the numbers of the user's jobs, nil where they can't be read.
func (u *User) Stats() *spool.Stats {
	s, err := u.Jobs.Stats()
	if err != nil {
		return nil
	}
	return &s
}

// maxLookedAt bounds the conversations that are opened to find one of an agent.
const maxLookedAt = 2000

// knownConversation implements vfs.KnownFunc. What can't be found out counts as
// known.
func (k *Kernel) knownConversation(ctx context.Context, caller memory.Caller, uuid, agent string) bool {
	store, err := k.conversations(caller.UID)
	if err != nil {
		return true
	}
	if uuid != "" {
		p, err := store.Conversation(ctx, caller.Project, uuid)
		if kind := memory.KindOf(err); err != nil {
			return kind != memory.KindNotFound && kind != memory.KindInvalid
		}
		return agent == "" || p.Agent == agent
	}
	n := 0
	for p, err := range store.Conversations(ctx, caller.Project) {
		if n++; err != nil || p.Agent == agent || n > maxLookedAt {
			return true
		}
	}
	return false
}

// maxOtherProjects bounds the projects that a search names that found nothing.
const maxOtherProjects = 5

// otherProjects are projects of the caller's user that have conversations, and are there.
func otherProjects(ctx context.Context, k *Kernel, caller memory.Caller) (others []vfs.Elsewhere) {
	store, err := k.conversations(caller.UID)
	if err != nil {
		return nil
	}
	projects, _ := store.Projects(ctx) // it is a hint
	for _, dir := range projects {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() || dir == caller.Project || len(others) == maxOtherProjects {
			continue
		}
		command := "cd " + agents.Quote(dir) + " && rnixfs recall WORDS"
		if root, ok := attest.Project(dir); !ok || root != dir {
			command = "mkdir " + agents.Quote(filepath.Join(dir, ".rnix")) + " && " + command
		}
		others = append(others, vfs.Elsewhere{Project: dir, Command: command})
	}
	return others
}
