package file_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// archiving is a change that archives what is older than an hour.
func archiving(at time.Time, ops ...memory.Op) memory.Change {
	return memory.Change{
		Ops: ops, At: at, Limit: memory.Limit{Runes: 1 << 30, Lifetimes: memory.Lifetimes{Lifetime: time.Hour, Then: memory.ThenArchive}},
	}
}

// archiveUntilKilled adds entries and has them archived, and says which.
func archiveUntilKilled(dir string) {
	p, err := file.Open(context.Background(), dir, file.Options{WALSize: 16 << 10})
	at := time.Now()
	for i := 0; err == nil; i++ {
		at = at.Add(2 * time.Hour)
		var ops []memory.Op
		for n := range 3 {
			text := fmt.Sprintf("%d-%d-%d", os.Getpid(), i, n)
			ops = append(ops, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: text, Content: text}})
		}
		if _, err = p.Apply(context.Background(), archiving(at, ops...)); err == nil {
			_, err = p.Apply(context.Background(), archiving(at.Add(time.Hour)))
		}
		if err == nil {
			fmt.Printf("%d-%d\n", os.Getpid(), i)
		}
	}
	fmt.Println("error", err)
}

// TestKilledArchiving kills a program while it archives: an entry is in one place, shown
// or archived, those of one sweep alike, and what was said to be archived is.
func TestKilledArchiving(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	acked := map[string]bool{}
	for round := 0; round < 6 || len(acked) == 0 && round < 60; round++ {
		var said []string
		if err := runWriter(dir, "yes", time.Duration((40+rand.IntN(150))*(1+round/6))*time.Millisecond, &said); err != nil {
			t.Fatal(err)
		}
		for _, l := range said {
			if strings.HasPrefix(l, "error") {
				t.Fatalf("the writer: %s", l)
			}
			acked[l] = true
		}
		p := mustOpen(t, dir, file.Options{})
		v, err := p.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		archived, shown := map[string]int{}, map[string]int{}
		for _, e := range v.Entries {
			of := e.ID[:strings.LastIndexByte(e.ID, '-')]
			if e.Archived {
				archived[of]++
			} else {
				shown[of]++
			}
			if on := strings.Contains(read(t, filepath.Join(dir, e.Key+".md")), "archived: true"); on != e.Archived {
				t.Errorf("%s: archived %v, in its file %v", e.ID, e.Archived, on)
			}
		}
		for of, n := range archived {
			if n != 3 || shown[of] != 0 {
				t.Errorf("round %d: of %s %d are archived, %d shown", round, of, n, shown[of])
			}
		}
		for of := range acked {
			if archived[of] != 3 {
				t.Errorf("round %d: %s was archived and is not", round, of)
			}
		}
		if n := onDisk(t, dir); n != len(v.Entries) {
			t.Errorf("round %d: %d files for %d entries", round, n, len(v.Entries))
		}
		healthy(t, p, round)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(acked) == 0 {
		t.Fatal("nothing was archived")
	}
}

// TestArchivedByHand: a person archives an entry by a line in its file, and brings it
// back by taking the line out; an edit of what has ended keeps it.
func TestArchivedByHand(t *testing.T) {
	dir := t.TempDir()
	now := providertest.Start
	lifetimes := memory.Lifetimes{Lifetime: time.Hour, Then: memory.ThenArchive}
	limit := memory.Limit{Runes: 100, Lifetimes: lifetimes}
	p := mustOpen(t, dir, file.Options{Clock: func() time.Time { return now }, Hooks: memory.Hooks{Limit: func() memory.Limit { return limit }}})
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "a", Key: "a", Content: "tabs"}})
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "b", Key: "b", Content: "spaces"}})
	want := func(when, shown string, used int) {
		t.Helper()
		v, err := p.Load(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		v = v.Live(&lifetimes, now, false)
		if got := strings.Join(texts(v), " "); got != shown || v.Used != used {
			t.Errorf("%s: %q, used %d", when, got, v.Used)
		}
	}
	text := read(t, filepath.Join(dir, "a.md"))
	write(t, dir, "a.md", strings.Replace(text, "revision:", "archived: true\nrevision:", 1))
	repair(t, p)
	want("archived", "b=spaces", 6)
	write(t, dir, "a.md", text)
	repair(t, p)
	want("brought back", "a=tabs b=spaces", 10)
	now = now.Add(2 * time.Hour)
	want("ended", "", 0)
	write(t, dir, "b.md", strings.Replace(read(t, filepath.Join(dir, "b.md")), "spaces", "two spaces", 1))
	repair(t, p)
	want("edited", "b=two spaces", 10)
	if !strings.Contains(read(t, filepath.Join(dir, "a.md")), "archived: true") {
		t.Error("the other one is not archived")
	}
}
