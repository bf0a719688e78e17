package file_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// mirror is an observer: what it holds must be what the scope holds.
type mirror struct {
	mu      sync.Mutex
	entries map[string]*memory.Entry
	opened  int
}

func (m *mirror) hooks() memory.Hooks {
	return memory.Hooks{
		Opened: func(entries []*memory.Entry) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.opened++
			m.entries = map[string]*memory.Entry{}
			for _, e := range entries {
				m.entries[e.ID] = e
			}
		},
		Changed: func(steps []memory.Step) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, s := range steps {
				if s.Before != nil {
					delete(m.entries, s.Before.ID)
				}
				if s.After != nil {
					m.entries[s.After.ID] = s.After
				}
			}
		},
	}
}

func (m *mirror) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var v memory.View
	for _, e := range m.entries {
		v.Entries = append(v.Entries, e)
	}
	return texts(v)
}

// TestProvidersSeeEachOther changes a folder through two providers in turn: each
// sees the other's changes at its next Load, and tells its observers of them.
func TestProvidersSeeEachOther(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	var seen [2]mirror
	var ps [2]*file.Provider
	for i := range ps {
		ps[i] = mustOpen(t, dir, file.Options{Hooks: seen[i].hooks(), WALSize: 8 << 10})
		defer ps[i].Close()
	}
	chs := script()
	done := make([]bool, len(chs))
	for i, ch := range chs {
		if _, err := ps[i%2].Apply(context.Background(), ch); err != nil {
			t.Fatal(err)
		}
		done[i] = true
		want := after(chs, done)
		for j, p := range ps {
			if got := entriesOf(t, p); !slices.Equal(got, want) {
				t.Fatalf("after change %d provider %d sees %q, want %q", i, j, got, want)
			}
			if got := seen[j].texts(); !slices.Equal(got, want) {
				t.Fatalf("after change %d observer %d was told %q, want %q", i, j, got, want)
			}
		}
	}
	if seen[0].opened != 1 || seen[1].opened != 1 {
		t.Errorf("the folder was read anew %d and %d times", seen[0].opened, seen[1].opened)
	}
	h, err := ps[0].History(context.Background(), memory.Match{Key: "moved"})
	if err != nil || len(h) != 2 {
		t.Errorf("history across providers: %+v, %v", h, err)
	}
}

