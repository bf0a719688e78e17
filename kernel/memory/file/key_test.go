package file_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// copyOf is a copy of a folder as it stands, as a backup or a clone has it.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// sources are the roads of trust of the entries, by their texts.
func sources(t *testing.T, p memory.Provider) map[string]memory.Trust {
	t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]memory.Trust{}
	for _, e := range v.Entries {
		out[e.Content] = e.Source.Trust
	}
	return out
}

// TestForeignFolder opens what another user's rnixfs wrote, power cut and all: the
// journal and the redo log do nothing, and the files are judged.
func TestForeignFolder(t *testing.T) {
	theirs, mine := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key")
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{KeyFile: theirs, UsualKey: theirs, Within: filepath.Dir(dir)})
	must(t, p, providertest.Add("a SECRET").Ops...)
	must(t, p, providertest.Add("a fact").Ops...)
	must(t, p, providertest.Add("only in the log").Ops...)
	cut := copyOf(t, dir)
	for _, lost := range []string{"only-in-the-log.md", "journal.jsonl"} {
		if err := os.Remove(filepath.Join(cut, lost)); err != nil {
			t.Fatal(err)
		}
	}
	for name, dir := range map[string]string{"whole": copyOf(t, dir), "power cut": cut} {
		later := file.Options{KeyFile: mine, UsualKey: mine, BootID: strings.Repeat("e", 32), Hooks: gate(1000)}
		if name == "power cut" { // the control: for its own user the log counts
			own, dir := later, copyOf(t, dir)
			own.KeyFile, own.UsualKey, own.Within = theirs, theirs, filepath.Dir(dir)
			if got := entriesOf(t, mustOpen(t, dir, own)); !slices.Contains(got, "only-in-the-log=only in the log") {
				t.Errorf("the own log gave %q", got)
			}
		}
		later.Within = filepath.Dir(dir)
		q := mustOpen(t, dir, later)
		got := sources(t, q)
		if _, bad := got["a SECRET"]; bad || got["a fact"] != memory.TrustImported || name == "power cut" && len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
		if h, err := q.History(context.Background(), memory.Match{Content: "a fact"}); err != nil || len(h) != 1 || h[0].Actor.Trust != memory.TrustImported {
			t.Errorf("%s: history %+v, %v", name, h, err)
		}
	}
}

// TestTwoKeys: of two who work on a folder with keys of their own, one who only looks
// leaves the other's history, trust and undo; the first change sets it aside, whole.
func TestTwoKeys(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	keyed := func() file.Options {
		key := filepath.Join(t.TempDir(), "key")
		return file.Options{KeyFile: key, UsualKey: key, Within: filepath.Dir(dir)}
	}
	own, other := keyed(), keyed()
	open := func(o file.Options) memory.Provider {
		p, err := file.OpenOrRead(ctx, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close() })
		return p
	}
	change := func(p memory.Provider, ops ...memory.Op) {
		t.Helper()
		if _, err := p.Apply(ctx, providertest.Change(ops...)); err != nil {
			t.Fatal(err)
		}
	}
	aside := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "*.foreign-*"))
		return list
	}
	a := open(own)
	change(a, providertest.Add("a fact").Ops...)
	change(a, providertest.Add("gone").Ops...)
	change(a, memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "gone"}})
	b := open(other)
	if got := sources(t, b); len(got) != 1 || got["a fact"] != memory.TrustImported {
		t.Errorf("the other reads %v", got)
	}
	h, err := b.(memory.Checker).Check(ctx)
	if err != nil || len(h.Problems) != 1 || h.Problems[0].Code != "foreign_journal" || h.Problems[0].Mend == "" {
		t.Errorf("check says %+v, %v", h, err)
	}
	if _, err := b.Apply(ctx, memory.Change{}); memory.KindOf(err) != memory.KindReadOnly {
		t.Errorf("a sweep: %v", err)
	}
	var removed *memory.Entry
	for name, a := range map[string]memory.Provider{"open": a, "opened again": open(own)} {
		past, err := a.History(ctx, memory.Match{Content: "gone"})
		if got := sources(t, a); got["a fact"] != memory.TrustAgent || err != nil || len(past) != 2 || a.(interface{ Moved() bool }).Moved() {
			t.Errorf("%s: %v, %+v, %v", name, got, past, err)
		}
		removed = past[0].After
	}
	change(a, memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: removed.ID}, Entry: *removed})
	if list := aside(); list != nil {
		t.Errorf("set aside: %q", list)
	}
	v, err := b.Load(ctx)
	if err != nil || len(v.Entries) == 0 {
		t.Fatal(err)
	}
	id := v.Entries[0].ID
	change(b, memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: id}})
	change(b, providertest.Add("from there").Ops...)
	if got := sources(t, b); got["from there"] != memory.TrustAgent || len(got) != 2 || len(aside()) != 1 {
		t.Errorf("after the other wrote: %v, %q", got, aside())
	}
	if !a.(interface{ Moved() bool }).Moved() {
		t.Error("it does not see that another journal stands there")
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if got := sources(t, open(own)); len(got) != 2 || got["from there"] != memory.TrustImported || len(aside()) != 1 {
		t.Errorf("it looks, and has %v, %q", got, aside())
	}
}

