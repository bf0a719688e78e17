package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

// Options say how a kernel is made.
type Options struct {
	ConfigFile string // --config; "": the usual places
	Project    string // --project: pins the project of every caller; "": each caller's own
	Watch      bool   // take in edits by hand and configuration changes as they happen
	Logger     *slog.Logger
	Level      *slog.LevelVar // of Logger, to be set by log.level; may be nil
	MaxLevel   slog.Level     // Level is never set above it: --debug
}

// Kernel is everything behind the devices, without a front end.
type Kernel struct {
	Store  *store.Store
	Recall *recall.Engine
	Table  *vfs.Table
	Paths  paths.Paths
	Gate   *gate.Gate

	opts    Options
	log     *slog.Logger
	config  *config.Reloader
	inForce atomic.Pointer[config.Loaded]
	bad     atomic.Pointer[error] // why the newest configuration is not in force, or not all of it
	started time.Time
	stop    context.CancelFunc // ends the watching of the configuration
	watcher sync.WaitGroup
	mounted atomic.Pointer[mounted]
	watches *watch.Watcher // of the folders of all scopes; nil: they are not watched

	users     users
	indexes   *recall.Indexes // the indexes of their conversations
	elsewhere elsewhere       // the configuration of their projects
}

// New builds a kernel. The scanner's rules are still to be loaded when it returns,
// or loading; the first write waits for them.
func New(ctx context.Context, opts Options) (*Kernel, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	k := &Kernel{opts: opts, log: opts.Logger, started: time.Now()}
	if opts.Watch {
		k.watches = &watch.Watcher{}
	}
	var err error
	if k.Paths, err = paths.Find(); err != nil {
		return nil, err
	}
	loaded, err := config.Working(ctx, k.Sources())
	if err != nil {
		return nil, err
	}
	k.inForce.Store(loaded)
	k.level(loaded)
	if loaded.Refused != nil {
		k.refused(loaded.Refused)
	}
	k.Gate = gate.New(loaded.Config.Scanner, opts.Watch)
	k.config = config.NewReloader(loaded, config.Hooks{Admit: k.admit, Changed: k.reloaded, Failed: k.refused})
	k.Recall = recall.New(recall.Options{Score: func() memory.Score { return memory.Score(k.Config().Config.Score) }})
	k.Store = store.New(store.Options{
		Open: k.open, Scanner: k.Gate, Policies: k.policies, Folder: k.folder, Kept: k.kept,
		Observers: []memory.Observer{k.Recall}, SweepOpened: opts.Watch,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	indexes := recall.IndexesOptions{Logger: k.log, BootID: bootID()}
	if !opts.Watch { // a program that lives for one request has no later
		indexes.Patience = 30 * time.Second
	}
	k.indexes = recall.NewIndexes(indexes)
	recallDevice := vfs.NewRecall(vfs.RecallOptions{
		Store: k.Store, Engine: k.Recall, Conversations: k.conversationIndex, Known: k.knownConversation,
		Settings: k.recallSettings, Project: attest.Project, Summarizer: digester{k},
	})
	k.Table = vfs.NewTable(k.log,
		vfs.NewCommit(k.Store, attest.Project),
		recallDevice,
		vfs.NewProfile(k.Store, attest.Project),
		vfs.NewContext(k.Store, k.projectFirst),
		vfs.NewProcess(vfs.ProcessOptions{Store: k.conversations, Project: attest.Project, Ended: k.conversationEnded}),
		vfs.NewStatus(vfs.StatusOptions{
			Store: k.Store, Counters: func() map[string]vfs.Counters { return k.Table.Counters() },
			Conversations: k.conversations, Writeback: k.jobs, Daemon: k.status,
		}),
	)
	k.Table.AddFolder(vfs.NewSearch(recallDevice))
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	if opts.Watch {
		k.watcher.Go(func() {
			if err := k.config.Run(ctx); err != nil {
				k.log.Warn("the configuration is not watched; SIGHUP reloads it", "err", err)
			}
		})
	}
	return k, nil
}

// bootID names this run of the machine; "" where the kernel does not say.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// conversationIndex is the index of the conversations of a caller's project.
func (k *Kernel) conversationIndex(ctx context.Context, caller memory.Caller) (*recall.Conversations, bool, error) {
	store, err := k.conversations(caller.UID)
	if err != nil {
		return nil, false, err
	}
	return k.indexes.Index(ctx, store, caller.Project)
}

// Close ends the kernel. What was acknowledged is on disk already.
func (k *Kernel) Close() error {
	k.stop()
	k.watcher.Wait()
	err := errors.Join(k.indexes.Close(), k.Store.Close(), k.Recall.Close())
	k.Gate.Close()
	return err
}

// Config is the configuration in force.
func (k *Kernel) Config() *config.Loaded { return k.inForce.Load() }

// Sources are the places where this kernel looks for its configuration.
func (k *Kernel) Sources() config.Sources {
	return ConfigSources(k.Paths, k.opts.ConfigFile, k.opts.Project)
}

// ConfigSources are the places where the configuration of a project is looked
// for. An empty project means the one of the working directory.
func ConfigSources(p paths.Paths, file, project string) config.Sources {
	cwd, err := os.Getwd()
	if err == nil && project == "" {
		project, _ = paths.Project(cwd)
	}
	return config.Sources{Explicit: file, WorkDir: cwd, Project: project, UserDir: p.Config}
}

// Self is this process as a caller of a kernel of its own.
func Self() memory.Caller {
	a := attest.New(attest.Options{})
	c := a.Caller(uint32(os.Getuid()), uint32(os.Getgid()), os.Getpid())
	c.Road = "cli"
	return c
}

// Reload reads the configuration anew; an invalid one leaves the old in force.
func (k *Kernel) Reload(ctx context.Context) { k.config.Reload(ctx) }

func (k *Kernel) reloaded(l *config.Loaded) {
	k.bad.Store(nil)
	if l.Refused != nil {
		k.bad.Store(new(error(l.Refused)))
	}
	k.level(l)
	old := k.inForce.Swap(l)
	for _, d := range config.Differences(old.Config, l.Config) {
		k.log.Info("configuration changed", "key", d.Key, "old", d.Old, "new", d.New, "needs_remount", d.Restart)
	}
}

// admit refuses a configuration whose scanner does not load.
func (k *Kernel) admit(l *config.Loaded) error {
	changed, err := k.Gate.Reload(l.Config.Scanner)
	if err != nil {
		return gate.Problem(l, err)
	}
	if changed {
		k.log.Info("scanner loaded anew")
	}
	return nil
}

// ready waits for the scanner, and says why it did not load. The rules that are
// built in need no waiting for: they load, or it is a bug.
func (k *Kernel) ready() error {
	l := k.Config()
	if l.Config.Scanner.Rules == "" && len(l.Config.Scanner.Allow) == 0 {
		return nil
	}
	if err := k.Gate.Loaded(); err != nil {
		return gate.Problem(l, err)
	}
	return nil
}

func (k *Kernel) level(l *config.Loaded) {
	if k.opts.Level != nil {
		k.opts.Level.Set(min(l.Config.Log.Level.Slog(), k.opts.MaxLevel))
	}
}

func (k *Kernel) refused(err error) {
	k.bad.Store(&err)
	k.log.Error("configuration refused, what was in force stays", "err", err)
}

// projectFirst reports what inject.order says for a caller.
func (k *Kernel) projectFirst(ctx context.Context, caller memory.Caller) bool {
	return k.configOf(ctx, caller.UID, caller.Project, caller.Cwd).Inject.Order == config.ProjectFirst
}

func (k *Kernel) recallSettings() vfs.RecallSettings {
	c := k.Config().Config
	return vfs.RecallSettings{Enabled: c.Recall.Enabled, MaxResults: c.Recall.MaxResults}
}
