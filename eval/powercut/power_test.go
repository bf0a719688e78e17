package powercut

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// kind is a file system.
type kind struct {
	name, fstype, options string
	size, sector          int // what the disk writes whole or not at all
	make, fsck            []string
	always                bool // booting checks it after each cut
}

func kinds() []kind {
	// The superblock of ext4 has 1 KiB; without a journal nothing mends a torn block. xfs
	// takes a block for new whose first sector is.
	ext4 := func(name, options string, sector int, always bool, features ...string) kind {
		return kind{
			name, "ext4", options, 64 << 20, sector, append([]string{"mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"}, features...),
			[]string{"e2fsck", "-f", "-y"},
			always,
		}
	}
	return []kind{
		ext4("ext4-ordered", "data=ordered,commit=1", 1024, false),
		ext4("ext4-writeback", "data=writeback,commit=1", 1024, false),
		ext4("ext4-nojournal", "rw", 4096, true, "-O", "^has_journal"),
		{"xfs", "xfs", "nouuid", 320 << 20, 4096, []string{"mkfs.xfs", "-q", "-f", "-K"}, []string{"xfs_repair", "-L"}, false},
	}
}

func TestMain(m *testing.M) {
	var err error
	if dir := os.Getenv("RNIXFS_POWER_DISK"); dir != "" {
		var size, sector int
		if _, err = fmt.Sscan(os.Getenv("RNIXFS_POWER_SIZE"), &size, &sector); err == nil {
			err = serveDisk(dir, size, sector)
		}
	} else if dir := os.Getenv("RNIXFS_POWER_WRITER"); dir != "" {
		err = work(dir, os.Getenv("RNIXFS_POWER_BOOT"), os.Getenv("RNIXFS_POWER_LIES") != "")
	} else {
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// eachKind runs a test on each file system that this machine has.
func eachKind(t *testing.T, test func(*testing.T, kind)) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			for _, program := range []string{"losetup", k.make[0], k.fsck[0]} {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip(err)
				}
			}
			for _, device := range []string{"/dev/fuse", "/dev/loop-control"} {
				if err := unix.Access(device, unix.R_OK|unix.W_OK); err != nil || os.Getuid() != 0 {
					t.Skipf("needs root and %s: %v", device, err)
				}
			}
			t.Parallel()
			test(t, k)
		})
	}
}

// TestDisk: what was flushed stays, and what was not is gone.
func TestDisk(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		m := newMachine(t, k)
		kept, gone := filepath.Join(m.folder, "kept"), filepath.Join(m.folder, "gone")
		text := bytes.Repeat([]byte("text"), 4096)
		f, err := os.Create(kept)
		if err != nil {
			t.Fatal(err)
		}
		before := m.order("flushes")
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		if err := os.WriteFile(gone, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if flushes := m.order("nothing"); flushes == before {
			t.Error("fsync(2) did not reach the disk")
		}
		m.boot()
		if data, err := os.ReadFile(kept); err != nil || !bytes.Equal(data, text) {
			t.Errorf("what was flushed: %d bytes, %v", len(data), err)
		}
		if data, err := os.ReadFile(gone); bytes.Equal(data, text) {
			t.Errorf("what was not flushed is there, %v", err)
		}
	})
}

// result is what became of many cuts.
type result struct {
	cuts, acked, opened, lost, mixed, unclean int
	aside, anew                               int   // texts set aside, histories begun anew
	last                                      state // of this file system
	what                                      []string
}

func (r *result) blame(format string, args ...any) {
	r.what = append(r.what, fmt.Sprintf(format, args...))
}

// afresh is after how many cuts a new file system is made.
const afresh = 25

// cutPower cuts the power n times while entries are written.
func cutPower(t *testing.T, k kind, n int, lies bool) (r result) {
	var m *machine
	var known map[string][]int
	for ; r.cuts < n; r.cuts++ {
		if r.cuts%afresh == 0 {
			if m != nil {
				m.end()
			}
			m, known, r.last = newMachine(t, k), map[string][]int{}, state{}
		}
		w := startWriter(m, r.cuts, lies)
		end, ended := make(chan struct{}), make(chan struct{})
		go otherWork(m.folder, end, ended)
		followed := make(chan struct{})
		go func() {
			defer close(followed)
			w.follow(&r, known)
		}()
		if rand.IntN(4) > 0 { // else it may be cut while it recovers
			<-w.told
		}
		time.Sleep(time.Duration(30+rand.IntN(800)) * time.Millisecond)
		m.order([]string{"nothing", "first", "any"}[rand.IntN(3)])
		kill := time.AfterFunc(200*time.Millisecond, func() { _ = w.cmd.Process.Kill() })
		close(end)
		<-followed
		kill.Stop()
		<-ended
		m.boot()
	}
	return r
}

