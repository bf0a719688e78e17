package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
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

// New builds a kernel. The scanner's rules are still to be loaded when it returns,
// or loading; the first write waits for them.
func New(ctx context.Context, opts Options) (*Kernel, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	k := &Kernel{opts: opts, started: time.Now()}
	if opts.Watch {
		k.watches = &watch.Watcher{}
	}
	var err error
	if k.Paths, err = paths.Find(); err != nil {
		return nil, err
	}
	k.sources = ConfigSources(k.Paths, opts.ConfigFile, opts.Project)
	loaded, err := config.Working(ctx, k.sources)
	if err != nil {
		return nil, err
	}
	k.inForce.Store(loaded)
	k.level(loaded)
	k.Gate = gate.New(loaded.Config.Scanner, FingerprintKey(k.Paths), opts.Watch)
	k.log = slog.New(namedLog{opts.Logger.Handler(), k.Gate.Name})
	if loaded.Refused != nil {
		k.refused(loaded.Refused)
	}
	k.library = openLibrary(k)
	k.config = config.NewReloader(loaded, config.Hooks{Admit: k.admit, Changed: k.reloaded, Failed: k.refused})
	k.Recall = newRecall(k)
	changes := vfs.NewChanges(time.Now)
	k.Store = store.New(store.Options{
		Open: k.open, Scanner: k.Gate, Policies: k.policies, Folder: k.shownFolder, Name: k.Gate.Name, Kept: k.kept, Known: known,
		Categories: func() memory.Categories { return k.Config().Own.CategoryTable() },
		Observers:  []memory.Observer{k.Recall}, Refused: keepRefusals(k.Paths, k.log), RedactValues: k.Gate.RedactValues, SweepOpened: opts.Watch, Unserved: !opts.served, MaxOpen: maxOpen(),
		Changed: changes.Changed,
		NewID:   func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	indexes := recall.IndexesOptions{Logger: k.log, BootID: bootID()}
	if !opts.Watch { // a program that lives for one request has no later
		indexes.Patience = 30 * time.Second
	}
	k.indexes = recall.NewIndexes(indexes)
	search := vfs.RecallOptions{
		Store: k.Store, Engine: k.Recall, Conversations: k.conversationIndex, Known: k.knownConversation, Library: owned(k.library),
		Elsewhere: func(ctx context.Context, c memory.Caller) []vfs.Elsewhere { return otherProjects(ctx, k, c) },
		Settings:  k.recallSettings, Project: attest.Within,
	}
	recallDevice := vfs.NewRecall(search)
	status := vfs.StatusOptions{
		Store: k.Store, Counters: func() map[string]vfs.Counters { return k.Table.Counters() },
		Conversations: k.conversations, Writeback: k.jobs, Daemon: k.status,
	}
	devices := []vfs.Device{
		vfs.NewEntries(k.Store, attest.Within, memory.ScopeProject),
		recallDevice,
		vfs.NewEntries(k.Store, attest.Within, memory.ScopeUser),
		vfs.NewContext(search, k.shown),
		vfs.NewKnowledge(owned(k.library)),
		vfs.NewEvents(k.Store, changes, attest.Within),
		vfs.NewProcess(vfs.ProcessOptions{Store: k.conversations, Project: attest.Within, Ended: k.conversationEnded}),
		vfs.NewStatus(status),
	}
	k.Table = vfs.NewTable(k.log, append(devices, scopeDevices(k, loaded, status)...)...)
	k.Table.AddFolder(vfs.NewSearch(recallDevice))
	if turns := vfs.NewTurns(k.conversations); k.Table.Device(turns.Name()) == nil { // scopes were called so before
		k.Table.AddFolder(turns)
	}
	k.Table.SetMemories(vfs.NewMemories(k.Store))
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

// newRecall returns the index of the entries. A program that lives for one request has no
// time for a look by meaning.
func newRecall(k *Kernel) *recall.Engine {
	opts := recall.Options{
		Score:     func() memory.Score { return memory.Score(k.Config().Config.Score) },
		Lifetimes: func(id memory.ScopeID) memory.Lifetimes { return k.Store.Lifetimes(context.Background(), id) },
		Vectors:   func(id memory.ScopeID) string { return vectorsOf(k, id) },
	}
	if k.opts.Watch {
		opts.Look = lookOf(k)
	}
	return recall.New(opts)
}

// scopeDevices are those of scopes, and metrics, whose name a scope may have.
func scopeDevices(k *Kernel, loaded *config.Loaded, status vfs.StatusOptions) (devices []vfs.Device) {
	figures := vfs.NewMetrics(status, func(c memory.Caller, s vfs.Status, x *vfs.Exposition) bool { return metrics(k, c, s, x) })
	added := loaded.Config.AddedScopes()
	if !slices.Contains(added, memory.Scope(figures.Name())) {
		devices = append(devices, figures)
	}
	for _, scope := range append([]memory.Scope{memory.ScopeSession, memory.ScopeAgent}, added...) {
		devices = append(devices, vfs.WithMetrics(vfs.NewEntries(k.Store, attest.Within, scope), figures))
	}
	return devices
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
	err := errors.Join(k.indexes.Close(), k.library.Close(), k.Store.Close(), k.Recall.Close())
	k.Gate.Close()
	return err
}
