package file_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// hand is a person at work in a folder. Each of a step's calls is one that the
// watch may see alone.
type hand struct {
	t   testing.TB
	dir string
}

func (h hand) do(step string) {
	h.t.Helper()
	args := strings.Fields(step)
	path := func(i int) string { return filepath.Join(h.dir, args[i]) }
	var err error
	switch args[0] {
	case "mv":
		err = os.Rename(path(1), path(2))
	case "rm":
		err = os.Remove(path(1))
	case "cp":
		var data []byte
		if data, err = os.ReadFile(path(1)); err == nil {
			err = os.WriteFile(path(2), data, 0o600)
		}
	case "edit": // the last line
		var data []byte
		if data, err = os.ReadFile(path(1)); err == nil {
			text := strings.TrimSuffix(string(data), "\n")
			text = text[:strings.LastIndex(text, "\n")+1] + args[2] + "\n"
			err = os.WriteFile(path(1), []byte(text), 0o600)
		}
	case "plain": // a text without an id
		err = os.WriteFile(path(1), []byte(args[2]+"\n"), 0o600)
	case "unkey":
		var data []byte
		if data, err = os.ReadFile(path(1)); err == nil {
			_, rest, _ := strings.Cut(string(data), "\nkey: ")
			id, _, _ := strings.Cut(string(data), "\nkey: ")
			_, rest, _ = strings.Cut(rest, "\n")
			err = os.WriteFile(path(1), []byte(id+"\n"+rest), 0o600)
		}
	default:
		h.t.Fatalf("step %q", step)
	}
	if err != nil {
		h.t.Fatalf("%s: %v", step, err)
	}
}

// byID is the entries' contents by their ids; new ids are told as their content's.
func byID(t testing.TB, p *file.Provider, known map[string]string) []string {
	t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range v.Entries {
		name := "new"
		for short, id := range known {
			if id == e.ID {
				name = short
			}
		}
		out = append(out, name+"="+e.Content)
	}
	slices.Sort(out)
	return out
}

