// Package watch tells its user that something changed in a set of folders.
//
// It watches folders and not files, because editors save by renaming a new file
// over the old one, and a watch on a file stays with the old one. A folder that
// does not exist yet, or is removed, is waited for through its nearest parent
// that does exist.
//
// # What it is not
//
// It does not look into files, does not descend into subfolders, and does not
// say what kind of change it was: by the time that the user looks, it may be
// another. A [Change] is a hint to look again, never more.
//
// # Invariants
//
//   - Changes are gathered until the folders have been quiet for a moment, or
//     for ten times as long in a steady stream, and then told in one call.
//   - Calls come one after another, from one goroutine, which Close waits for.
//   - Nothing is lost in silence: where events may have been missed (a full
//     kernel queue, a folder that appeared or was replaced, too many paths) the
//     change says Rescan. A Rescan is told after the watch stands.
//   - Events are fetched a few times in a quiet moment, whatever happens meanwhile.
//   - inotify(7) sees only what this kernel does: not the changes that other
//     machines make on a network file system, nor those of a parent folder that
//     is renamed with the watched one in it.
//
// # Lock order
//
// Watcher.mu, then inotify.mu. Neither is held during a call to the user.
//
// # Why no library
//
// Those that there are read of each event when it happens. Events are mostly our
// own writing, and being told of each was a tenth of the time of a small change.
//
// Providers and the configuration import this package.
package watch
