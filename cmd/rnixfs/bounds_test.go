package main_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
		if peak := peakKB(t, pid); peak > 128<<10 { // 96 without the race detector
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

// TestHugeFiles: a folder that came with files of any size, in every file's place, or with
// many, costs little time and memory, and keeps its entries. RNIXFS_MANY_FILES is how
// many (200000).
func TestHugeFiles(t *testing.T) {
	sparse := func(name string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(2<<30), f.Close())
		}
	}
	filled := func(name, with string) func(dir string) error {
		return func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			some := []byte(strings.Repeat(with, 1<<20/len(with))) // this process's own size is counted, too
			for range 100 {
				if _, err := f.Write(some); err != nil {
					return err
				}
			}
			return f.Close()
		}
	}
	many := func(n int, name, text string) func(dir string) error {
		return func(dir string) error {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				return err
			}
			for i := range n {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(name, i)), fmt.Appendf(nil, text, i), 0o600); err != nil {
					return err
				}
			}
			return nil
		}
	}
	manyFiles, err := strconv.Atoi(os.Getenv("RNIXFS_MANY_FILES"))
	if err != nil {
		manyFiles = 3000
	}
	for name, c := range map[string]struct {
		prepare func(dir string) error
		mb      int
	}{
		"redo log":                {prepare: sparse(".wal")},
		"journal":                 {prepare: sparse("journal.jsonl")},
		"position":                {prepare: sparse(".lock")},
		"ignored files":           {prepare: sparse(".gitignore")},
		"ignored files above":     {prepare: sparse("../.gitignore")},
		"configuration":           {prepare: sparse("../memory.yaml")},
		"tombstones":              {prepare: sparse(".removed")},
		"reason":                  {prepare: sparse(".rejected/x.md.reason.json")},
		"entry":                   {prepare: sparse("x.md")},
		"journal of objects":      {prepare: filled("journal.jsonl", "{}\n")},
		"journal of one line":     {prepare: filled("journal.jsonl", "{}")},
		"journal of sealed lines": {prepare: filled("journal.jsonl", `{"seq":1,"mac":"00112233445566778899aabbccddeeff"}`+"\n")},
		"journal of empty lines":  {prepare: filled("journal.jsonl", "\n")},
		"many files":              {prepare: many(manyFiles, "f%d.md", "fact %d\n"), mb: 500},
		"more files":              {prepare: many(manyFiles, "%d.md", strings.Repeat("fact ", 8000)+"%d\n"), mb: 500},
		"many reasons":            {prepare: many(50_000, ".rejected/f%d.md.reason.json", "{%d}\n")},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFolders(t, "store:\n  memory_char_limit: 100000000\n")
			m.must("rnixfs commit add kept")
			if err := c.prepare(filepath.Join(m.work, ".rnix", "memory")); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"list", "add more"} {
				begin := time.Now()
				out, rc, rss := m.measured(append([]string{binary, "commit"}, strings.Fields(command)...)...)
				t.Logf("%s: exit %d, %v, %d MB", command, rc, time.Since(begin).Round(10*time.Millisecond), rss>>10)
				if most := max(c.mb, 200); rss > most<<10 {
					t.Errorf("%s: %d MB, more than %d", command, rss>>10, most)
				}
				if rc != 0 || command == "list" && !strings.Contains(out, "kept") {
					t.Errorf("%s: exit %d: %.500s", command, rc, out)
				}
			}
			if out, _, rss := m.measured(binary, "check"); rss > 500<<10 || strings.Contains(out, "panic") {
				t.Errorf("check: %d MB, %.500s", rss>>10, out)
			}
		})
	}
}

// measured is run in the project. It also returns the most memory that the command
// took, in KB.
func (m *mount) measured(args ...string) (out string, rc, rss int) {
	m.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = m.work, m.env
	raw, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		rss = int(usage.Maxrss)
	}
	return string(raw), cmd.ProcessState.ExitCode(), rss
}
