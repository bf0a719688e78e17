// Package exchange moves entries in from the files of other memory systems, and out to
// files of ours.
//
// It has a reader for each format, in a file of its own, which turns files into the
// requests that add their entries; one way in for all of them, through the store's gate;
// and a writer of entries as requests, in JSON lines and in Markdown, which are formats
// of import, too. The readers are the only code that names other systems.
//
// # Invariants
//
//   - An entry that is there stays as it is: one of its key with another text is told,
//     and not taken in. Importing again adds nothing.
//   - What a text has in it can't be taken for the marks of a page.
//   - What was not taken in is in the report, with the reason.
//
// Imported by the command line; imports memory, store, sqlite and yamldoc.
package exchange