// otherWork is what other programs do on the disk until they are told to end: one
// makes its own file durable, and with it the names of all files, but not their
// texts; the kernel writes all back now and then.
func otherWork(folder string, end, ended chan struct{}) {
	defer close(ended)
	f, err := os.Create(filepath.Join(folder, "other"))
	if err == nil {
		defer f.Close()
	}
	for {
		select {
		case <-end:
			return
		case <-time.After(time.Duration(rand.IntN(200)) * time.Millisecond):
		}
		if rand.IntN(4) == 0 {
			_ = unix.Syncfs(int(f.Fd())) // the power may be off
		} else {
			_, _ = f.WriteAt(make([]byte, 4096), rand.Int64N(1<<20))
			_ = f.Sync()
		}
	}
}

// writer is a process that opens the folder, says what is there, and changes it.
type writer struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *bufio.Scanner
	told chan struct{} // closed when it said what is there, or ended
}

func startWriter(m *machine, boot int, lies bool) *writer {
	t := m.t
	t.Helper()
	w := &writer{t: t, cmd: exec.Command(os.Args[0]), told: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), "RNIXFS_POWER_WRITER="+filepath.Join(m.folder, "memory"), "RNIXFS_POWER_DISK_FILE="+m.image, fmt.Sprintf("RNIXFS_POWER_BOOT=%032x", boot+1))
	if lies {
		w.cmd.Env = append(w.cmd.Env, "RNIXFS_POWER_LIES=1")
	}
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewScanner(out)
	w.out.Buffer(nil, 16<<20)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// follow reads what the writer says until it ends, and judges the state that it
// found by what is known: the versions that each key may have.
func (w *writer) follow(r *result, known map[string][]int) {
	w.t.Helper()
	told := sync.OnceFunc(func() { close(w.told) })
	defer told()
	for w.out.Scan() {
		line := w.out.Text()
		if strings.HasPrefix(line, "{") {
			var s state
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				w.t.Error(err)
			}
			r.judge(&s, known)
			told()
			continue
		}
		what, rest, _ := strings.Cut(line, " ")
		var key string
		var version int
		if _, err := fmt.Sscan(rest, &key, &version); err != nil {
			w.t.Errorf("the writer says %q", line)
		}
		switch what {
		case "try":
			if len(known[key]) == 0 {
				known[key] = []int{0}
			}
			known[key] = append(known[key], version)
		case "done":
			known[key] = []int{version}
			r.acked++
		}
	}
	_ = w.cmd.Wait() // killed, or out of disk: by design
}

func (r *result) judge(s *state, known map[string][]int) {
	for key, may := range known {
		found := s.Versions[key]
		ok := false
		for _, v := range may {
			ok = ok || v == found
		}
		if !ok {
			r.lost++
			r.blame("cut %d: %s has version %d, may have %v", r.cuts, key, found, may)
		}
		known[key] = []int{found}
	}
	for key, v := range s.Versions {
		if known[key] == nil {
			r.mixed++
			r.blame("cut %d: %s has version %d and was never written", r.cuts, key, v)
		}
	}
	r.mixed += len(s.Mixed)
	r.opened++
	r.aside += s.Aside - r.last.Aside
	r.anew += s.Anew - r.last.Anew
	r.last = *s
	for _, text := range s.Mixed {
		r.blame("cut %d: mixed: %s", r.cuts, text)
	}
	if len(s.Problems) > 0 {
		r.unclean++
		r.blame("cut %d: check: %v", r.cuts, s.Problems)
	}
}

// TestLyingDisk: where a log that is not on disk is taken for one that is, the test
// below finds it.
func TestLyingDisk(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		for range 15 {
			if r := cutPower(t, k, 4, true); r.lost > 0 {
				return
			}
		}
		t.Error("nothing was lost")
	})
}

// TestPowerCuts: nothing acknowledged is lost, no entry is a mixture, and check is
// clean, but for what was set aside. Without a journal e2fsck clears an extent that
// ends behind the size that the inode still has, with what was flushed of it: the
// journal of the folder, which grows, may lose its end.
func TestPowerCuts(t *testing.T) {
	cuts, _ := strconv.Atoi(os.Getenv("RNIXFS_POWER_CUTS"))
	eachKind(t, func(t *testing.T, k kind) {
		r := cutPower(t, k, max(cuts, 5), false)
		t.Logf("%s: %d cuts, %d opened between, %d acknowledged, %d lost, %d mixed, %d not clean, %d texts set aside, %d histories begun anew",
			k.name, r.cuts, r.opened, r.acked, r.lost, r.mixed, r.unclean, r.aside, r.anew)
		if r.lost+r.mixed+r.unclean > 0 || r.acked == 0 || r.anew > 0 && !k.always {
			t.Error(strings.Join(r.what[:min(len(r.what), 40)], "\n"))
		}
	})
}
