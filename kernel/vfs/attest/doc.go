// Package attest finds out who is calling, from the kernel's own records: a
// process's ancestors, credentials, executable, working directory and the
// project that it lies in. Nothing a caller says of itself counts.
//
// # What it is
//
// An [Attester] answers two questions about a process that is blocked in a
// system call: who it is ([Attester.Caller]), and who its ancestors are
// ([Attester.Chain]). [Project] answers which project a directory lies in.
//
// A process in a [Chain] is a [Link]: its pid together with a number that the
// kernel never gives to another process, so that a reused pid is not mistaken
// for its former owner. On Linux 6.13 and later that is the inode of its pidfd
// (pidfs), and PIDFD_GET_INFO names the parent; before, it is the start time of
// /proc/PID/stat.
//
// # What it is not
//
// It authorises nothing: a [memory.Caller] is a finding, and devices decide.
//
// # Invariants
//
//   - What can't be found out is left zero. A caller whose pid reads 0 (another
//     pid namespace) is known by uid and gid alone.
//   - Trust is lowered by doubt: a caller is human only with a controlling
//     terminal, a chain read to its end, and no known agent in it.
//   - A directory is taken for a project only if the caller's working directory
//     is the same directory (device and inode) for this process: in another
//     mount namespace the same path may be another place.
//   - A cached fact of a process is used only while its pidfd says that neither
//     it nor any of its ancestors has ended; what a living process can change
//     about itself is read each time (directory, executable) or once a second
//     (terminal, cgroup, whether it is an agent).
//
// # Lock order
//
// Attester.mu or living.mu, each alone; they are held over system calls on pidfds and
// /proc, never over a lookup in a file system of a caller's choice.
//
// It imports memory for the nouns; front ends and the command line import it.
package attest
