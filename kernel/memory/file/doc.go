// Package file keeps the entries of one scope as Markdown files of a folder.
//
// # What it is
//
// [Open] returns a memory.Provider over one folder. Several processes may have
// the folder open; a person may edit its files at any time.
//
//	<name>.md       one entry: YAML front matter, then the content and "\n"
//	journal.jsonl   one line per change, for ever: history; not needed to read entries
//	.lock           flock(2), held for each change; holds a mark (mark.go)
//	.wal            preallocated redo log (wal.go)
//	.rejected/      texts set aside, each with <name>.reason.json
//	.tmp-*          files being written; removed at open
//
// [OpenOrRead] returns a provider also where the folder can't be written (EROFS,
// EACCES, EPERM). It is a Provider over a shadow of the folder, which keeps in
// memory whatever is written, so that recovery and edits need no second road; it
// refuses changes, and is read anew when the files change.
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
//	lock, catch up, plan, temporary files, journal line (not synced),
//	.wal record (synced), rename into place, mark, publish, unlock, acknowledge
//
// A checkpoint syncs the entry files, the folder and the journal, and begins a
// new epoch of .wal. After a crash every record that is in .wal or complete in
// the journal is made true in the files; a record that was not acknowledged may
// be there, whole, or not.
//
// A journal with damage in it is put together anew from the lines that can be read
// and the records of .wal (remains.go, salvage.go); lines with "lost" stand in for
// the others, so that numbers follow one another. Records before such a line are
// not redone: the files, and those that are gone, know better.
//
// # Invariants
//
//   - A file whose inode, size or time is not the one last seen is never
//     overwritten or removed before it was read and taken in, or set aside.
//   - What was swapped out by a rename is looked at before it is removed: an edit
//     that fell into the gap is set aside, not lost.
//   - Which entry a file is says the id in it, where one file only names that id;
//     its name says it of a copy and of a file without an id. What was done by
//     hand is judged by one picture of the folder (survey.go), in a batch of its
//     own, so that it is the same however it was told.
//   - Names come from keys and hold no slash; symbolic links are never followed.
//   - memory.State is changed under Provider.ex only. What Load returns is
//     published after it is durable.
//
// # Lock order
//
// ReadOnly.mu, then those of its Provider: Provider.ex (a channel of one), then the
// gate and flock of .lock, then Provider.queueMu, identMu or fsMu, each alone, then
// shadowFS.mu. Hooks are called with ex and flock held.
package file
