package spool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestListed holds what a queue says of a folder against the folder, while files
// come and go at once and after a rest.
func TestListed(t *testing.T) {
	q := Open(t.TempDir(), QueueOptions{})
	check := func(wantSame bool, want ...string) {
		t.Helper()
		ids, same, err := q.listed(newDir)
		if err != nil || !slices.Equal(ids, want) {
			t.Fatalf("listed %v %v, want %v", ids, err, want)
		}
		if wantSame && !same {
			t.Error("it was read again, and nothing had changed")
		}
	}
	path := func(id string) string { return filepath.Join(q.dir, newDir, id+".json") }
	write := func(id string) {
		t.Helper()
		if err := os.WriteFile(path(id), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(false)
	check(true)
	if err := os.MkdirAll(filepath.Join(q.dir, newDir), 0o700); err != nil {
		t.Fatal(err)
	}
	check(false)
	for _, id := range []string{"a", "b", "c"} { // in one tick of the clock, perhaps
		write(id)
		check(false, []string{"a", "b", "c"}[:id[0]-'a'+1]...)
	}
	time.Sleep(2 * settled)
	check(false, "a", "b", "c")
	check(true, "a", "b", "c")
	if err := os.Remove(path("b")); err != nil {
		t.Fatal(err)
	}
	check(false, "a", "c")
}
