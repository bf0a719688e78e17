package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

func TestMemory(t *testing.T) {
	db, err := sqlite.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"CREATE VIRTUAL TABLE t USING fts5(text)",
		"INSERT INTO t VALUES ('tokens are signed with RS256'), ('nothing')",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	var id int
	if err := db.QueryRowContext(t.Context(), "SELECT rowid FROM t WHERE t MATCH 'rs256' ORDER BY bm25(t)").Scan(&id); err != nil || id != 1 {
		t.Errorf("row %d, %v; want 1", id, err)
	}
}

// TestRead reads what another connection wrote, through a path that has to be
// escaped, and changes nothing.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20.db")
	write(t, path, "CREATE TABLE t (x)", "INSERT INTO t VALUES (7)")
	db, err := sqlite.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var x int
	if err := db.QueryRowContext(t.Context(), "SELECT x FROM t").Scan(&x); err != nil || x != 7 {
		t.Errorf("x = %d, %v; want 7", x, err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO t VALUES (8)"); err == nil {
		t.Error("a database opened for reading took a row")
	}
}

// TestReadBesideWriter reads a database in WAL mode that is open elsewhere, as
// the histories of running agents are.
func TestReadBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wal.db")
	w := write(t, path, "PRAGMA journal_mode=WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	db, err := sqlite.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for want := 1; want <= 3; want++ {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil || n != want {
			t.Fatalf("%d rows, %v; want %d", n, err, want)
		}
		if _, err := w.ExecContext(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadLeavesNothing reads a database in WAL mode that is closed: SQLite would
// make two files beside it.
func TestReadLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wal.db")
	w := write(t, path, "PRAGMA journal_mode=WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v; want 1", n, err)
	}
	db.Close()
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files, want the database alone", len(files))
	}
}

func TestReadFails(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("this is no database, but it is long enough to look like a file of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]memory.Kind{
		filepath.Join(dir, "absent"): memory.KindNotFound,
		text:                         memory.KindInvalid,
		dir:                          memory.KindInvalid,
	} {
		if _, err := sqlite.Read(t.Context(), path); memory.KindOf(err) != want {
			t.Errorf("Read(%s): %v, want %v", filepath.Base(path), err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "absent")); err == nil {
		t.Error("Read made a file")
	}
}

// write opens a database for writing until the test ends.
func write(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sqlite.Memory(t.Context()) // registers the driver
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	db, err = sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}
