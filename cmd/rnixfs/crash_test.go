package main_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
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

// crashWriter writes entries of its own over a mount and keeps account of what
// was acknowledged. One of its requests may be under way when the daemon dies:
// that one may have happened or not, but nothing between.
type crashWriter struct {
	id    int
	n     int
	acked map[string]string // key -> content
	key   string            // of the request under way
	was   string            // its content before, "" for none
	will  string            // its content after, "" for none
}

// text makes content that tells a torn entry from a whole one.
func (w *crashWriter) text() string {
	w.n++
	s := fmt.Sprintf("writer %d text %d %s", w.id, w.n, strings.Repeat("z", rand.IntN(400)))
	return fmt.Sprintf("%s %08x", s, crc32.ChecksumIEEE([]byte(s)))
}

func whole(content string) bool {
	i := strings.LastIndexByte(content, ' ')
	return i > 0 && fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(content[:i]))) == content[i+1:]
}

// step sends one request and reports whether the device still answers.
func (w *crashWriter) step(dev string) bool {
	req := map[string]any{"action": "add"}
	w.was, w.will = "", w.text()
	switch p := rand.IntN(10); {
	case p < 2 && len(w.acked) > 0:
		w.key, w.was = anyOf(w.acked)
		req["action"], req["key"], req["new"] = "replace", w.key, w.will
	case p < 4 && len(w.acked) > 0:
		w.key, w.was = anyOf(w.acked)
		w.will = ""
		req["action"], req["key"] = "remove", w.key
	default:
		w.key = fmt.Sprintf("w%d-%d", w.id, w.n)
		req["key"], req["content"] = w.key, w.will
	}
	raw, err := json.Marshal(req)
	if err != nil {
		panic(err)
	}
	f, err := os.OpenFile(dev, os.O_WRONLY, 0)
	if err != nil {
		w.key = "" // never sent
		return false
	}
	_, err = f.Write(raw)
	f.Close()
	if err != nil {
		return false
	}
	if w.will == "" {
		delete(w.acked, w.key)
	} else {
		w.acked[w.key] = w.will
	}
	w.key = ""
	return true
}

func anyOf(m map[string]string) (string, string) {
	for k, v := range m {
		return k, v
	}
	return "", ""
}

// settle compares what is stored of this writer with what was acknowledged, and
// takes over what became of the request under way.
func (w *crashWriter) settle(t *testing.T, stored map[string]string) {
	t.Helper()
	if w.key != "" {
		switch got := stored[w.key]; got {
		case w.will, w.was:
			if got == "" {
				delete(w.acked, w.key)
			} else {
				w.acked[w.key] = got
			}
		default:
			t.Errorf("writer %d: %s is half done: %q", w.id, w.key, got)
		}
		w.key = ""
	}
	for k, v := range w.acked {
		if stored[k] != v {
			t.Errorf("writer %d: acknowledged %s is %q, want %q", w.id, k, stored[k], v)
		}
	}
	for k := range stored {
		if strings.HasPrefix(k, fmt.Sprintf("w%d-", w.id)) {
			if _, ok := w.acked[k]; !ok {
				t.Errorf("writer %d: %s came from nowhere", w.id, k)
			}
		}
	}
}

// TestCrash kills the daemon at random moments under many writers: every
// acknowledged change is there once, none is torn, none is half done, and check
// finds nothing wrong. RNIXFS_CRASH_ROUNDS raises the number of rounds.
func TestCrash(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("RNIXFS_CRASH_ROUNDS"))
	if err != nil {
		rounds = 6
	}
	m := pinned(t, "store:\n  memory_char_limit: 100000000\n")
	writers := make([]*crashWriter, 8)
	for i := range writers {
		writers[i] = &crashWriter{id: i, acked: map[string]string{}}
	}
	acked := 0
	for round := range rounds {
		var wg sync.WaitGroup
		for _, w := range writers {
			wg.Go(func() {
				// A writer's directory is its project: the test's own would be another.
				for w.step(filepath.Join(m.mnt, "commit")) {
				}
			})
		}
		time.Sleep(time.Duration(20+rand.IntN(250)) * time.Millisecond)
		m.kill()
		wg.Wait()
		m.mount() // replaces the stale one
		stored := m.stored()
		for _, w := range writers {
			w.settle(t, stored)
			acked += len(w.acked)
		}
		if out, rc := m.sh("rnixfs check"); rc != 0 {
			t.Errorf("round %d: check: exit %d: %s", round, rc, out)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if acked == 0 {
		t.Error("nothing was ever acknowledged")
	}
	t.Logf("%d rounds, %d entries at the end", rounds, len(m.stored()))
}

// pid is the daemon's process id, as its status tells it.
func (m *mount) pid() int {
	m.t.Helper()
	var status struct{ PID int }
	raw, err := os.ReadFile(filepath.Join(m.mnt, "status"))
	if err != nil {
		m.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &status); err != nil || status.PID < 2 {
		m.t.Fatalf("status %s: %v", raw, err)
	}
	return status.PID
}

func (m *mount) kill() {
	m.t.Helper()
	pid := m.pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		m.t.Fatal(err)
	}
	for range 500 { // the next mount finds a stale one only when this one is dead
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// stored reads all entries of the project, and fails for a torn or doubled one.
func (m *mount) stored() map[string]string {
	m.t.Helper()
	var reply struct {
		Entries []struct{ Key, Content string }
	}
	if err := json.Unmarshal([]byte(m.must("rnixfs commit list --json")), &reply); err != nil {
		m.t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range reply.Entries {
		if _, twice := out[e.Key]; twice || !whole(e.Content) {
			m.t.Errorf("entry %s is torn or there twice: %q", e.Key, e.Content)
		}
		out[e.Key] = e.Content
	}
	return out
}

// TestFullDisk: a disk that is full refuses what does not fit and keeps what was
// there.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small tmpfs")
	}
	m := newFolders(t, "")
	needFuse(t)
	small := filepath.Join(m.work, ".rnix")
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("no tmpfs here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "--lazy", small).Run() })
	if err := os.WriteFile(filepath.Join(small, "memory.yaml"), []byte("store:\n  memory_char_limit: 100000000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })

	w := &crashWriter{acked: map[string]string{}}
	full := 0
	for i := range 2000 {
		key, text := fmt.Sprintf("w0-%d", i), w.text()+strings.Repeat("q", 4000)
		text = fmt.Sprintf("%s %08x", text, crc32.ChecksumIEEE([]byte(text)))
		out, rc := m.run(m.work, fmt.Sprintf(`{"action":"add","key":%q,"content":%q}`, key, text), binary, "commit", "--json")
		var reply struct{ Code string }
		_ = json.Unmarshal([]byte(out), &reply)
		switch {
		case rc == 0:
			w.acked[key] = text
		case reply.Code == "internal":
			full++
		default:
			t.Fatalf("exit %d: %s", rc, out)
		}
		if full == 5 {
			break
		}
	}
	if full == 0 || len(w.acked) == 0 {
		t.Fatalf("the disk never filled up, or nothing fitted: %d stored, %d refused", len(w.acked), full)
	}
	check := func(when string) {
		t.Helper()
		w.settle(t, m.stored())
		if t.Failed() {
			t.Fatal(when)
		}
	}
	check("while full")
	m.kill()
	m.mount()
	check("after a crash on the full disk")
	for k := range w.acked { // removing works on a full disk, and makes room
		m.must("rnixfs commit remove key:" + k)
		delete(w.acked, k)
		if len(w.acked)%2 == 0 {
			break
		}
	}
	check("after removing")
	t.Logf("%d stored before it was full", len(w.acked))
}
