package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "github.com/ncruces/go-sqlite3/driver" // registers "sqlite3"
	_ "github.com/ncruces/go-sqlite3/embed"  // SQLite itself

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// busyMillis is how long a reader waits for another program's lock.
const busyMillis = "2000"

// Read opens the database at path, an absolute one, for reading alone. It never
// makes the file, nor one beside it. When no other program has it open with
// changes that are not in the file yet, it is taken to stay as it is: who reads
// for long looks afterwards whether it changed. Errors are KindNotFound when there is none, KindInvalid when
// it is no database, and KindInternal.
func Read(ctx context.Context, path string) (*sql.DB, error) {
	const op = "open database"
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, memory.Errorf(memory.KindNotFound, op, "%w", err)
	case err != nil:
		return nil, memory.Errorf(memory.KindInternal, op, "%w", err)
	case !fi.Mode().IsRegular():
		return nil, memory.Errorf(memory.KindInvalid, op, "not a file")
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, op, "%w", err)
	}
	query := "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(" + busyMillis + ")"
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() == 0 {
		// Nobody has unsaved pages. Without this a reader of a database in WAL mode
		// makes the -wal and -shm files beside it, and leaves them
		// (sqlite.org/wal.html, "Read-Only Databases").
		query += "&immutable=1"
	}
	db, err := open(ctx, url.URL{Scheme: "file", Path: path, RawQuery: query})
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, op, "%w", err)
	}
	return db, nil
}

// Memory opens an empty database in memory.
func Memory(ctx context.Context) (*sql.DB, error) {
	db, err := open(ctx, url.URL{Scheme: "file", Opaque: ":memory:"})
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "open database", "%w", err)
	}
	return db, nil
}

// open opens a database and reads from it, which is when SQLite looks at the
// file. One connection: each has a database in memory of its own, and a reader
// of a history needs no more.
func open(ctx context.Context, name url.URL) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
