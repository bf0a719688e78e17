// Package watch tells its users that something changed in their folders. One
// [Watcher], with one inotify(7) instance, serves all folders of a process.
//
// It watches folders and not files, because editors save by renaming a new file
// over the old one, and a watch on a file stays with the old one. A folder that
// does not exist yet, or was removed, is waited for through its nearest parent
// that exists.
//
// # What it is not
//
// It does not look into files, does not descend into subfolders, and does not
// say what kind of change it was: by the time that the user looks, it may be
// another. A [Change] is a hint to look again, never more.
//
// # Invariants
//
//   - Changes are gathered until the folder has been quiet for a moment, or for
//     ten times as long in a steady stream, and then told in one call.
//   - The calls for one folder come one after another. [Folder.Close] waits for
//     the last.
//   - Nothing is lost in silence: where events may have been missed (a full
//     kernel queue, a folder that appeared or was replaced, too many paths) the
//     change says Rescan. A Rescan is told after the watch stands.
//   - A closed folder gives its watch back, and the last one the inotify instance
//     and its goroutines.
//   - inotify sees only what this kernel does: not the changes that other machines
//     make on a network file system, nor those of a parent folder that is renamed
//     with the watched one in it.
//
// # Lock order
//
// Watcher.mu is not held during a call to a user.
//
// Providers and the configuration import this package; it alone imports fsnotify.
package watch
