// Package file keeps the entries of one scope as Markdown files of a folder.
//
// # What it is
//
// [Open] returns a memory.Provider over one folder. Several processes may have
// the folder open; a person may edit its files at any time.
//
//	<name>.md       one entry: YAML front matter, then the content and "\n"
//	journal.jsonl   one line per change, for ever: history; not needed to read entries
//	.lock           flock(2), held for each change; holds the position of the last holder
//	.wal            preallocated redo log
//	.rejected/      texts in quarantine, each with <name>.reason.json
//	.removed        tombstones of removed texts, as hashes, for ever
//	.tmp-*          files being written; removed at open
//
// [OpenOrRead] returns a provider also where the folder can't be written (EROFS,
// EACCES, EPERM, ENOSPC, EDQUOT): a [ReadOnly], which reads the entries' files.
//
// # What it is not
//
// It decides nothing about a change: memory.State does. It knows no scanner;
// what was edited by hand is judged by memory.Hooks.
//
// # Durability
//
// A change is durable when its record is in .wal and fdatasync(2) returned.
// .wal is overwritten in place, so that this needs no commit of the file
// system's own journal. The order of a batch of changes is
//
//	lock, catch up, plan, temporary files, tombstones (those of persons synced),
//	journal line (not synced), .wal record
//	(synced), rename into place, position, publish, unlock, acknowledge
//
// A checkpoint syncs the entry files, the folder and the journal, and begins a
// new epoch of .wal. After a crash every record that is in .wal or complete in
// the journal is made true in the files; a record that was not acknowledged may
// be there, whole, or not.
//
// A damaged journal is set aside. The new one begins with a line for all changes
// before, so that numbers go on, and has the records of .wal; the entries are
// taken from their files.
//
// # Invariants
//
//   - A file whose inode, size or time is not the one last seen is never
//     overwritten or removed before it was read and taken in, or set aside.
//   - What was swapped out by a rename is looked at before it is removed: after an
//     edit in that gap, the batch is undone, and planned again on the edit.
//   - A file belongs to the entry whose id it carries, if no other file carries
//     that id; else, and where it carries none, its name decides. Edits by hand are
//     judged by one picture of the folder and taken in as one batch, so that the
//     result is the same however the edits became known.
//   - In a project's folder, a line of the journal or of .wal without this user's MAC is
//     none, and what no line tells of is imported: a repository can bring all of it.
//   - Names come from keys and hold no slash; symbolic links are never followed.
//   - What Load returns is published after it is durable.
//
// # Lock order
//
// Provider.ex (a channel of one), then the gate and flock of .lock, then
// folderLock.mu or Provider.readers, each alone. Hooks are called with ex and flock
// held; Options.Profile may lock another folder, whose provider has no such hook.
package file
