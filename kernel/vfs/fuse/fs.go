package fuse

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// fileSystem answers FUSE requests for a device table. What it does not define
// is answered with ENOSYS by the embedded default, which makes the kernel stop
// asking: OPENDIR, ACCESS, extended attributes, locks, LSEEK, POLL.
type fileSystem struct {
	fuse.RawFileSystem

	table    *vfs.Table
	attester *attest.Attester
	log      *slog.Logger
	now      func() time.Time
	deadline time.Duration
	owner    fuse.Owner        // of every file: who mounted
	shared   bool              // others than the owner may open
	inos     map[string]uint64 // st_ino of the devices outside of sessions

	ctx      context.Context // ends when the server gives up waiting for requests
	running  *tracker
	watch    *watch
	tasks    sync.WaitGroup                          // goroutines that are not requests
	notify   func(id uint64, off int64, data []byte) // stores into the page cache; nil without a kernel
	ancestry atomic.Bool                             // whether the kernel's pids mean anything here
	epoch    atomic.Uint64                           // counts requests that were answered
	probe    probe

	nodes    registry[*node]
	handles  registry[*handle]
	sessions sessions
	users    users
	board    *board
	late     late
}

func newFileSystem(ctx context.Context, table *vfs.Table, opts Options) *fileSystem {
	opts = opts.orDefault()
	fs := &fileSystem{
		RawFileSystem: fuse.NewDefaultRawFileSystem(),
		table:         table,
		attester:      attest.New(attest.Options{Project: opts.Pinned, Agents: opts.Agents}),
		log:           opts.Logger,
		now:           opts.Now,
		deadline:      opts.Deadline,
		owner:         fuse.Owner{Uid: uint32(unix.Geteuid()), Gid: uint32(unix.Getegid())},
		shared:        opts.AllowOther,
		inos:          map[string]uint64{},
		ctx:           ctx,
		running:       newTracker(),
		sessions:      sessions{m: map[string]*node{}},
		users:         users{limits: opts.Limits, m: map[uint32]usage{}},
		late:          late{byKey: map[lateKey]*lateJob{}, byJob: map[*job]*lateJob{}},
	}
	fs.board = newBoard(func() func(attest.Link) bool { return fs.attester.Alive }, opts.Now, opts.Limits.Replies)
	fs.watch = newWatch(ctx, opts.Deadline, opts.Now, &fs.tasks)
	fs.ancestry.Store(true)
	fs.nodes.reserve(lastFixed)
	for _, id := range []uint64{rootID, sessionsID} {
		fs.nodes.put(id, newDir(id, id, "", opts.Now()))
	}
	for i, f := range table.Folders() {
		id := foldersID + uint64(i)
		dir := newDir(id, id, "", opts.Now())
		dir.folder = f
		fs.nodes.put(id, dir)
	}
	for _, d := range table.Devices() {
		fs.inos[d.Name()] = inode("", d.Name())
	}
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
}
