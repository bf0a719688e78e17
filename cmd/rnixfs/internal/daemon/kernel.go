package daemon

import (
	"context"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
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
	Absent     string         // the mountpoint that was named, of a mount that is not there; "": none

	served bool // by a mount
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
	sources config.Sources
	watches *watch.Watcher // of the folders of all scopes; nil: they are not watched

	users     users
	indexes   *recall.Indexes // the indexes of their conversations
	elsewhere elsewhere       // the configuration of their projects
	library   *knowledge.Library
}

// Config is the configuration in force.
func (k *Kernel) Config() *config.Loaded { return k.inForce.Load() }

// Sources are the places where this kernel looks for its configuration.
func (k *Kernel) Sources() config.Sources { return k.sources }

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
	a := attest.New("")
	c := a.Caller(uint32(os.Getuid()), os.Getpid())
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
		k.log.Info("configuration changed", "key", d.Key, "old", k.Gate.Name(d.Key, d.Old), "new", k.Gate.Name(d.Key, d.New), "needs_remount", d.Restart)
		if d.Key == "knowledge" {
			k.library.Refresh(false)
		}
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

// shown says how memory is shown to a caller who starts.
func (k *Kernel) shown(ctx context.Context, caller memory.Caller) vfs.ContextSettings {
	mountpoint := ""
	if m := k.mounted.Load(); m != nil && plain.MatchString(m.mountpoint) && !fuse.IsDevice(m.mountpoint) {
		mountpoint = m.mountpoint
	}
	if mountpoint == paths.Device && caller.Session == "" && attest.Away(caller.PID) {
		mountpoint = paths.Shared // its /dev may be another, without the link; a session's tree is bound where its owner is told
	}
	told := vfs.Told(Program(), mountpoint)
	if caller.Road == "mcp" {
		told = vfs.ToldTools()
	}
	c := k.configOf(ctx, caller.UID, caller.Project, caller.Cwd).Config
	return vfs.ContextSettings{
		Told: told, Now: time.Now(),
		ProjectFirst: c.Inject.Order == config.ProjectFirst, Table: vfs.ContextTable(c.Context),
	}
}

// plain is a path that a shell takes as it is.
var plain = regexp.MustCompile(`^[\w/.+,:@-]+$`)

// Program is the command of this program for a shell: its name where PATH finds it
// by that, else its absolute path.
func Program() string {
	path, named, _ := paths.Self() // on Linux it does not fail where /proc is mounted
	switch {
	case named:
		return "rnixfs"
	case plain.MatchString(path):
		return path
	}
	return agents.Quote(path)
}

func (k *Kernel) recallSettings() vfs.RecallSettings {
	c := k.Config().Config
	set := vfs.RecallSettings{Enabled: c.Recall.Enabled, MaxResults: c.Recall.MaxResults, Deadline: c.Mount.Deadline}
	if c.Recall.Model {
		set.Model = k.modelOf
	}
	return set
}