var renames = []struct {
	name   string
	steps  []string
	want   []string
	copies int // files that name another entry's id
	keys   []string
}{
	{"swap", []string{"mv a.md t", "mv b.md a.md", "mv t b.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"swap through an entry's name", []string{"mv a.md t.md", "mv b.md a.md", "mv t.md b.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"swap and edit", []string{"mv a.md t.md", "mv b.md a.md", "mv t.md b.md", "edit a.md B", "edit b.md A"}, []string{"a=A", "b=B", "c=c"}, 0, []string{"a", "b", "c"}},
	{"cycle of three", []string{"mv a.md t", "mv c.md a.md", "mv b.md c.md", "mv t b.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"chain", []string{"mv c.md d.md", "mv b.md c.md", "mv a.md b.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"over another", []string{"mv b.md a.md"}, []string{"b=b", "c=c"}, 0, []string{"b", "c"}},
	{"over another with an edit", []string{"edit b.md B", "mv b.md a.md"}, []string{"b=B", "c=c"}, 0, []string{"b", "c"}},
	{"over another, and a new one", []string{"mv b.md a.md", "plain b.md fresh"}, []string{"b=b", "c=c", "new=fresh"}, 0, nil},
	{"a new one at the old name", []string{"mv a.md x.md", "plain a.md fresh"}, []string{"a=a", "b=b", "c=c", "new=fresh"}, 0, nil},
	{"a copy", []string{"cp a.md d.md"}, []string{"a=a", "b=b", "c=c", "new=a"}, 1, nil},
	{"a copy over another", []string{"cp a.md b.md"}, []string{"a=a", "b=a", "c=c"}, 1, nil},
	{"a copy over another, then the first goes", []string{"cp a.md b.md", "rm a.md"}, []string{"a=a", "c=c"}, 0, nil},
	{"renamed as copy and removal", []string{"cp a.md d.md", "rm a.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"swap with a copy beside", []string{"cp a.md d.md", "mv a.md t.md", "mv b.md a.md", "mv t.md b.md", "rm d.md"}, []string{"a=a", "b=b", "c=c"}, 0, nil},
	{"a plain text at its place", []string{"plain a.md A"}, []string{"a=A", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"removed", []string{"rm a.md"}, []string{"b=b", "c=c"}, 0, []string{"b", "c"}},
	{"a secret renamed", []string{"edit a.md SECRET", "mv a.md x.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"a secret over another", []string{"edit a.md SECRET", "mv a.md b.md"}, []string{"a=a", "c=c"}, 0, []string{"a", "c"}},
	{"a secret swapped", []string{"edit a.md SECRET", "mv a.md t.md", "mv b.md a.md", "mv t.md b.md"}, []string{"a=a", "b=b", "c=c"}, 0, []string{"a", "b", "c"}},
	{"swapped without keys", []string{"unkey a.md", "unkey b.md", "mv a.md t.md", "mv b.md a.md", "mv t.md b.md"}, []string{"a=a", "b=b", "c=c"}, 0, nil},
}

// TestRenames moves files by hand in every way that matters, and lets the folder
// see it in every way: the end is the same.
func TestRenames(t *testing.T) {
	for _, c := range renames {
		for _, how := range []string{"at once", "step by step", "watched", "closed", "by a change"} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				opts := file.Options{Hooks: gate(1000), Watcher: watcherIf(how == "watched")}
				p := mustOpen(t, dir, opts)
				ids := map[string]string{}
				for _, s := range []string{"a", "b", "c"} {
					ids[s] = must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + s, Key: s, Content: s}}).Steps[0].After.ID
				}
				if how == "closed" {
					_ = p.Close()
				}
				for _, step := range c.steps {
					hand{t, dir}.do(step)
					if how == "step by step" {
						repair(t, p)
					}
				}
				switch how {
				case "at once":
					repair(t, p)
				case "watched":
					eventually(t, "settled", func() bool { return slices.Equal(byID(t, p, ids), c.want) && calm(t, p) })
				case "closed":
					p = mustOpen(t, dir, opts)
				case "by a change":
					for _, id := range slices.Sorted(maps.Values(ids)) { // an absent one is looked for
						_, _ = p.Apply(context.Background(), providertest.Change(memory.Op{
							Action: memory.ActionReplace, Match: memory.Match{ID: id}, Entry: memory.Entry{Category: "seen"}, Set: []string{"category"},
						}))
					}
					repair(t, p)
				}
				settled := func(p *file.Provider) {
					t.Helper()
					if got := byID(t, p, ids); !slices.Equal(got, c.want) {
						t.Fatalf("got %q, want %q", got, c.want)
					}
					h, err := p.Check(context.Background())
					n := 0
					for _, problem := range h.Problems {
						if problem.Code == "duplicate_id" {
							n++
						} else if problem.Code != "rejected" {
							t.Errorf("check: %+v", problem)
						}
					}
					if err != nil || how != "by a change" && n != c.copies {
						t.Errorf("check says %+v, %v", h, err)
					}
					if keys := keysOf(t, p); c.keys != nil && !slices.Equal(keys, c.keys) {
						t.Errorf("keys are %q, want %q", keys, c.keys)
					}
					crossed(t, p, ids)
				}
				settled(p)
				v, _ := p.Load(context.Background())
				settled(mustOpen(t, dir, file.Options{Hooks: gate(1000)})) // another process
				_ = p.Close()
				q := mustOpen(t, dir, opts)
				settled(q)
				if w, _ := q.Load(context.Background()); w.Sequence != v.Sequence {
					t.Errorf("opening it again made %d changes", w.Sequence-v.Sequence)
				}
			})
		}
	}
}

func repair(t testing.TB, p *file.Provider) {
	t.Helper()
	if _, err := p.Repair(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func calm(t testing.TB, p *file.Provider) bool {
	t.Helper()
	h, err := p.Check(context.Background())
	return err == nil && !slices.ContainsFunc(h.Problems, func(p memory.Problem) bool { return p.Code == "edited" })
}

func keysOf(t testing.TB, p *file.Provider) []string {
	t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, e := range v.Entries {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return keys
}

// crossed fails where a history has a text of another entry's. The entry a is
// only ever a, A or SECRET; a copy over b is b's by the rule for copies.
func crossed(t testing.TB, p *file.Provider, ids map[string]string) {
	t.Helper()
	for short, id := range ids {
		h, err := p.History(context.Background(), memory.Match{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h {
			for _, e := range []*memory.Entry{r.Before, r.After} {
				if e == nil || strings.EqualFold(e.Content, short) {
					continue
				}
				if short == "b" && e.Content == "a" && strings.Contains(t.Name(), "a_copy_over") || strings.Contains(t.Name(), "new_one") && e.Content == "fresh" {
					continue
				}
				t.Errorf("the history of %s has %q", short, e.Content)
			}
		}
	}
}

// TestHandsAndModel does random things to files by hand and compares, whenever the
// folder was settled, with a model that knows only what stands in the files.
func TestHandsAndModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // one for each check
		if err != nil {
			rt.Fatal(err)
		}
		opts := file.Options{Hooks: gate(1 << 20), Watcher: watcherIf(rapid.Bool().Draw(rt, "watched"))}
		p := mustOpen(t, dir, opts)
		const n = 4
		for i := range n {
			id := fmt.Sprintf("id-%d", i)
			must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: id, Key: fmt.Sprint("k", i), Content: id}})
		}
		h := hand{t, dir}
		texts := 0
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			names := entryFiles(t, dir)
			any := []string{"k0.md", "k1.md", "k2.md", "k3.md", "x.md", "y.md", "aside"}
			to := rapid.SampledFrom(any).Draw(rt, "to")
			act := rapid.SampledFrom([]string{"mv", "mv", "mv", "swap", "swap", "cp", "rm", "edit", "secret", "settle", "settle", "wait", "reopen", "change"}).Draw(rt, "act")
			if len(names) == 0 && !slices.Contains([]string{"settle", "wait", "reopen"}, act) {
				continue
			}
			from := ""
			if len(names) > 0 {
				from = rapid.SampledFrom(names).Draw(rt, "from")
			}
			switch act {
			case "mv", "cp":
				if from != to {
					h.do(act + " " + from + " " + to)
				}
			case "swap":
				if other := rapid.SampledFrom(names).Draw(rt, "with"); other != from {
					h.do("mv " + from + " .between")
					h.do("mv " + other + " " + from)
					h.do("mv .between " + other)
				}
			case "rm":
				h.do("rm " + from)
			case "edit":
				texts++
				h.do(fmt.Sprintf("edit %s text%d", from, texts))
			case "secret":
				h.do("edit " + from + " SECRET")
			case "wait":
				if opts.Watcher != nil {
					time.Sleep(time.Duration(rapid.IntRange(0, 120).Draw(rt, "ms")) * time.Millisecond)
				}
			case "settle":
				repair(t, p)
				agrees(rt, t, p, dir)
			case "reopen":
				_ = p.Close()
				p = mustOpen(t, dir, opts)
				agrees(rt, t, p, dir)
			case "change": // an entry by its id, wherever its file is by now
				id := fmt.Sprintf("id-%d", rapid.IntRange(0, n-1).Draw(rt, "id"))
				texts++
				text := fmt.Sprintf("text%d", texts)
				_, err := p.Apply(context.Background(), providertest.Change(memory.Op{
					Action: memory.ActionReplace, Match: memory.Match{ID: id}, Entry: memory.Entry{Content: text}, Set: []string{"content"},
				}))
				if err != nil && memory.KindOf(err) != memory.KindNotFound {
					rt.Fatal(err)
				}
			}
		}
		repair(t, p)
		agrees(rt, t, p, dir)
		before := byID(t, p, nil)
		_ = p.Close()
		p = mustOpen(t, dir, opts)
		agrees(rt, t, p, dir)
		if after := byID(t, p, nil); !slices.Equal(before, after) {
			rt.Fatalf("opened again: %q, before %q", after, before)
		}
		_ = p.Close()
	})
}