// TestOwnFolderMoves: a folder that was moved or copied, and one of which a program
// changed files, keep what is known.
func TestOwnFolderMoves(t *testing.T) {
	key, dir := filepath.Join(t.TempDir(), "key"), t.TempDir()
	opts := file.Options{KeyFile: key, UsualKey: key, Within: filepath.Dir(dir)}
	p := mustOpen(t, dir, opts)
	must(t, p, providertest.Add("a fact").Ops...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	moved := copyOf(t, dir)
	opts.Within = filepath.Dir(moved)
	write(t, moved, "dropped.md", "---\nsource: {trust: human, road: commit, exe: /bin/sh}\n---\na file\n")
	if got := sources(t, mustOpen(t, moved, opts)); got["a fact"] != memory.TrustAgent || got["a file"] != memory.TrustEdit {
		t.Errorf("%v", got)
	}
}

// TestKey: a key that can't be used stays as it is, and memory is read without
// believing anything; of several who make one at once, one does.
func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "key")
	var wg sync.WaitGroup
	dir := t.TempDir()
	for range 8 {
		wg.Go(func() {
			p := mustOpen(t, dir, file.Options{KeyFile: path, UsualKey: path, Within: filepath.Dir(dir), Hooks: gate(1000)})
			defer p.Close()
			if _, err := p.Apply(context.Background(), providertest.Add("a fact")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, _ := filepath.Glob(filepath.Dir(path) + "/*"); len(list) != 1 {
		t.Errorf("%q", list)
	}
	key, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"short":     func() error { return os.WriteFile(path, key[:20], 0o600) },
		"open":      func() error { return os.Chmod(path, 0o644) },
		"of others": func() error { return os.Symlink("/dev/zero", path) },
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if name == "open" {
			write(t, filepath.Dir(path), "key", string(key))
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		p, err := file.OpenOrRead(context.Background(), dir, file.Options{KeyFile: path, UsualKey: path, Within: filepath.Dir(dir), Hooks: gate(1000)})
		if err != nil {
			t.Fatal(err)
		}
		if got := sources(t, p); len(got) != 1 || got["a fact"] != memory.TrustImported {
			t.Errorf("%s: %v", name, got)
		}
		_, err = p.Apply(context.Background(), providertest.Add("more"))
		if memory.KindOf(err) != memory.KindDenied || !strings.Contains(err.Error(), path) || memory.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Stat(path); err != nil || name == "short" && info.Size() != 20 {
			t.Errorf("%s: replaced: %v", name, err)
		}
	}
	if err := os.WriteFile(path+"2", key, 0o600); err != nil {
		t.Fatal(err)
	}
	q := mustOpen(t, dir, file.Options{KeyFile: path, UsualKey: path + "2", Within: filepath.Dir(dir), User: &file.User{UID: os.Getuid(), GID: os.Getgid()}})
	if got := sources(t, q); got["a fact"] != memory.TrustAgent {
		t.Errorf("by the usual key: %v", got)
	}
}
