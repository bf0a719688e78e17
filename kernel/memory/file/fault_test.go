package file_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

var errStopped = errors.New("the process is dead")

// seeds is how many random runs a test makes.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 4
	}
	return n
}

// script is a sequence of changes of every kind, and what they make of a scope.
func script() []memory.Change {
	var out []memory.Change
	for i := range 4 {
		ch := providertest.Add(fmt.Sprintf("text %d", i))
		ch.Ops[0].Entry.Key = fmt.Sprintf("key-%d", i)
		out = append(out, ch)
	}
	two := providertest.Add("batch one")
	two.Ops = append(two.Ops, providertest.Add("batch two").Ops...)
	return append(out, two,
		providertest.Change(memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: "key-1"}, Entry: memory.Entry{Content: "replaced"}, Set: []string{"content"}}),
		providertest.Change(memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: "key-2"}, Entry: memory.Entry{Key: "moved"}, Set: []string{"key"}}),
		providertest.Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: "key-0"}}),
		providertest.Add("last"),
	)
}

// after is what the first n changes of the script leave, as sorted contents.
func after(chs []memory.Change, done []bool) []string {
	st := memory.NewState(nil, 0)
	for i, ch := range chs {
		if !done[i] {
			continue
		}
		steps, err := st.Plan(ch)
		if err != nil {
			continue
		}
		st.Commit(ch, steps, st.Sequence()+1)
	}
	return texts(st.View())
}

func texts(v memory.View) []string {
	var s []string
	for _, e := range v.Entries {
		s = append(s, e.Key+"="+e.Content)
	}
	slices.Sort(s)
	return s
}

func mustOpen(t testing.TB, dir string, opts file.Options) *file.Provider {
	t.Helper()
	p, err := file.Open(context.Background(), dir, opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func entriesOf(t testing.TB, p *file.Provider) []string {
	t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return texts(v)
}

// onDisk counts the entries as a stranger would.
func onDisk(t testing.TB, dir string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// stopAt runs the script until the n-th operation, at which everything stops as
// if the process were killed, and reports which changes were acknowledged.
func stopAt(dir string, n int, chs []memory.Change) (acked []bool, tried int, reached bool) {
	count := 0
	p, err := file.Open(context.Background(), dir, file.Options{WALSize: 8 << 10, OpenFS: withHook(func(op, name string) error {
		if count++; count >= n {
			return errStopped
		}
		return nil
	})})
	acked = make([]bool, len(chs))
	if err == nil {
		for i, ch := range chs {
			_, err := p.Apply(context.Background(), ch)
			acked[i] = err == nil
			tried = i
			if err != nil {
				break
			}
		}
		_ = p.Close()
	}
	return acked, tried, count >= n
}

// TestCrashAtEveryOperation stops at each operation in turn.
func TestCrashAtEveryOperation(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		chs := script()
		acked, tried, reached := stopAt(dir, n, chs)
		p := mustOpen(t, dir, file.Options{})
		got := entriesOf(t, p)
		maybe := slices.Clone(acked)
		maybe[tried] = true
		if a, b := after(chs, acked), after(chs, maybe); !slices.Equal(got, a) && !slices.Equal(got, b) {
			t.Fatalf("stopped at operation %d: got %q, want %q or %q", n, got, a, b)
		}
		if onDisk(t, dir) != len(got) {
			t.Fatalf("stopped at operation %d: %d files for %d entries", n, onDisk(t, dir), len(got))
		}
		healthy(t, p, n)
		_ = p.Close()
		if !reached {
			return
		}
	}
}

func healthy(t *testing.T, p *file.Provider, n int) {
	t.Helper()
	h, err := p.Check(context.Background())
	if err != nil || len(h.Problems) > 0 {
		t.Fatalf("operation %d: check says %+v, %v", n, h.Problems, err)
	}
}

func TestEveryOperationFailsOnce(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
		for n := 1; ; n++ {
			if !failOnce(t, n, fault) {
				break
			}
		}
	}
}

// failOnce fails the n-th operation after opening and reports whether there was
// one.
func failOnce(t *testing.T, n int, fault error) bool {
	dir := t.TempDir()
	count, armed := 0, false
	p := mustOpen(t, dir, file.Options{WALSize: 8 << 10, OpenFS: withHook(func(op, name string) error {
		if armed {
			if count++; count == n {
				return fault
			}
		}
		return nil
	})})
	armed = true
	chs := script()
	acked := make([]bool, len(chs))
	for i, ch := range chs {
		_, err := p.Apply(context.Background(), ch)
		acked[i] = err == nil
		if err != nil && memory.KindOf(err) != memory.KindInternal && memory.KindOf(err) != memory.KindNotFound {
			t.Fatalf("operation %d: %v", n, err)
		}
	}
	want := after(chs, acked)
	if got := entriesOf(t, p); !slices.Equal(got, want) {
		t.Fatalf("operation %d fails: got %q, want %q (%v)", n, got, want, acked)
	}
	armed = false
	if _, err := p.Apply(context.Background(), providertest.Add("afterwards")); err != nil {
		t.Fatalf("operation %d: does not go on: %v", n, err)
	}
	_ = p.Close()
	q := mustOpen(t, dir, file.Options{})
	got := slices.DeleteFunc(entriesOf(t, q), func(s string) bool { return s == "afterwards=afterwards" })
	if !slices.Equal(got, want) {
		t.Fatalf("operation %d fails, reopened: got %q, want %q (%v)", n, got, want, acked)
	}
	healthy(t, q, n)
	_ = q.Close()
	return count >= n
}

// TestDiskThatKeepsFailing lets random operations fail, many of them, and
// requires of what was acknowledged that it is there, and of what was refused
// that it is not, once the disk works again.
func TestDiskThatKeepsFailing(t *testing.T) {
	for seed := range seeds(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		armed := false
		p := mustOpen(t, dir, file.Options{WALSize: 8 << 10, OpenFS: withHook(func(op, name string) error {
			if armed && rnd.IntN(10) == 0 {
				return syscall.EIO
			}
			return nil
		})})
		armed = true
		chs := script()
		acked := make([]bool, len(chs))
		for i, ch := range chs {
			_, err := p.Apply(context.Background(), ch)
			acked[i] = err == nil
		}
		armed = false
		if _, err := p.Apply(context.Background(), providertest.Add("afterwards")); err != nil {
			t.Fatalf("seed %d: does not go on: %v", seed, err)
		}
		want := append(after(chs, acked), "afterwards=afterwards")
		slices.Sort(want)
		if got := entriesOf(t, p); !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %q, want %q", seed, got, want)
		}
		_ = p.Close()
		q := mustOpen(t, dir, file.Options{})
		if got := entriesOf(t, q); !slices.Equal(got, want) {
			t.Fatalf("seed %d, reopened: got %q, want %q", seed, got, want)
		}
		_ = q.Close()
	}
}