func entryFiles(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "aside")); err == nil {
		paths = append(paths, "aside")
	}
	for i, p := range paths {
		paths[i] = filepath.Base(p)
	}
	return paths
}

// agrees compares the entries with the files: each file is one entry, an id that
// stands in one file only is that file's, and no entry is without a file.
func agrees(rt *rapid.T, t testing.TB, p *file.Provider, dir string) {
	t.Helper()
	files := map[string][]string{} // contents by id
	var contents []string
	for _, name := range entryFiles(t, dir) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		text := read(t, dir, name)
		_, rest, _ := strings.Cut(text, "id: ")
		id, _, _ := strings.Cut(rest, "\n")
		id = strings.Trim(id, `"`)
		text = strings.TrimSuffix(text, "\n")
		content := text[strings.LastIndex(text, "\n")+1:]
		files[id] = append(files[id], content)
		contents = append(contents, content)
	}
	v, err := p.Load(context.Background())
	if err != nil {
		rt.Fatal(err)
	}
	have, ids := []string{}, map[string]string{}
	for _, e := range v.Entries {
		have = append(have, e.Content)
		ids[e.ID] = e.Content
	}
	slices.Sort(have)
	slices.Sort(contents)
	if !slices.Equal(have, contents) {
		rt.Fatalf("entries are %q, files %q", have, contents)
	}
	for id, in := range files {
		if content, ok := ids[id]; len(in) == 1 && (!ok || content != in[0]) {
			rt.Fatalf("%s is %q, its one file says %q", id, content, in[0])
		}
		if _, ok := ids[id]; !ok {
			rt.Fatalf("%s stands in %d files and is no entry", id, len(in))
		}
	}
}

