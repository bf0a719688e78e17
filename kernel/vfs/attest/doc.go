// Package attest finds out who is calling from the kernel's own records: a
// process's ancestors, credentials, executable, working directory and the
// project that contains it. Nothing that a caller says of itself counts.
//
// # What it is
//
// An [Attester] answers two questions about a process that is blocked in a
// system call: who it is ([Attester.Caller]), and who its ancestors are
// ([Attester.Chain]). [Project] tells which project contains a directory.
//
// A process in a [Chain] is a [Link]: its pid together with a number that the
// kernel never gives to another process, so that a reused pid is not mistaken
// for its former owner. On Linux 6.13 and later this is the inode of its pidfd
// (pidfs), and PIDFD_GET_INFO names the parent; on older kernels it is the start
// time in /proc/PID/stat.
//
// # What it is not
//
// It authorizes nothing: a [memory.Caller] is a finding, and devices decide.
//
// # Invariants
//
//   - What can't be found out is left zero. A caller whose pid reads 0 (another
//     pid namespace) is known by its uid alone. One whose place is not known is
//     Unseen: it is in no project, and not in the one of those that are in none.
//   - Doubt lowers trust: a caller is human only in this process's mount namespace,
//     with a controlling terminal, a chain read to its end, and no known agent in it.
//   - A directory counts as a project only if the caller's working directory is
//     the same directory (device and inode) for this process: in another mount
//     namespace the same path may be another place. The caller's mounts tell where to
//     look for it.
//   - A caller in a container's own directory is in no project of this machine.
//   - Nothing is cached that is not checked: a process may change its directory, its
//     executable and its parent between two requests.
//
// It imports memory for the nouns; front ends and the command line import it.
package attest
