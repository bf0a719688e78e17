package file_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

// TestManyScopes opens more watched folders than there may be inotify instances.
// Each can be written, an edit in the last is seen, and closing them gives every
// descriptor and goroutine back.
func TestManyScopes(t *testing.T) {
	defer goleak.VerifyNone(t)
	before := descriptors(t)
	root := t.TempDir()
	var w watch.Watcher
	ps := make([]*file.Provider, 200)
	for i := range ps {
		p, err := file.Open(context.Background(), filepath.Join(root, strconv.Itoa(i)), file.Options{Watcher: &w, WALSize: 8 << 10})
		if err != nil {
			t.Fatalf("folder %d: %v", i, err)
		}
		ps[i] = p
	}
	last := ps[len(ps)-1]
	if _, err := last.Apply(context.Background(), providertest.Add("one")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, strconv.Itoa(len(ps)-1)), "hand.md", "by hand\n")
	eventually(t, "the edit is seen", func() bool { return has(t, last, "hand=by hand", "one=one") })
	healthy(t, last, 0)
	for _, p := range ps {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := descriptors(t) - before; n > 0 {
		t.Errorf("%d descriptors are left", n)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, fd := range fds {
		// The runtime's poller is made once and stays.
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			n++
		}
	}
	return n
}

// TestNoWatchToBeHad opens a folder while no inotify instance is to be had: that is
// a warning, and an edit is seen all the same.
func TestNoWatchToBeHad(t *testing.T) {
	dir := t.TempDir()
	taken := takeInstances(t)
	p := mustOpen(t, dir, file.Options{Watcher: &watch.Watcher{}, Idle: 20 * time.Millisecond})
	if _, err := p.Apply(context.Background(), providertest.Add("one")); err != nil {
		t.Fatal(err)
	}
	h, err := p.Check(context.Background())
	if err != nil || len(h.Problems) != 1 || h.Problems[0].Code != "not_watched" || h.Problems[0].Mend == "" {
		t.Errorf("check says %+v, %v", h, err)
	}
	write(t, dir, "hand.md", "by hand\n")
	eventually(t, "the edit is seen", func() bool { return has(t, p, "hand=by hand", "one=one") })
	for _, fd := range taken {
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "it is watched again", func() bool {
		h, err := p.Check(context.Background())
		return err == nil && len(h.Problems) == 0
	})
}

// takeInstances takes all inotify instances that this user may have.
func takeInstances(t *testing.T) (fds []int) {
	t.Helper()
	for range 100_000 {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return fds
		}
		fds = append(fds, fd)
	}
	t.Skip("there is no limit of inotify instances here")
	return nil
}

// TestExpiryAlone: a change without operations takes what has expired out of the
// files, durably.
func TestExpiryAlone(t *testing.T) {
	dir := t.TempDir()
	now := providertest.Start
	opts := file.Options{Clock: func() time.Time { return now }}
	p := mustOpen(t, dir, opts)
	ch := providertest.Add("soon over")
	over := now.Add(time.Minute)
	ch.Ops[0].Entry.Expires = &over
	if _, err := p.Apply(context.Background(), ch); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	ch = providertest.Change()
	ch.At = now
	res, err := p.Apply(context.Background(), ch)
	if err != nil || res.Sequence != 2 || onDisk(t, dir) != 0 {
		t.Fatalf("%+v, %v, %d files", res, err, onDisk(t, dir))
	}
	if q := mustOpen(t, dir, opts); len(entriesOf(t, q)) != 0 {
		t.Errorf("another process sees %q", entriesOf(t, q))
	}
}
