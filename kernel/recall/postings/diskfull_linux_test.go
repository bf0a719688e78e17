package postings

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of a size, which takes the rights of root.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting a small file system takes root")
	}
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestDiskFull: an error, and the index goes on with what it has; when there is
// room again, with the rest.
func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, "1m")
	opts := testOptions(dir)
	ix := mustOpen(t, opts)
	defer func() { _ = ix.Close() }()
	mustAppend(t, ix, one("a"))
	if err := ix.Flush([]byte("kept")); err != nil {
		t.Fatal(err)
	}
	filler := path(dir, "filler")
	if err := fillDisk(filler); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ix, one("a")) // in memory
	failed := 0
	for range 20 {
		if err := ix.Flush([]byte("lost")); err != nil {
			failed++
		}
		many := slices.Repeat(one(strings.Repeat("long", 20)), 200)
		if _, err := ix.Append(many); err != nil {
			failed++
		}
	}
	s := ix.Snapshot()
	if got := found(t, s, "a"); failed != 40 || !slices.Equal(got, []uint32{0, 1}) || s.Docs() != 2 {
		t.Fatalf("failed %d times, found %v of %d", failed, got, s.Docs())
	}
	s.Close()
	if string(ix.UserData()) != "kept" {
		t.Fatalf("user data %q", ix.UserData())
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ix, slices.Repeat(one("a"), 200))
	if err := ix.Flush([]byte("all")); err != nil {
		t.Fatal(err)
	}
	mustClose(t, ix)
	ix = mustOpen(t, opts)
	s = ix.Snapshot()
	defer s.Close()
	if got := found(t, s, "a"); len(got) != 202 || string(ix.UserData()) != "all" {
		t.Errorf("%d found, user data %q", len(got), ix.UserData())
	}
	if err := ix.Verify(); err != nil {
		t.Error(err)
	}
}

func fillDisk(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = f.Write(bytes.Repeat([]byte("x"), 4096))
	}
	return f.Close()
}
