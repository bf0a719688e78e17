package fuse

import (
	"strings"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// scratch holds what lies below memories/ and is no entry: the files that programs make for a
// while, new files without a text, empty folders. It is the user's own, and what was used
// first vanishes where it is too much.
type scratch struct {
	mu sync.Mutex
	m  map[scratchKey]scratchFile
}

type scratchKey struct {
	id   memory.ScopeID
	path string
}

type scratchFile struct {
	dir   bool
	text  []byte
	mtime time.Time
	// away is the entry that was given this name. It is not shown under its own, and is
	// removed with this file, unless it has changed meanwhile.
	away *memory.Entry
}

// Bounds of one user's files.
const (
	maxScratchFiles = 256
	maxScratchBytes = 4 << 20
	maxScratchFile  = 1 << 20
)

func (r *scratch) get(id memory.ScopeID, path string) (scratchFile, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok := r.m[scratchKey{id, path}]
	return f, ok
}

func (r *scratch) put(id memory.ScopeID, path string, f scratchFile) {
	f.mtime = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[scratchKey]scratchFile{}
	}
	r.m[scratchKey{id, path}] = f
	for {
		var oldest scratchKey
		files, bytes := 0, 0
		for k, f := range r.m {
			if k.id.UID != id.UID {
				continue
			}
			files, bytes = files+1, bytes+len(f.text)
			if old := r.m[oldest]; old.mtime.IsZero() || f.mtime.Before(old.mtime) {
				oldest = k
			}
		}
		if files <= maxScratchFiles && bytes <= maxScratchBytes {
			return
		}
		delete(r.m, oldest)
	}
}

func (r *scratch) drop(id memory.ScopeID, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, scratchKey{id, path})
}

// below returns what lies in a folder and in those in it.
func (r *scratch) below(id memory.ScopeID, dir string) map[string]scratchFile {
	if dir != "" {
		dir += "/"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	files := map[string]scratchFile{}
	for k, f := range r.m {
		if k.id == id && strings.HasPrefix(k.path, dir) {
			files[k.path] = f
		}
	}
	return files
}

// away returns the entries that were given another name: their revisions then, by id.
func (r *scratch) away(id memory.ScopeID) map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	away := map[string]int64{}
	for k, f := range r.m {
		if k.id == id && f.away != nil {
			away[f.away.ID] = f.away.Revision
		}
	}
	return away
}

// reads are the revisions that processes have read: what one writes over a text that it
// has read must not undo what it has not seen.
type reads struct {
	mu sync.Mutex
	m  map[readKey]int64
}

type readKey struct {
	by    reader
	entry string // its id
}

// reader is a process, in a session: several agents in one process have trees of their own.
type reader struct {
	attest.Link
	session string
}

// maxReads bounds the revisions that are known; after that, none is.
const maxReads = 16384

// note notes what a process has read. Only again, where it is to have been read before.
func (r *reads) note(by reader, entry string, revision int64, again bool) {
	k := readKey{by, entry}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.m[k]; by.PID == 0 || entry == "" || again && !ok {
		return
	}
	if len(r.m)%maxReads == 0 {
		r.m = map[readKey]int64{}
	}
	r.m[k] = revision
}

// of returns the revision that a process has read last, or 0.
func (r *reads) of(by reader, entry string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[readKey{by, entry}]
}
