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
//   - inotify(7) sees only what this kernel does: not the changes that other
//     machines make on a network file system, nor those of a parent folder that
//     is renamed with the watched one in it.
//
// # Lock order
//
// Watcher.mu is never held during a call to the user.
//
// This is the only package that imports fsnotify. Providers and the
// configuration import it.
package watch