// TestRemovedBesideACopy removes an entry whose id stands in a copy's file, too:
// the copy stays an entry of its own, whatever happens to it, and the removed one
// does not come back.
func TestRemovedBesideACopy(t *testing.T) {
	for _, closed := range []bool{false, true} {
		dir := t.TempDir()
		p := mustOpen(t, dir, file.Options{})
		must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-a", Key: "a", Content: "a"}})
		h := hand{t, dir}
		h.do("cp a.md b.md")
		repair(t, p)
		must(t, p, memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: "id-a"}})
		if closed {
			_ = p.Close()
		}
		h.do("edit b.md B")
		if closed {
			p = mustOpen(t, dir, file.Options{})
		}
		repair(t, p)
		if got := byID(t, p, map[string]string{"a": "id-a"}); !slices.Equal(got, []string{"new=B"}) {
			t.Errorf("closed=%t: got %q", closed, got)
		}
	}
}

// TestMovedInTheGap moves files between a change's last look and its rename: the
// change holds, what it took away does not come back, and nothing else is lost.
func TestMovedInTheGap(t *testing.T) {
	for _, act := range []memory.Action{memory.ActionReplace, memory.ActionRemove} {
		for _, steps := range [][]string{{"mv a.md t", "mv b.md a.md", "mv t b.md"}, {"mv a.md x.md"}, {"mv a.md x.md", "mv b.md a.md"}} {
			t.Run(fmt.Sprint(act, len(steps)), func(t *testing.T) {
				dir := t.TempDir()
				armed := false
				hook := func(op, _ string) error {
					if op == "rename" && armed {
						armed = false
						for _, step := range steps {
							hand{t, dir}.do(step)
						}
					}
					return nil
				}
				p := mustOpen(t, dir, file.Options{OpenFS: withHook(hook)})
				for _, s := range []string{"a", "b"} {
					must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + s, Key: s, Content: s}})
				}
				armed = true
				must(t, p, memory.Op{Action: act, Match: memory.Match{ID: "id-a"}, Entry: memory.Entry{Content: "A"}, Set: []string{"content"}})
				if armed {
					t.Fatal("nothing was moved")
				}
				repair(t, p)
				want := []string{"a=A", "b=b"}
				if act == memory.ActionRemove {
					want = want[1:]
				}
				if got := byID(t, p, map[string]string{"a": "id-a", "b": "id-b"}); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
}

// TestMovedWhileReplaced has a person exchange two files, step by step, while one of
// the entries is replaced in between, in the gap of each step or between them: both
// are there at the end, the one with its newest text, and each step finds its file.
func TestMovedWhileReplaced(t *testing.T) {
	steps := []string{"mv a.md t.md", "mv b.md a.md", "mv t.md b.md"}
	for gaps := range 1 << len(steps) {
		for _, which := range []string{"a", "b"} {
			t.Run(fmt.Sprint(gaps, which), func(t *testing.T) {
				dir := t.TempDir()
				var armed string
				hook := func(op, _ string) error {
					if op == "rename" && armed != "" {
						step := armed
						armed = ""
						hand{t, dir}.do(step)
					}
					return nil
				}
				p := mustOpen(t, dir, file.Options{OpenFS: withHook(hook)})
				for _, s := range []string{"a", "b"} {
					must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + s, Key: s, Content: s}})
				}
				want := map[string]string{"a": "a", "b": "b"}
				for i, step := range steps {
					if gaps&(1<<i) != 0 {
						armed = step
					} else {
						hand{t, dir}.do(step)
					}
					want[which] = fmt.Sprint("text ", i)
					must(t, p, memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: "id-" + which}, Entry: memory.Entry{Content: want[which]}, Set: []string{"content"}})
					if armed != "" {
						t.Fatalf("%s: nothing was moved", step)
					}
				}
				repair(t, p)
				if got := byID(t, p, map[string]string{"a": "id-a", "b": "id-b"}); !slices.Equal(got, []string{"a=" + want["a"], "b=" + want["b"]}) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
}

