package main_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestFewDescriptors: with few descriptors, more projects than there is room for are
// served one after another; of many at the same time some are told to come back.
func TestFewDescriptors(t *testing.T) {
	needFuse(t)
	m := newFolders(t, "")
	if out, rc := m.sh(`ulimit -n 64 && rnixfs mount`); rc != 0 {
		t.Fatalf("mount: exit %d: %s", rc, out)
	}
	t.Cleanup(func() { unmount(m.mnt) })
	add := func(i int) error {
		dir := filepath.Join(m.dir, "p"+strconv.Itoa(i))
		if err := os.MkdirAll(filepath.Join(dir, ".rnix"), 0o755); err != nil {
			return err
		}
		out, rc := m.run(dir, "", "sh", "-c", `echo '{"action":"add","content":"here"}' 1<> $MNT/commit >&1 || { cat $MNT/commit; exit 1; }`)
		switch {
		case rc == 0:
			return nil
		case strings.Contains(out, `"code":"conflict"`) && strings.Contains(out, "ulimit"):
			return errShed
		}
		return errors.New(out)
	}
	for i := range 40 {
		if err := add(i); err != nil {
			t.Fatalf("project %d: %v", i, err)
		}
	}
	var all sync.WaitGroup
	served := make(chan bool, 80)
	for i := range cap(served) {
		all.Go(func() {
			err := add(i)
			if err != nil && !errors.Is(err, errShed) {
				t.Errorf("project %d: %v", i, err)
			}
			served <- err == nil
		})
	}
	all.Wait()
	close(served)
	n := 0
	for ok := range served {
		if ok {
			n++
		}
	}
	t.Logf("%d of %d at once were served", n, cap(served))
	if n < 20 {
		t.Errorf("only %d were served", n)
	}
	if err := add(100); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

var errShed = errors.New("told to come back")

// TestLargeAtOnce: many large requests at the same moment take little memory, or are
// refused; small ones come through afterwards.
func TestLargeAtOnce(t *testing.T) {
	m := pinned(t, "")
	pid := m.pid()
	var words strings.Builder
	for words.Len() < 378_000 {
		fmt.Fprintf(&words, "w%d ", rand.IntN(50_000))
	}
	for device, shape := range map[string]string{
		"commit":  `{"action":"add","content":%q}`,
		"process": `{"action":"turn","agent":"a","session":"s%d","role":"user","content":%q}`,
	} {
		var all sync.WaitGroup
		for i := range 40 {
			args := []any{i, words.String()}
			all.Go(func() {
				f, err := os.OpenFile(filepath.Join(m.mnt, device), os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				_, err = fmt.Fprintf(f, shape, args[2-strings.Count(shape, "%"):]...)
				if err != nil && !errors.Is(err, syscall.EBUSY) && !errors.Is(err, syscall.EDQUOT) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if peak := peakKB(t, pid); peak > 96<<10 {
			t.Errorf("%s: %d KB", device, peak)
		} else {
			t.Logf("%s: %d KB", device, peak)
		}
	}
	m.must(`echo '{"action":"add","content":"small"}' > $MNT/commit`)
}

// peakKB is the most memory that a process has had.
func peakKB(t *testing.T, pid int) (kb int) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb
}
