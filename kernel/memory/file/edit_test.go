package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

// gate is the store's part: it refuses and masks the word SECRET.
func gate(limit int) memory.Hooks {
	return memory.Hooks{
		Admit: func(_ context.Context, e *memory.Entry) error {
			if strings.Contains(e.Content, "SECRET") {
				return memory.Errorf(memory.KindRejected, "edit", "looks like a secret")
			}
			return nil
		},
		Redact: func(_ context.Context, s string) (string, error) {
			if strings.Contains(s, "UNMASKABLE") {
				return "", errors.New("can't")
			}
			return strings.ReplaceAll(s, "SECRET", "******"), nil
		},
		Limit: func() memory.Limit { return memory.Limit{Runes: limit, Overflow: memory.OverflowError} },
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// watcherIf is a watcher, or none.
func watcherIf(watched bool) *watch.Watcher {
	if !watched {
		return nil
	}
	return &watch.Watcher{}
}

// eventually waits for the watch; only a broken one waits for all of it.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

func has(t testing.TB, p *file.Provider, want ...string) bool {
	t.Helper()
	slices.Sort(want)
	return slices.Equal(entriesOf(t, p), want)
}

func TestEditsAreTakenIn(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{Watcher: &watch.Watcher{}, Hooks: gate(1000)})
	defer p.Close()

	write(t, dir, "by hand.md", "no front matter\n")
	eventually(t, "a new file", func() bool { return has(t, p, "by hand=no front matter") })
	if got := read(t, dir, "by hand.md"); got != "no front matter\n" {
		t.Errorf("the person's file was rewritten: %q", got)
	}
	v, _ := p.Load(context.Background())
	first := v.Entries[0]
	if first.Source.Trust != memory.TrustEdit || first.Source.Road != "edit" || first.Importance != memory.DefaultImportance {
		t.Errorf("taken in as %+v", first)
	}
	write(t, dir, "by hand.md", "---\ncategory: note\npinned: yes\nmine: [1, two]\n---\nchanged\n")
	eventually(t, "an edit", func() bool { return has(t, p, "by hand=changed") })
	v, _ = p.Load(context.Background())
	if e := v.Entries[0]; e.ID != first.ID || e.Revision != 2 || e.Category != "note" || !e.Pinned || len(e.Extra) != 1 {
		t.Errorf("the edit became %+v", e)
	}
	if err := os.Rename(filepath.Join(dir, "by hand.md"), filepath.Join(dir, "other.md")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a renamed file", func() bool { return has(t, p, "other=changed") })
	if err := os.Remove(filepath.Join(dir, "other.md")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a removed file", func() bool { return has(t, p) })
}

func TestRenamedFileKeepsItsEntry(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{Watcher: &watch.Watcher{}})
	res, err := p.Apply(context.Background(), providertest.Add("a fact"))
	if err != nil {
		t.Fatal(err)
	}
	id := res.Steps[0].After.ID
	if err := os.Rename(filepath.Join(dir, "a-fact.md"), filepath.Join(dir, "new name.md")); err != nil {
		t.Fatal(err)
	}
	same := func(p *file.Provider) bool {
		v, err := p.Load(context.Background())
		return err == nil && len(v.Entries) == 1 && v.Entries[0].ID == id && v.Entries[0].Revision == 2
	}
	eventually(t, "the same entry", func() bool { return same(p) })
	must(t, p, memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: id}, Entry: memory.Entry{Content: "another"}, Set: []string{"content"}})
	if got := read(t, dir, "new name.md"); !strings.HasSuffix(got, "\nanother\n") || onDisk(t, dir) != 1 {
		t.Fatalf("%d files, one holds %q", onDisk(t, dir), got)
	}
}