// TestCrashAfterRenames loses the machine after files were moved by hand and taken
// in, and perhaps moved back: what the redo log tells overwrites no other entry.
func TestCrashAfterRenames(t *testing.T) {
	swap := []string{"mv a.md t", "mv b.md a.md", "mv t b.md"}
	for _, c := range []struct {
		name        string
		first, then []string
		want        []string
	}{
		{"swap", swap, nil, []string{"a=a", "b=b", "c=c"}},
		{"swap and back", swap, swap, []string{"a=a", "b=b", "c=c"}},
		{"swap and once more", swap, []string{"mv a.md t", "mv c.md a.md", "mv t c.md"}, []string{"a=a", "b=b", "c=c"}},
		{"over another", []string{"mv b.md a.md"}, nil, []string{"b=b", "c=c"}},
		{"over another and on", []string{"mv b.md a.md"}, []string{"mv c.md b.md"}, []string{"b=b", "c=c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, after := t.TempDir(), t.TempDir()
			ids := map[string]string{"a": "id-a", "b": "id-b", "c": "id-c"}
			p := mustOpen(t, dir, file.Options{BootID: "00000000-0000-0000-0000-000000000001"})
			for _, s := range []string{"a", "b", "c"} {
				must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + s, Key: s, Content: s}})
			}
			repair(t, p)
			for _, step := range c.first {
				hand{t, dir}.do(step)
			}
			// A change that misses its entry's file settles, and makes no checkpoint.
			_, _ = p.Apply(context.Background(), providertest.Change(memory.Op{
				Action: memory.ActionReplace, Match: memory.Match{ID: "id-a"}, ExpectedRevision: 99, Entry: memory.Entry{Category: "x"}, Set: []string{"category"},
			}))
			must(t, p, memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: "id-b"}, Entry: memory.Entry{Category: "x"}, Set: []string{"category"}})
			for _, step := range c.then {
				hand{t, dir}.do(step)
			}
			if err := os.CopyFS(after, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(after, ".lock")); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				q := mustOpen(t, after, file.Options{BootID: "00000000-0000-0000-0000-000000000002"})
				if got := byID(t, q, ids); !slices.Equal(got, c.want) {
					t.Fatalf("got %q, want %q", got, c.want)
				}
				crossed(t, q, ids)
				_ = q.Close()
			}
		})
	}
}

// TestExpiredAndMoved does things to the file of an entry whose time is over: it
// goes, and holds up nothing.
func TestExpiredAndMoved(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string
		want  []string
	}{
		"removed":            {[]string{"rm a.md"}, []string{"b=b", "c=c"}},
		"removed, one edits": {[]string{"rm a.md", "edit b.md B"}, []string{"b=B", "c=c"}},
		"renamed":            {[]string{"mv a.md x.md"}, []string{"b=b", "c=c"}},
		"overwritten":        {[]string{"mv b.md a.md"}, []string{"b=b", "c=c"}},
		"exchanged":          {[]string{"mv a.md t", "mv b.md a.md", "mv t b.md"}, []string{"b=b", "c=c"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			now := time.Now()
			p := mustOpen(t, dir, file.Options{Clock: func() time.Time { return now }})
			soon := now.Add(time.Minute)
			must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-a", Key: "a", Content: "a", Expires: &soon}})
			for _, s := range []string{"b", "c"} {
				must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + s, Key: s, Content: s}})
			}
			now = now.Add(time.Hour)
			for _, step := range c.steps {
				hand{t, dir}.do(step)
			}
			ch := providertest.Change(memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: "id-c"}, Entry: memory.Entry{Category: "x"}, Set: []string{"category"}})
			ch.At = now
			if _, err := p.Apply(context.Background(), ch); err != nil {
				t.Fatal(err)
			}
			repair(t, p)
			if got := byID(t, p, map[string]string{"a": "id-a", "b": "id-b", "c": "id-c"}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
