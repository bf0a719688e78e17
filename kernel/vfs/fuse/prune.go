package fuse

import (
	"slices"
	"sync"
	"time"
)

// lookups are the nodes below the root's own files, of which there may be any number:
// each query is a file, each session a directory. The kernel keeps what it has looked
// up until memory is short, and with it the pages that were read.
type lookups struct {
	mu   sync.Mutex
	ids  []uint64
	next int // length of ids at which they are pruned
}

// pruneEvery is how many such LOOKUPs there are from one pruning to the next.
const pruneEvery = 256

// note notes a LOOKUP, and has the kernel drop all of these nodes that nobody uses
// once there are many. A kernel before Linux 6.18 can't be told; there they lose only
// their content. EntryNotify is no way out: it waits for the directory's lock, which a
// LOOKUP holds that waits for this process, and so would SIGKILL.
func (fs *fileSystem) note(id uint64) {
	l := &fs.lookups
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids = append(l.ids, id); len(l.ids) < max(l.next, pruneEvery) {
		return
	}
	l.ids = slices.DeleteFunc(l.ids, func(id uint64) bool {
		n := fs.tree.nodes.get(id)
		return n == nil || n.fade() && fs.prune == nil
	})
	l.next = len(l.ids) + pruneEvery
	if ids := slices.Clone(l.ids); fs.prune != nil && fs.runner.running.begin() {
		go func() { // Server.Unmount and Wait wait for it
			defer fs.runner.running.end()
			fs.prune(ids)
		}()
	}
}

// fade drops the content of a node that is too old to be read as it was, and reports
// whether it has none.
func (n *node) fade() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.since) >= leaseAge {
		n.content = nil
	}
	return n.content == nil
}
