package fuse

import (
	"context"
	"log/slog"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// errnoStale answers for ids that the server does not know, which a kernel never
// sends.
const errnoStale = unix.ESTALE

// fileSystem answers FUSE requests for a device table.
type fileSystem struct {
	refusals

	log    *slog.Logger
	owner  fuse.Owner                              // of every file: the user who mounted
	shared bool                                    // others than the owner may open
	notify func(id uint64, off int64, data []byte) // stores into the page cache; nil without a kernel
	prune  func(ids []uint64)                      // drops nodes that nobody uses; nil where the kernel can't

	tree     *tree
	memories memories
	lookups  lookups
	handles  registry[*handle]
	runner   *runner
	callers  *callers
	probe    probe
}

func newFileSystem(ctx context.Context, table *vfs.Table, opts Options) *fileSystem {
	opts = opts.orDefault()
	c := &callers{Attester: attest.New(opts.Pinned), sessionRoot: opts.SessionRoot, begun: map[uint32]map[string]home{}}
	c.Own = opts.Own
	c.ancestry.Store(true)
	fs := &fileSystem{
		refusals: refusals{fuse.NewDefaultRawFileSystem()},
		log:      opts.Logger,
		owner:    fuse.Owner{Uid: uint32(unix.Geteuid()), Gid: uint32(unix.Getegid())},
		shared:   opts.AllowOther,
		tree:     newTree(table),
		memories: memories{tree: table.Memories()},
		callers:  c,
		runner: &runner{
			ctx: ctx, table: table, deadline: opts.Deadline, callers: c,
			users:   &users{limits: opts.Limits, m: map[uint32]usage{}},
			replies: newReplies(c.Alive, time.Now, opts.Limits.Replies),
			running: newTracker(),
		},
	}
	fs.memories.fs = fs
	return fs
}

// String names the file system where go-fuse has no other name.
func (fs *fileSystem) String() string { return "rnixfs" }

// Init is called once the kernel has agreed on the protocol.
func (fs *fileSystem) Init(s *fuse.Server) {
	if s == nil {
		return
	}
	fs.notify = func(id uint64, off int64, data []byte) {
		if st := s.InodeNotifyStoreCache(id, off, data); !st.Ok() {
			fs.log.Debug("reply not stored in the page cache", "status", st.String())
		}
	}
	if s.KernelSettings().SupportsNotify(fuse.NOTIFY_PRUNE) {
		fs.prune = func(ids []uint64) {
			if st := s.PruneNotify(ids); !st.Ok() {
				fs.log.Debug("nodes not pruned", "status", st.String())
			}
		}
	}
}