func must(t testing.TB, p *file.Provider, ops ...memory.Op) memory.Result {
	t.Helper()
	res, err := p.Apply(context.Background(), providertest.Change(ops...))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRefusedEditsAreSetAside(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%t", watched), func(t *testing.T) {
			dir := t.TempDir()
			opts := file.Options{Watcher: watcherIf(watched), Hooks: gate(60)}
			p := mustOpen(t, dir, opts)
			if _, err := p.Apply(context.Background(), providertest.Add("a good fact")); err != nil {
				t.Fatal(err)
			}
			good := read(t, dir, "a-good-fact.md")
			if !watched {
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
			write(t, dir, "a-good-fact.md", strings.Replace(good, "a good fact", "the SECRET", 1))
			write(t, dir, "new.md", "another SECRET\n")
			write(t, dir, "worse.md", "SECRET UNMASKABLE\n")
			write(t, dir, "broken.md", "---\nimportance: very\n---\ntext\n")
			write(t, dir, "long.md", strings.Repeat("x", 61)) // stays, unread
			if !watched {
				p = mustOpen(t, dir, opts)
			}
			eventually(t, "set aside", func() bool {
				names, _ := filepath.Glob(filepath.Join(dir, ".rejected", "*.reason.json"))
				return len(names) == 4 && onDisk(t, dir) == 2
			})
			eventually(t, "put back", func() bool { return read(t, dir, "a-good-fact.md") == good })
			if !has(t, p, "a-good-fact=a good fact") {
				t.Errorf("entries are %q", entriesOf(t, p))
			}
			for name, want := range map[string]string{
				"a-good-fact.md": "the ******", "new.md": "another ******\n", "broken.md": "importance: very",
			} {
				if got := read(t, dir, ".rejected", name); !strings.Contains(got, want) {
					t.Errorf("%s was kept as %q", name, got)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, ".rejected", "worse.md")); err == nil {
				t.Error("a text that could not be masked was kept")
			}
			h, err := p.Check(context.Background())
			if err != nil || len(h.Problems) != 5 || h.Problems[0].Code != "rejected" || h.Problems[4].Code != "over_limit" {
				t.Errorf("check says %+v, %v", h, err)
			}
		})
	}
}

// TestEditBeforeApply edits a file while nobody watches: the change that touches
// it must see the edit, not overwrite it.
func TestEditBeforeApply(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	res, err := p.Apply(context.Background(), providertest.Add("one"))
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, dir, "one.md")
	write(t, dir, "one.md", strings.Replace(text, "\none\n", "\nedited\n", 1))
	replace := memory.Op{Action: memory.ActionReplace, Match: memory.Match{Content: "one"}, Entry: memory.Entry{Content: "two"}, Set: []string{"content"}}
	if _, err := p.Apply(context.Background(), providertest.Change(replace)); memory.KindOf(err) != memory.KindNotFound {
		t.Fatalf("replacing what is not there any more: %v", err)
	}
	if !has(t, p, "one=edited") {
		t.Fatalf("entries are %q", entriesOf(t, p))
	}
	write(t, dir, "one.md", strings.Replace(text, "\none\n", "\nedited again\n", 1))
	replace.Match = memory.Match{ID: res.Steps[0].After.ID}
	must(t, p, replace)
	h, err := p.History(context.Background(), replace.Match)
	if err != nil || len(h) != 4 || h[2].After.Content != "edited again" || h[3].Before.Content != "edited again" {
		t.Fatalf("history is %+v, %v", h, err)
	}
}

func TestUnreadableStaysWhereItIs(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	write(t, elsewhere, "target", "outside")
	p := mustOpen(t, dir, file.Options{})
	if _, err := p.Apply(context.Background(), providertest.Add("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "target"), filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "binary.md", "\xff\xfe\x00")
	write(t, dir, "empty.md", "")
	write(t, dir, "huge.md", strings.Repeat("x", 1<<20+1))
	if _, err := p.Repair(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"link", "folder", "binary", "empty", "huge"} {
		ch := providertest.Add("text of " + key)
		ch.Ops[0].Entry.Key = key
		if _, err := p.Apply(context.Background(), ch); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, key+"-2.md")); err != nil {
			t.Errorf("the name of %s.md was reused: %v", key, err)
		}
	}
	if got := read(t, elsewhere, "target"); got != "outside" {
		t.Errorf("the link was followed: %q", got)
	}
	h, err := p.Check(context.Background())
	var codes []string
	for _, x := range h.Problems {
		codes = append(codes, x.Code)
	}
	if want := []string{"not_text", "empty", "not_regular", "too_big", "symlink"}; err != nil || !slices.Equal(codes, want) {
		t.Errorf("check says %+v, %v", h.Problems, err)
	}
	_ = p.Close()
	if q := mustOpen(t, dir, file.Options{}); len(entriesOf(t, q)) != 6 {
		t.Errorf("after reopening: %q", entriesOf(t, q))
	}
}

