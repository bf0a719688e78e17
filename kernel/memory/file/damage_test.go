package file_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// filled makes a folder with a script's entries. crash leaves it as a killed
// process does: the redo log is full of records.
func filled(t *testing.T, crash bool) (dir string, want []string) {
	dir = t.TempDir()
	dead := false
	p := mustOpen(t, dir, file.Options{OpenFS: withHook(func(string, string) error {
		if dead {
			return errStopped
		}
		return nil
	})})
	for _, ch := range script() {
		if _, err := p.Apply(context.Background(), ch); err != nil {
			t.Fatal(err)
		}
	}
	want = entriesOf(t, p)
	dead = crash
	_ = p.Close()
	return dir, want
}

// TestDamagedLogs flips bytes of, cuts, empties and removes what is not the
// entries' own files: the entries must load as they are.
func TestDamagedLogs(t *testing.T) {
	for seed := range seeds(120) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		dir, want := filled(t, rnd.IntN(2) == 0)
		var did []string
		damages := rnd.IntN(2) + 1
		for range damages {
			name := []string{"journal.jsonl", ".wal", ".lock"}[rnd.IntN(3)]
			did = append(did, name+": "+spoil(t, rnd, filepath.Join(dir, name)))
		}
		opts := file.Options{}
		// With the redo log and the journal both spoilt after a loss of power, the
		// files can't be told from what a lost record had made of them.
		if damages == 1 {
			opts.BootID = strings.Repeat("c", 32)
		}
		p, err := file.Open(context.Background(), dir, opts)
		if err != nil {
			t.Fatalf("seed %d (%v): %v", seed, did, err)
		}
		if got := entriesOf(t, p); !slices.Equal(got, want) {
			t.Fatalf("seed %d (%v): got %q, want %q", seed, did, got, want)
		}
		if _, err := p.Apply(context.Background(), providertest.Add("more")); err != nil {
			t.Fatalf("seed %d (%v): does not go on: %v", seed, did, err)
		}
		_ = p.Close()
		p = mustOpen(t, dir, opts)
		again := append(slices.Clone(want), "more=more")
		slices.Sort(again)
		if got := entriesOf(t, p); !slices.Equal(got, again) {
			t.Fatalf("seed %d (%v), reopened: got %q, want %q", seed, did, got, again)
		}
		h, err := p.Repair(context.Background())
		if err != nil || slices.ContainsFunc(h.Problems, func(x memory.Problem) bool { return !strings.Contains(x.Path, ".corrupt-") }) {
			t.Fatalf("seed %d (%v): %+v, %v", seed, did, h, err)
		}
		_ = p.Close()
	}
}

func spoil(t *testing.T, rnd *rand.Rand, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "gone already"
	}
	if err != nil {
		t.Fatal(err)
	}
	what := ""
	switch rnd.IntN(4) {
	case 0:
		what = "removed"
		err = os.Remove(path)
	case 1:
		n := rnd.IntN(len(data) + 1)
		what = "cut"
		err = os.Truncate(path, int64(n))
	case 2:
		what = "zeros at the end"
		err = os.WriteFile(path, append(data, make([]byte, 100)...), 0o600)
	default:
		what = "bytes flipped"
		for range rnd.IntN(4) + 1 {
			if len(data) > 0 {
				i := rnd.IntN(min(len(data), 12<<10)) // where the records are
				data[i] ^= 1 << rnd.IntN(8)
			}
		}
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return what
}

// TestJournalLostWhileOpen takes the journal away from an open provider.
func TestJournalLostWhileOpen(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	for _, name := range []string{"journal.jsonl", ".wal", ".lock"} {
		if _, err := p.Apply(context.Background(), providertest.Add("before "+name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Apply(context.Background(), providertest.Add("after "+name)); err != nil {
			t.Fatalf("without %s: %v", name, err)
		}
	}
	want := entriesOf(t, p)
	if len(want) != 6 {
		t.Fatalf("got %q", want)
	}
	other := mustOpen(t, dir, file.Options{})
	if got := entriesOf(t, other); !slices.Equal(got, want) {
		t.Fatalf("another process sees %q, want %q", got, want)
	}
	if _, err := other.Apply(context.Background(), providertest.Add("the other's")); err != nil {
		t.Fatal(err)
	}
	if got := entriesOf(t, p); len(got) != 7 {
		t.Fatalf("the first does not see the other's: %q", got)
	}
}

// TestFailedChangeDoesNotComeBack lets each operation of one change fail, and
// then the process die without another change: its record must not be redone.
func TestFailedChangeDoesNotComeBack(t *testing.T) {
	for n := 1; ; n++ {
		dir := t.TempDir()
		count, armed, dead := 0, false, false
		p := mustOpen(t, dir, file.Options{OpenFS: withHook(func(string, string) error {
			if dead {
				return errStopped
			}
			if armed {
				if count++; count == n {
					return errors.New("input/output error")
				}
			}
			return nil
		})})
		if _, err := p.Apply(context.Background(), providertest.Add("first")); err != nil {
			t.Fatal(err)
		}
		want := []string{"first=first"}
		armed = true
		_, err := p.Apply(context.Background(), providertest.Add("second"))
		if err == nil {
			want = append(want, "second=second")
		}
		reached := count >= n
		dead = true
		_ = p.Close()
		q := mustOpen(t, dir, file.Options{BootID: strings.Repeat("d", 32)})
		if got := entriesOf(t, q); !slices.Equal(got, want) {
			t.Fatalf("operation %d fails (%v): got %q, want %q", n, err, got, want)
		}
		_ = q.Close()
		if !reached {
			return
		}
	}
}
