package file_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// TestRemovedStaysAway: what a person removed comes back by a person alone, whatever
// else was removed since, by another process and after the journal is lost.
func TestRemovedStaysAway(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	at := providertest.Start.Add(time.Hour)
	person := func(op memory.Op) memory.Change {
		ch := providertest.Change(op)
		ch.At, ch.Said, ch.Actor = at, at, memory.Source{Trust: memory.TrustHuman}
		return ch
	}
	learned := func(text string, said time.Time) memory.Change {
		ch := providertest.Add(text)
		ch.At, ch.Said, ch.Actor = at.Add(time.Hour), said, memory.Source{Trust: memory.TrustExtracted}
		return ch
	}
	apply := func(ch memory.Change, want memory.Kind) *memory.Entry {
		t.Helper()
		res, err := p.Apply(context.Background(), ch)
		if (err != nil) != (want != 0) || err != nil && memory.KindOf(err) != want {
			t.Fatalf("%v, want %v", err, want)
		}
		if err != nil {
			return nil
		}
		return res.Steps[0].After
	}
	remove := func(text string) memory.Op {
		return memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: text}}
	}
	const text = "Never deploy on Fridays."
	old := apply(providertest.Add(text), 0)
	committed := read(t, filepath.Join(dir, "never-deploy-on-fridays.md"))
	apply(person(remove(text)), 0)
	apply(providertest.Add("by an agent"), 0)
	apply(providertest.Change(remove("by an agent")), 0)
	apply(providertest.Add("..."), 0) // nothing to compare it by
	apply(person(remove("...")), 0)
	many := providertest.Change()
	for i := range 3000 {
		many.Ops = append(many.Ops, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: fmt.Sprint("n", i), Content: fmt.Sprint("note ", i)}})
	}
	apply(many, 0)
	for i := range many.Ops {
		many.Ops[i] = memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: fmt.Sprint("n", i)}}
	}
	apply(many, 0)

	refused := func(when string) {
		t.Helper()
		for _, again := range []string{text, "never  DEPLOY on\nfridays", "Never deploy on Fri\u00addays!"} {
			apply(providertest.Add(again), memory.KindRemoved)
		}
		apply(providertest.Change(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: old.ID}, Entry: *old}), memory.KindRemoved)
		apply(learned(text, at.Add(-time.Minute)), memory.KindRemoved)
		apply(learned("by an agent", time.Time{}), memory.KindRemoved)
		write(t, dir, "again.md", text+"\n")
		write(t, dir, "never-deploy-on-fridays.md", committed) // git checkout
		repair(t, p)
		if _, err := os.Stat(filepath.Join(dir, "never-deploy-on-fridays.md")); !os.IsNotExist(err) {
			t.Errorf("%s: %v", when, err)
		}
		if v, err := p.Load(context.Background()); err != nil || len(v.Entries) != 0 {
			t.Errorf("%s: %d entries, %v", when, len(v.Entries), err)
		}
	}
	reopen := func() *file.Provider {
		t.Helper()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		return mustOpen(t, dir, file.Options{})
	}
	refused("at once")
	p = reopen()
	refused("opened again")
	if raw := read(t, filepath.Join(dir, ".removed")); len(raw) != 24*(1+1+1+1+3000) || strings.Contains(raw, "riday") {
		t.Errorf(".removed has %d bytes", len(raw))
	}
	hand{t, dir}.do("rm journal.jsonl")
	p = reopen()
	refused("without the journal")

	apply(providertest.Add("by an agent"), 0) // its own removal is no verdict
	apply(learned(text, at.Add(time.Minute)), 0)
	apply(person(remove(text)), 0)
	apply(person(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "x", Content: "never deploy on fridays"}}), 0)
	apply(providertest.Add(text), 0) // brought back for all
	again := person(remove("never deploy on fridays"))
	again.Ops = append(again.Ops, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "y", Content: "never deploy on fridays"}})
	apply(again, 0) // removed and added in one: it is there
	apply(providertest.Change(remove("never deploy on fridays")), 0)
	apply(providertest.Add("never deploy on fridays"), 0)
}

// TestDeletedByHand: the text of a file that was deleted comes back as a file, and by a
// person, and by nobody else.
func TestDeletedByHand(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	write(t, dir, "a.md", "use tabs\n")
	write(t, dir, "b.md", "use spaces\n")
	write(t, dir, "copy.md", "use spaces\n")
	repair(t, p)
	hand{t, dir}.do("rm a.md")
	hand{t, dir}.do("rm b.md")
	repair(t, p)
	_, err := p.Apply(context.Background(), providertest.Add("Use tabs."))
	if memory.KindOf(err) != memory.KindRemoved {
		t.Errorf("an agent's add: %v", err)
	}
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "i", Content: "use spaces"}}) // another file has it
	write(t, dir, "a.md", "use tabs\n")
	repair(t, p)
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "j", Content: "Use tabs."}})
}

// TestForeignTombstones: what stands in the place of the tombstones and is not this
// user's binds nobody, is never written, and does not keep memory from working.
func TestForeignTombstones(t *testing.T) {
	outside, theirs := filepath.Join(t.TempDir(), "outside"), t.TempDir()
	project := func(dir string) *file.Provider {
		keys := t.TempDir()
		return mustOpen(t, dir, file.Options{Within: filepath.Dir(dir), UsualKey: filepath.Join(keys, "usual"), KeyFile: filepath.Join(keys, "key")})
	}
	p := project(theirs)
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "i", Content: "a"}})
	hand{t, theirs}.do("rm a.md")
	repair(t, p)
	theirs = filepath.Join(theirs, ".removed")
	for what, plant := range map[string]string{
		"other bytes": "printf %024d 7 > .removed; cat .removed .removed > x; mv x .removed", "a sparse file": "truncate -s 2G .removed",
		"a link": "ln -s " + outside + " .removed", "a hard link": "ln " + outside + " .removed",
		"a fifo": "mkfifo .removed", "a folder": "mkdir .removed", "an empty file": ": > .removed",
		"another user's": "cp " + theirs + " .removed",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		sh := exec.Command("sh", "-c", plant)
		if sh.Dir = dir; sh.Run() != nil {
			t.Fatal(plant)
		}
		p := project(dir)
		for range 2 {
			must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "i", Content: "a"}})
			ch := providertest.Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: "i"}})
			if _, err := p.Apply(context.Background(), ch); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if got := read(t, outside); got != "mine" {
			t.Errorf("%s: the file outside has %q", what, got)
		}
	}
}
