package file_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// TestFilesAfterPowerLoss: what a loss of power left in files gives way to the
// redo log, and is set aside where it may be a person's. After a crash of the
// process alone such a file is a person's.
func TestFilesAfterPowerLoss(t *testing.T) {
	other, newBoot := "", strings.Repeat("b", 32)
	cases := map[string]struct {
		name string
		text *string // nil: it is gone
		boot string
		want string // a difference to what was acknowledged
		said string // what check says
	}{
		"stale bytes":              {"last.md", new("of another file\n"), newBoot, "", ".rejected/last.md rejected"},
		"of another entry":         {"last.md", &other, newBoot, "", ""},
		"an edit":                  {"last.md", new("of another file\n"), "", "last=of another file", ""},
		"gone":                     {"last.md", nil, newBoot, "", ""},
		"removed, and empty":       {"key-0.md", new(""), newBoot, "", ""},
		"removed, and zeros":       {"key-0.md", new("\x00\x00"), newBoot, "", ""},
		"removed, and stale bytes": {"key-0.md", new("of another file\n"), newBoot, "", ".rejected/key-0.md rejected"},
		"moved, and stale bytes":   {"key-2.md", new("of another file\n"), newBoot, "", ".rejected/key-2.md rejected"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, want := filled(t, true)
			other = read(t, dir, "key-3.md")
			if path := filepath.Join(dir, c.name); c.text == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, dir, c.name, *c.text)
			}
			p := mustOpen(t, dir, file.Options{BootID: c.boot})
			if c.want != "" {
				key, _, _ := strings.Cut(c.want, "=")
				want = append(slices.DeleteFunc(want, func(s string) bool { return strings.HasPrefix(s, key+"=") }), c.want)
				slices.Sort(want)
			}
			if got := entriesOf(t, p); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			h, err := p.Check(context.Background())
			var said []string
			for _, x := range h.Problems {
				said = append(said, x.Path+" "+x.Code)
			}
			if strings.Join(said, ", ") != c.said || err != nil {
				t.Errorf("check: %q, %v", said, err)
			}
			if c.said != "" && read(t, dir, ".rejected/"+c.name) != *c.text {
				t.Error("what was set aside is another text")
			}
		})
	}
}

// TestShortenedAfterPowerLoss: a text that a person cut off is not taken for what a
// loss of power left.
func TestShortenedAfterPowerLoss(t *testing.T) {
	dir := t.TempDir()
	dead := false
	p := mustOpen(t, dir, file.Options{OpenFS: withHook(func(string, string) error {
		if dead {
			return errStopped
		}
		return nil
	})})
	if _, err := p.Apply(context.Background(), providertest.Add("one\ntwo")); err != nil {
		t.Fatal(err)
	}
	dead = true
	_ = p.Close()
	names, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	name := filepath.Base(names[0])
	text := strings.TrimSuffix(read(t, dir, name), "two\n")
	write(t, dir, name, text)
	p = mustOpen(t, dir, file.Options{BootID: strings.Repeat("b", 32)})
	h, err := p.Check(context.Background())
	if err != nil || len(h.Problems) != 1 || read(t, dir, ".rejected/"+name) != text {
		t.Errorf("check: %+v, %v", h.Problems, err)
	}
}

// TestJournalAfterPowerLoss: what stands in the journal behind the last checkpoint
// may be anything, and costs nothing of the history.
func TestJournalAfterPowerLoss(t *testing.T) {
	for _, crash := range []bool{false, true} {
		dir, want := filled(t, crash)
		journal := read(t, dir, "journal.jsonl")
		first, _, _ := strings.Cut(journal, "\n")
		write(t, dir, "journal.jsonl", journal+"stale\nbytes\n"+first+"\n")
		p := mustOpen(t, dir, file.Options{BootID: strings.Repeat("b", 32)})
		if got := entriesOf(t, p); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := read(t, dir, "journal.jsonl"); got != journal {
			t.Errorf("the journal is %q", got)
		}
		healthy(t, p, 0)
	}
}

// TestPutBackBeforePowerLoss: an old version that a person put back is set aside.
func TestPutBackBeforePowerLoss(t *testing.T) {
	dir := t.TempDir()
	dead := false
	opts := file.Options{OpenFS: withHook(func(string, string) error {
		if dead {
			return errStopped
		}
		return nil
	})}
	p := mustOpen(t, dir, opts)
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-a", Key: "a", Content: "text 0"}})
	old := read(t, dir, "a.md")
	for i := 1; i < 4; i++ {
		if i == 3 { // behind a checkpoint
			repair(t, p)
		}
		must(t, p, memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: "a"}, Entry: memory.Entry{Content: fmt.Sprint("text ", i)}, Set: []string{"content"}})
	}
	dead = true
	_ = p.Close()
	write(t, dir, "a.md", old)
	q := mustOpen(t, dir, file.Options{BootID: strings.Repeat("b", 32)})
	if got := entriesOf(t, q); !slices.Equal(got, []string{"a=text 3"}) || read(t, dir, ".rejected/a.md") != old {
		t.Errorf("got %q", got)
	}
}