func TestEditsWhileClosed(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	for _, s := range []string{"kept", "edited", "removed", "renamed"} {
		if _, err := p.Apply(context.Background(), providertest.Add(s)); err != nil {
			t.Fatal(err)
		}
	}
	_ = p.Close()
	text := read(t, dir, "edited.md")
	write(t, dir, "edited.md", text+"and more\n")
	write(t, dir, "copy.md", text)
	if err := errors.Join(os.Remove(filepath.Join(dir, "removed.md")), os.Rename(filepath.Join(dir, "renamed.md"), filepath.Join(dir, "x.md"))); err != nil {
		t.Fatal(err)
	}
	var admitted atomic.Int64
	hooks := memory.Hooks{Admit: func(context.Context, *memory.Entry) error { admitted.Add(1); return nil }}
	want := []string{"edited-2=edited", "edited=edited\nand more", "kept=kept", "renamed=renamed"}
	for range 2 { // the second time nothing is new
		p = mustOpen(t, dir, file.Options{Hooks: hooks})
		if got := entriesOf(t, p); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		_ = p.Close()
	}
	if n := admitted.Load(); n != 3 {
		t.Errorf("%d files went through the gate, want the edited, the copied and the renamed", n)
	}
}

// TestWritersAndEditors lets two providers with 16 writers, and an editor, work
// on one folder: the limit holds to the rune and nothing acknowledged is lost.
func TestWritersAndEditors(t *testing.T) {
	dir := t.TempDir()
	const writers, each, size = 16, 10, 10
	const limit = writers*each*size - 200
	a := mustOpen(t, dir, file.Options{Watcher: &watch.Watcher{}, Hooks: gate(limit)})
	b := mustOpen(t, dir, file.Options{Hooks: gate(limit)})
	var acked sync.Map
	var wg sync.WaitGroup
	for w := range writers {
		p := []*file.Provider{a, b}[w%2]
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprintf("wörd %02d %02d", w, i)
				ch := providertest.Add(text)
				ch.Limit.Runes = limit
				_, err := p.Apply(context.Background(), ch)
				switch {
				case err == nil:
					acked.Store(text, true)
				case memory.KindOf(err) != memory.KindOverLimit:
					t.Errorf("add: %v", err)
				}
				if v, err := p.Load(context.Background()); err != nil || v.Used > limit {
					t.Errorf("used %d of %d: %v", v.Used, limit, err)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 20 {
			write(t, dir, fmt.Sprintf("hand %d.md", i), fmt.Sprintf("hand %02d\n", i))
		}
	})
	wg.Wait()
	eventually(t, "every edit is taken in, or left for lack of room", func() bool {
		h, err := a.Check(context.Background())
		return err == nil && !slices.ContainsFunc(h.Problems, func(p memory.Problem) bool { return p.Code != "over_limit" })
	})
	for _, p := range []*file.Provider{a, b, mustOpen(t, dir, file.Options{Hooks: gate(limit)})} {
		v, err := p.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]int{}
		for _, e := range v.Entries {
			there[e.Content]++
		}
		acked.Range(func(text, _ any) bool {
			if there[text.(string)] != 1 {
				t.Errorf("%q is there %d times", text, there[text.(string)])
			}
			return true
		})
		if v.Used > limit || v.Used <= limit-size {
			t.Errorf("used %d of %d", v.Used, limit)
		}
	}
}

func TestLegacyImport(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "MEMORY.md", "§use tabs\n\n§a SECRET\n§use tabs\n§日本語\n")
	write(t, dir, "USER.md", "§prefers Go\nand this is prose\n")
	p := mustOpen(t, dir, file.Options{Hooks: gate(1000)})
	want := []string{"USER=§prefers Go\nand this is prose", "use-tabs-2=use tabs", "use-tabs=use tabs", "日本語=日本語"}
	if got := entriesOf(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := read(t, dir, "MEMORY.md.imported"); !strings.HasPrefix(got, "§use tabs") {
		t.Errorf("the file became %q", got)
	}
	v, _ := p.Load(context.Background())
	if !slices.ContainsFunc(v.Entries, func(e *memory.Entry) bool { return e.Source.Road == "legacy" }) {
		t.Error("no entry says that it was imported")
	}
	if got := read(t, dir, ".rejected", "MEMORY.md"); got != "a ******\n" {
		t.Errorf("set aside as %q", got)
	}
}
