package file_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// deniedFS refuses whatever writes with an error, as long as there is one.
type deniedFS struct {
	file.FS
	why *atomic.Pointer[error]
}

func denying(why *atomic.Pointer[error]) func(string) (file.FS, error) {
	return func(dir string) (file.FS, error) {
		fsys, err := file.OpenOS(dir)
		return &deniedFS{fsys, why}, err
	}
}

func (d *deniedFS) denied() error {
	if err := d.why.Load(); err != nil {
		return *err
	}
	return nil
}

func (d *deniedFS) Open(name string, flags int, perm uint32) (file.File, error) {
	if err := d.denied(); err != nil && flags&(unix.O_RDWR|unix.O_WRONLY|unix.O_CREAT) != 0 {
		return nil, err
	}
	return d.FS.Open(name, flags, perm)
}

func (d *deniedFS) Mkdir(name string, perm uint32) error {
	if err := d.denied(); err != nil {
		return err
	}
	return d.FS.Mkdir(name, perm)
}

func (d *deniedFS) Rename(from, to string, how file.RenameMode) error {
	if err := d.denied(); err != nil {
		return err
	}
	return d.FS.Rename(from, to, how)
}

func (d *deniedFS) Remove(name string) error {
	if err := d.denied(); err != nil {
		return err
	}
	return d.FS.Remove(name)
}

// readOnly is a folder that can't be written, and a clock.
type readOnly struct {
	t    *testing.T
	dir  string
	why  atomic.Pointer[error]
	now  atomic.Pointer[time.Time]
	opts file.Options
}

