package transcript

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

// database makes a database of the statements in a file of testdata.
func database(t *testing.T, statements string) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", statements))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	none, err := sqlite.Memory(t.Context()) // registers the driver
	if err != nil {
		t.Fatal(err)
	}
	none.Close()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), string(script)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpencodeDatabase(t *testing.T) {
	path := database(t, "opencode.sql")
	if f, err := Detect(path); err != nil || f.Name() != "opencode" {
		t.Fatalf("detected as %v, %v", f, err)
	}
	h := take(t, opencode{}, path)
	sane(t, h)
	got, golden := h.text(filepath.Dir(path)), filepath.Join("testdata", "opencode.sql.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("%d files beside each other, %v; reading must leave none", len(files), err)
	}
}

func TestOpencodeOtherDatabase(t *testing.T) {
	h := take(t, opencode{}, database(t, "other.sql"))
	if memory.KindOf(h.err) != memory.KindInvalid || len(h.conversations) != 0 {
		t.Errorf("%d conversations, %v; want an invalid file", len(h.conversations), h.err)
	}
	damaged := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(damaged, []byte(string(sqliteMagic)+strings.Repeat("x", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := take(t, opencode{}, damaged); memory.KindOf(h.err) != memory.KindInvalid {
		t.Errorf("a damaged database: %v", h.err)
	}
}
