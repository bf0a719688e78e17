// Package sqlite opens SQLite databases.
//
// # What it is
//
// Two functions that give a *sql.DB: [Read] on a file that belongs to another
// program, which it can not change, and [Memory] on an empty database that ends
// with its handle.
//
// # What it is not
//
// Nothing of ours is kept in SQLite. Histories of other tools are read from it,
// and recall is compared with its full text search.
//
// # The library
//
// It is ncruces/go-sqlite3: SQLite as WebAssembly, run by wazero, with FTS5.
// The other one without C, modernc.org/sqlite, is SQLite translated to Go.
// Measured for a program that makes an FTS5 table (stripped, cold build, two
// cores): 7.0 MB and 6 s against 5.9 MB and 16 s. Since wazero is part of the
// program already (gitleaks brings it), ncruces adds less of both. Its cost is
// that the first database opened in a process compiles SQLite, which takes a
// part of a second.
//
// # Imports
//
// It is the only importer of the library, and imports memory for the errors.
// Readers of histories and package recall/eval import it.
package sqlite
