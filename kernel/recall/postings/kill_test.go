package postings

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// victimEnv makes the test binary write to the index in that folder until it is
// killed.
const victimEnv = "RNIXFS_TEST_POSTINGS_DIR"

// victimDocument is the document of a slot: it can be told from the slot what must
// be found.
func victimDocument(slot uint32) Document {
	return Document{
		Fields:  [][]Term{{{"all", 1 + slot%100}, {fmt.Sprint("by", slot%10), 2}}},
		Lengths: []uint32{3},
		Row:     binary.LittleEndian.AppendUint64(nil, uint64(slot)),
	}
}

// victim appends, flushes with the number of slots as the mark, and tells what it
// has flushed.
func victim(dir string) {
	ix, err := Open(testOptions(dir))
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	s := ix.Snapshot()
	slots := s.Slots()
	s.Close()
	for {
		var docs []Document
		for range 1 + r.Intn(40) {
			docs = append(docs, victimDocument(slots))
			slots++
		}
		if _, err := ix.Append(docs); err != nil {
			panic(err)
		}
		if r.Intn(3) == 0 {
			if err := ix.Flush(binary.LittleEndian.AppendUint32(nil, slots)); err != nil {
				panic(err)
			}
			fmt.Println(slots)
		}
	}
}

// TestKill: whenever the writer is killed, the index is as of a flush, and no
// older than the last one that was told.
func TestKill(t *testing.T) {
	rounds := 15
	if testing.Short() {
		rounds = 3
	}
	dir := t.TempDir()
	for round := range rounds {
		told := killed(t, dir, time.Duration(20+17*round)*time.Millisecond)
		ix := mustOpen(t, testOptions(dir))
		slots := uint32(0)
		if mark := ix.Mark(); mark != nil {
			slots = binary.LittleEndian.Uint32(mark)
		}
		if slots < told {
			t.Fatalf("round %d: flushed %d slots, told %d", round, slots, told)
		}
		checkVictim(t, ix, slots)
		if err := ix.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustClose(t, ix)
	}
}

// killed runs a victim for a while and returns what it has told.
func killed(t *testing.T, dir string, after time.Duration) (told uint32) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), victimEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var kill *time.Timer
	for lines.Scan() {
		if kill == nil { // it works
			kill = time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		}
		if _, err := fmt.Sscan(lines.Text(), &told); err != nil {
			t.Fatalf("the writer says %q", lines.Text())
		}
	}
	_ = cmd.Wait()
	return told
}

func checkVictim(t *testing.T, ix *Index, slots uint32) {
	t.Helper()
	s := ix.Snapshot()
	defer s.Close()
	if s.Slots() != slots {
		t.Fatalf("%d slots of %d", s.Slots(), slots)
	}
	next := uint32(0)
	err := s.Each("all", 0, func(slot, freq, length uint32) bool {
		if slot != next || freq != 1+slot%100 || length != 3 || binary.LittleEndian.Uint64(s.Row(slot)) != uint64(slot) {
			t.Fatalf("slot %d for %d, %d times of %d", slot, next, freq, length)
		}
		next++
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range 10 {
		n += len(found(t, s, fmt.Sprint("by", i)))
	}
	if uint32(n) != slots || next != slots {
		t.Fatalf("%d and %d found of %d", n, next, slots)
	}
}