// TestManyRetriesOfOneChange sends one change with one idempotency key from many
// goroutines over two providers.
func TestManyRetriesOfOneChange(t *testing.T) {
	dir := t.TempDir()
	ps := []*file.Provider{mustOpen(t, dir, file.Options{}), mustOpen(t, dir, file.Options{})}
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for i := range 32 {
		wg.Go(func() {
			ch := providertest.Add("once")
			ch.IdempotencyKey, ch.Digest = "key", "digest"
			res, err := ps[i%2].Apply(context.Background(), ch)
			if err != nil || res.Sequence != 1 {
				t.Errorf("got %+v, %v", res, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !res.Replayed {
				first++
			}
		})
	}
	wg.Wait()
	if got := entriesOf(t, ps[0]); len(got) != 1 || first != 1 {
		t.Errorf("%d firsts, entries %q", first, got)
	}
}

func TestModesAndOwner(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "a", "b")
	opts := file.Options{Hooks: gate(100), Within: base}
	if os.Getuid() == 0 {
		opts.User = &file.User{UID: 12345, GID: 12345}
		if _, err := file.Open(t.Context(), dir, opts); memory.KindOf(err) != memory.KindDenied {
			t.Errorf("a folder of root's: %v", err)
		}
		if err := os.Chown(base, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	p := mustOpen(t, dir, opts)
	for i := range 3 {
		if _, err := p.Apply(context.Background(), providertest.Add(fmt.Sprint("text ", i))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "bad.md", "SECRET")
	if opts.User != nil {
		if err := os.Chown(filepath.Join(dir, "bad.md"), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Repair(context.Background()); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(filepath.Dir(dir), func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if st := info.Sys().(*syscall.Stat_t); opts.User != nil && (st.Uid != 12345 || st.Gid != 12345) {
			t.Errorf("%s belongs to %d:%d", path, st.Uid, st.Gid)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOthersRights: root reads and writes in a user's folder what the user could,
// and changes the owner of nothing, whatever lies there.
func TestOthersRights(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to serve a user")
	}
	const roots = "text of root's"
	for name, tc := range map[string]struct {
		plant string // a shell script in the user's folder, run by root
		open  bool   // whether the folder opens
	}{
		"nothing":           {`true`, true},
		"an entry":          {`ln $ROOT/secret entry.md; ln -s $ROOT/secret link.md`, true},
		"the lock":          {`ln $ROOT/secret .lock`, false},
		"the log":           {`ln $ROOT/secret .wal`, false},
		"the journal":       {`ln $ROOT/secret journal.jsonl`, false},
		"what is set aside": {`echo SECRET > bad.md; ln -s $ROOT .rejected`, false},
		"the folder":        {`cd ..; rm -r memory; ln -s $ROOT memory`, false},
		"the one above":     {`cd ../..; rm -r .rnix; ln -s $ROOT .rnix`, false},
	} {
		t.Run(name, func(t *testing.T) {
			base, root := t.TempDir(), t.TempDir()
			dir := filepath.Join(base, ".rnix", "memory")
			script := `mkdir -p .rnix/memory $ROOT/memory; umask 077; echo "` + roots + `" > $ROOT/secret; cp $ROOT/secret $ROOT/memory/x.md
				echo fine > .rnix/memory/own.md; chown -R 12345 .; (cd .rnix/memory; ` + tc.plant + `; find . -type f -user 0 -links 1 -exec chown 12345 {} +)`
			cmd := exec.Command("sh", "-ec", script)
			cmd.Dir, cmd.Env = base, append(os.Environ(), "ROOT="+root)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before := tree(t, root)
			p, err := file.OpenOrRead(t.Context(), dir, file.Options{Hooks: gate(1000), Within: base, User: &file.User{UID: 12345, GID: 12345}})
			if (err == nil) != tc.open {
				if _, readOnly := p.(*file.ReadOnly); !readOnly {
					t.Errorf("opened: %v", err)
				}
			}
			if err == nil {
				v, err := p.Load(t.Context())
				if err != nil {
					t.Error(err)
				}
				for _, e := range v.Entries {
					if strings.Contains(e.Content, roots) {
						t.Errorf("the user is shown %q", e.Content)
					}
				}
				if len(v.Entries) != 1 {
					t.Errorf("%d entries, want the user's own", len(v.Entries))
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
			if after := tree(t, root); after != before {
				t.Errorf("root's files were\n%s\nand are\n%s", before, after)
			}
		})
	}
}

// tree is the names, owners and contents below a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	out, err := exec.Command("find", dir, "-printf", "%P %u %m %s\n").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestCheckAndRepair: what Repair can mend is mended, and a second one finds
// nothing to do.
func TestCheckAndRepair(t *testing.T) {
	dir, want := filled(t, false)
	p := mustOpen(t, dir, file.Options{})
	write(t, dir, ".tmp-left-1", "half")
	write(t, dir, "by hand.md", "new")
	copied := read(t, dir, "last.md")
	write(t, dir, "copied.md", copied)
	codes := func(h memory.Health, err error) (out []string) {
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range h.Problems {
			out = append(out, x.Path+" "+x.Code)
		}
		return out
	}
	ctx := context.Background()
	if got := codes(p.Check(ctx)); !slices.Equal(got, []string{".tmp-left-1 orphan_temp", "by hand.md edited", "copied.md edited"}) {
		t.Errorf("check: %q", got)
	}
	for range 2 {
		if got := codes(p.Repair(ctx)); !slices.Equal(got, []string{"copied.md duplicate_id"}) {
			t.Errorf("repair: %q", got)
		}
	}
	want = append(want, "by hand=new", "last-2=last")
	slices.Sort(want)
	if got := entriesOf(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