// TestPowerLoss damages, after a stop, whatever was not synced, as a machine
// without power does: entry files go missing, are empty or torn, and the
// journal's end is gone.
func TestPowerLoss(t *testing.T) {
	for seed := range seeds(80) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		unsynced := map[string]bool{}
		journalSynced := int64(0)
		stop := rnd.IntN(500) + 60
		count := 0
		hook := func(op, name string) error {
			if count++; count >= stop {
				return errStopped
			}
			switch op {
			case "rename":
				if strings.HasSuffix(name, ".md") {
					unsynced[name] = true
				}
			case "fsync":
				delete(unsynced, name)
				if name == "journal.jsonl" {
					if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
						journalSynced = info.Size()
					}
				}
			}
			return nil
		}
		chs := script()
		acked := make([]bool, len(chs))
		tried := 0
		p, err := file.Open(context.Background(), dir, file.Options{WALSize: 8 << 10, OpenFS: withHook(hook), BootID: strings.Repeat("a", 32)})
		if err != nil {
			continue
		}
		for i, ch := range chs {
			tried = i
			_, err := p.Apply(context.Background(), ch)
			acked[i] = err == nil
			if err != nil {
				break
			}
		}
		stop = 0 // Close does nothing
		_ = p.Close()
		damage(t, rnd, dir, unsynced, journalSynced)
		q := mustOpen(t, dir, file.Options{BootID: strings.Repeat("b", 32)})
		got := entriesOf(t, q)
		maybe := slices.Clone(acked)
		maybe[tried] = true
		if a, b := after(chs, acked), after(chs, maybe); !slices.Equal(got, a) && !slices.Equal(got, b) {
			t.Fatalf("seed %d: got %q, want %q or %q", seed, got, a, b)
		}
		_ = q.Close()
		again := mustOpen(t, dir, file.Options{BootID: strings.Repeat("b", 32)})
		if twice := entriesOf(t, again); !slices.Equal(twice, got) {
			t.Fatalf("seed %d: then %q, now %q", seed, got, twice)
		}
		_ = again.Close()
	}
}

func damage(t *testing.T, rnd *rand.Rand, dir string, unsynced map[string]bool, journalSynced int64) {
	t.Helper()
	for name := range unsynced {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		switch rnd.IntN(4) {
		case 0:
			err = os.Remove(path)
		case 1:
			err = os.WriteFile(path, nil, 0o600)
		case 2:
			err = os.WriteFile(path, append(data[:len(data)/2:len(data)/2], make([]byte, len(data)-len(data)/2)...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "journal.jsonl")
	info, err := os.Stat(path)
	if err != nil || info.Size() <= journalSynced {
		return
	}
	keep := journalSynced + rnd.Int64N(info.Size()-journalSynced+1)
	if err := os.Truncate(path, keep); err != nil {
		t.Fatal(err)
	}
	if rnd.IntN(2) == 0 {
		if err := os.Truncate(path, info.Size()); err != nil { // zeros where pages were not written
			t.Fatal(err)
		}
	}
	if rnd.IntN(2) == 0 {
		if err := os.Truncate(filepath.Join(dir, ".lock"), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecoveryMeetsAFault stops at a random operation and lets one operation of
// the next opening fail: what was acknowledged is there at the one after that.
func TestRecoveryMeetsAFault(t *testing.T) {
	for seed := range seeds(600) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		dir := t.TempDir()
		chs := script()
		stop := 40 + rnd.IntN(160)
		acked, tried, _ := stopAt(dir, stop, chs)
		count, fails := 0, 1+rnd.IntN(60)
		p, err := file.Open(context.Background(), dir, file.Options{OpenFS: withHook(func(string, string) error {
			if count++; count == fails {
				return syscall.EIO
			}
			return nil
		})})
		if err == nil {
			_ = p.Close()
		}
		q := mustOpen(t, dir, file.Options{})
		maybe := slices.Clone(acked)
		maybe[tried] = true
		if got, a, b := entriesOf(t, q), after(chs, acked), after(chs, maybe); !slices.Equal(got, a) && !slices.Equal(got, b) {
			t.Fatalf("seed %d: stopped at %d, fault at %d: got %q, want %q or %q", seed, stop, fails, got, a, b)
		}
		_ = q.Close()
	}
}