// newReadOnly makes a folder with the texts in it, which can be written until deny.
func newReadOnly(t *testing.T, texts ...string) *readOnly {
	r := &readOnly{t: t, dir: t.TempDir()}
	start := providertest.Start
	r.now.Store(&start)
	r.opts = file.Options{
		OpenFS: denying(&r.why), Clock: func() time.Time { return *r.now.Load() }, WALSize: 32 << 10,
	}
	p, err := file.Open(context.Background(), r.dir, r.opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := p.Apply(context.Background(), providertest.Add(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *readOnly) deny(err error) { r.why.Store(&err) }

func (r *readOnly) later(d time.Duration) {
	now := r.now.Load().Add(d)
	r.now.Store(&now)
}

func (r *readOnly) open() *file.ReadOnly {
	r.t.Helper()
	p, err := file.OpenOrRead(context.Background(), r.dir, r.opts)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = p.Close() })
	ro, ok := p.(*file.ReadOnly)
	if !ok {
		r.t.Fatalf("a folder that can't be written is opened as %T", p)
	}
	return ro
}

func (r *readOnly) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// bytes is the folder, byte for byte.
func (r *readOnly) bytes() map[string]string {
	r.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		out[path] = string(raw)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *readOnly) texts(p memory.Provider) []string {
	r.t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, e := range v.Entries {
		out = append(out, e.Content)
	}
	return out
}

func TestReadOnly(t *testing.T) {
	for _, c := range []struct {
		why  error
		kind memory.Kind
	}{
		{unix.EROFS, memory.KindReadOnly},
		{unix.EACCES, memory.KindDenied},
		{unix.EPERM, memory.KindDenied},
		{unix.ENOSPC, memory.KindInternal},
		{unix.EDQUOT, memory.KindInternal},
	} {
		t.Run(c.why.Error(), func(t *testing.T) {
			defer goleak.VerifyNone(t)
			r := newReadOnly(t, "one", "two")
			r.deny(c.why)
			before := r.bytes()
			ctx, p := context.Background(), r.open()
			if d := cmp.Diff([]string{"one", "two"}, r.texts(p)); d != "" {
				t.Error(d)
			}
			if recs, err := p.History(ctx, memory.Match{Content: "two"}); err != nil || len(recs) != 1 {
				t.Errorf("history: %d records, %v", len(recs), err)
			}
			_, err := p.Apply(ctx, providertest.Add("three"))
			if memory.KindOf(err) != c.kind || !strings.Contains(memory.ReasonOf(err), r.dir) || memory.HintOf(err) == "" {
				t.Errorf("apply: kind %v, %q, hint %q", memory.KindOf(err), memory.ReasonOf(err), memory.HintOf(err))
			}
			for name, examine := range map[string]func(context.Context) (memory.Health, error){"check": p.Check, "repair": p.Repair} {
				h, err := examine(ctx)
				if err != nil || h.Entries != 2 || len(h.Problems) != 1 || h.Problems[0].Code != "read_only" || h.Problems[0].Mend == "" {
					t.Errorf("%s: %+v, %v", name, h, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if _, err := p.Load(ctx); memory.KindOf(err) != memory.KindUnavailable {
				t.Errorf("load after close: %v", err)
			}
			if d := cmp.Diff(before, r.bytes()); d != "" {
				t.Errorf("reading changed the folder:\n%s", d)
			}
		})
	}
}

// TestReadOnlyWithoutOwnFiles: the entries are read where nothing else can be.
func TestReadOnlyWithoutOwnFiles(t *testing.T) {
	r := newReadOnly(t, "one", "two")
	for _, name := range []string{".lock", ".wal", "journal.jsonl"} {
		if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.deny(unix.EROFS)
	if d := cmp.Diff([]string{"one", "two"}, r.texts(r.open())); d != "" {
		t.Error(d)
	}
}

// TestReadOnlyEdits: what was written by hand is judged as ever, and left alone.
func TestReadOnlyEdits(t *testing.T) {
	r := newReadOnly(t, "one", "two")
	r.opts.Hooks.Admit = func(_ context.Context, e *memory.Entry) error {
		if strings.Contains(e.Content, "secret") {
			return memory.Errorf(memory.KindRejected, "edit", "a secret")
		}
		return nil
	}
	r.write("hand.md", "by hand\n")
	r.write("bad.md", "a secret\n")
	if err := os.Remove(filepath.Join(r.dir, "two.md")); err != nil {
		t.Fatal(err)
	}
	r.deny(unix.EROFS)
	before := r.bytes()
	p := r.open()
	if d := cmp.Diff([]string{"one", "by hand"}, r.texts(p)); d != "" {
		t.Error(d)
	}
	h, err := p.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(h.Problems, func(p memory.Problem) bool { return p.Path == "bad.md" && p.Reason == "a secret" }) {
		t.Errorf("the refused text is not told of: %+v", h.Problems)
	}
	if n := p.SetAside(); n != 0 {
		t.Errorf("%d texts set aside in a folder that can't be written", n)
	}
	if d := cmp.Diff(before, r.bytes()); d != "" {
		t.Errorf("reading changed the folder:\n%s", d)
	}
}

// TestReadOnlyLooksAgain: what those who can write do is seen, and observers hear
// of it.
func TestReadOnlyLooksAgain(t *testing.T) {
	r := newReadOnly(t, "one")
	opened := 0
	r.opts.Hooks.Opened = func(entries []*memory.Entry) { opened = len(entries) }
	r.deny(unix.EACCES)
	p := r.open()
	r.write("hand.md", "by hand\n")
	if d := cmp.Diff([]string{"one"}, r.texts(p)); d != "" {
		t.Error(d)
	}
	r.later(file.LookAgain)
	if d := cmp.Diff([]string{"one", "by hand"}, r.texts(p)); d != "" || opened != 2 {
		t.Errorf("%d entries were told of\n%s", opened, d)
	}
}

// TestWritableAgain: a store goes on where a folder can be written again.
func TestWritableAgain(t *testing.T) {
	r := newReadOnly(t, "one")
	r.deny(unix.EROFS)
	p := r.open()
	if p.Moved() {
		t.Error("opened anew at once")
	}
	r.why.Store(nil)
	r.later(file.LookAgain)
	if !p.Moved() {
		t.Error("never opened anew")
	}
	again, err := file.OpenOrRead(context.Background(), r.dir, r.opts)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Apply(context.Background(), providertest.Add("two")); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyBesideWriter: who reads without the lock never fails for those who
// write, and sees all of it in the end.
func TestReadOnlyBesideWriter(t *testing.T) {
	r := newReadOnly(t)
	w, err := file.Open(context.Background(), r.dir, file.Options{WALSize: 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.deny(unix.EACCES)
	p := r.open()
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range 100 {
			ops := []memory.Op{{Action: memory.ActionAdd, Entry: memory.Entry{ID: fmt.Sprintf("id-%d", i), Content: fmt.Sprintf("text %d", i)}}}
			if i%3 == 2 {
				ops = append(ops, memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: fmt.Sprintf("id-%d", i-1)}})
			}
			if _, err := w.Apply(context.Background(), providertest.Change(ops...)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 100 {
		r.later(file.LookAgain)
		r.texts(p)
	}
	writing.Wait()
	r.later(file.LookAgain)
	got, want := r.texts(p), r.texts(w)
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" || len(want) != 67 {
		t.Errorf("%d texts\n%s", len(want), d)
	}
}
