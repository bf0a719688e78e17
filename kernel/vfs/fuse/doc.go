// Package fuse serves a device table as a file system: each device is a file to
// which JSON requests are written and from which JSON replies are read. It is
// the only importer of go-fuse.
//
// # What it is
//
// [Mount] mounts a [vfs.Table]; [Server] is the mount while this process serves
// it. [MountState], [Silent], [Unmount] and [Detach] are for other processes, which
// know a mount by its path alone.
//
// There is one file per FUSE concept: a WRITE is framed into JSON objects
// (framer.go), executed under a deadline (deadline.go) and answered with an
// errno; its reply is kept for readers (replies.go, transcript.go). A LOOKUP
// chooses what the caller will read (lookup.go), READ shows it (read.go).
//
// # What it is not
//
// It knows no memory and no device by name: what a request means is the table's
// affair. It holds nothing that outlives the mount.
//
// # Invariants
//
//   - A request runs inside the WRITE that delivers its closing brace, and the
//     errno of its failure is that WRITE's. FLUSH and RELEASE never run one.
//
//   - A signal never undoes a request: INTERRUPT is ignored, the deadline bounds
//     it. No finished operation answers EINTR or EAGAIN.
//
//   - A node of a device belongs to one caller at a time, from its LOOKUP to the
//     last close; it has the exact size of what that caller will read, which does
//     not change meanwhile. One inode for all would make the kernel run all
//     writers one after another, and give one reader another's size. In a crowd a
//     few dozen share one that has no size and keeps nothing (crowd.go).
//
//   - A reply is shown to nobody but its writer's side, and reading does not
//     consume it.
//
//   - What one user can make the server hold is bounded: handles, bytes of
//     unfinished requests, running requests, replies.
//
//   - The server never touches its own mount, and never notifies the kernel while
//     it holds a lock: the kernel may hold the page that a READ is waiting for.
//
//   - One goroutine waits in read(2), and answers what it has read itself; who may
//     take long lets another one read first. (loop.go)
//
// # Lock order
//
// sessions.mu or handle.mu or a directory's node.mu, then a device's node.mu, then
// any one of: board.mu, users.mu, late.mu, tracker.mu, probe.mu, job.mu, gauge.mu, a shard
// of a registry. The last group are leaves: none is held while another is taken,
// nor over a system call or a device. handle.mu alone is held over both: one
// descriptor's requests run one after another.
//
// Imported by the composition root and the command line; imports vfs,
// vfs/attest and memory.
package fuse
