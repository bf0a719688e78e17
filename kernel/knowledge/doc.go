// Package knowledge keeps documents that others wrote (folders of Markdown and text,
// the manual pages of the machine) for the search: by section, each with a URI such as
// man:iptables(8)#TARGETS or file:/home/ada/runbooks/db.md#Rollback.
//
// # What it is
//
// A [Library] is the collections of one user. It finds their documents, cuts them into
// sections and indexes them as package recall does conversations: a document is a
// conversation, a section is a turn.
//
// # What it is not
//
// It is no scope: nothing in it is an entry, counts against a limit, or is shown
// unasked. It shows no manual page: its reader of roff makes words to be found.
//
// # Invariants
//
//   - Everything in its folder is a cache. A document is named there by its path, size
//     and time, so one that changed is another one.
//   - No text is written that the redactor has not returned, but of manual pages that
//     root owns in a folder of the system.
//   - No symbolic link leads out of a collection.
//   - The text of a section is durable before the index that names it.
//
// # Locks
//
// Library.mu is never held while documents are read or indexed. Only the goroutine of
// a pass, of which there is one at a time, adds and removes.
package knowledge
