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
// A LOOKUP chooses what the caller will read (lookup.go, tree.go, node.go), an OPEN
// makes a handle (handle.go). A WRITE is framed into JSON objects (framer.go,
// write.go), which run under a deadline (run.go, jobs.go) and are answered with an
// errno; their replies are kept for readers (replies.go, transcript.go), whom READ
// shows them (read.go).
//
// Below memories/ there are files in place of devices ([vfs.Memories]): a LOOKUP finds
// what is the caller's (memories.go), a WRITE is judged and a close makes the entry
// (edit.go), names come, go and move (change.go), and what programs make for a while is
// kept here alone (scratch.go).
//
// # What it is not
//
// It knows no memory and no device by name: what a request means is the table's
// affair. It holds nothing that outlives the mount.
//
// # Invariants
//
//   - A request runs inside the WRITE that delivers its closing brace, and the
//     errno of its failure is that WRITE's. FLUSH and RELEASE never run one of a device.
//
//   - A signal never undoes a request: INTERRUPT is ignored, the deadline bounds
//     it. No finished operation answers EINTR or EAGAIN.
//
//   - A node of a device belongs to one caller, from its LOOKUP to the last close; it
//     has the exact size of what that caller will read, which does not change
//     meanwhile. One inode for all would make the kernel run all writers one after
//     another, and give one reader another's size.
//
//   - The kernel keeps no name and no listing below memories/: each caller has their own.
//     A write that fails leaves the entry as it was, and so does all that follows it on
//     that handle.
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
// # Lock order
//
// handle.mu, then any one of the others, which are leaves: none is held while another
// is taken, except a directory's node.mu over that of a device. No leaf is held over
// a device or over a system call that may wait. handle.mu is held over both: the
// requests of one descriptor run one after another.
//
// Imported by the composition root and the command line; imports vfs,
// vfs/attest and memory.
package fuse
