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

// victimDocument is the document with a number, from which can be told what must
// be found.
func victimDocument(doc uint32) Document {
	return Document{
		Fields:  [][]Term{{{"all", 1 + doc%100}, {fmt.Sprint("by", doc%10), 2}}},
		Lengths: []uint32{3},
		Row:     binary.LittleEndian.AppendUint64(nil, uint64(doc)),
	}
}

// victim appends, flushes with the number of documents as the user data, and tells
// what it has flushed.
func victim(dir string) {
	ix, err := Open(testOptions(dir))
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	s := ix.Snapshot()
	next := s.Docs()
	s.Close()
	for {
		var docs []Document
		for range 1 + r.Intn(40) {
			docs = append(docs, victimDocument(next))
			next++
		}
		if _, err := ix.Append(docs); err != nil {
			panic(err)
		}
		if r.Intn(3) == 0 {
			if err := ix.Flush(binary.LittleEndian.AppendUint32(nil, next)); err != nil {
				panic(err)
			}
			fmt.Println(next)
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
		docs := uint32(0)
		if userData := ix.UserData(); userData != nil {
			docs = binary.LittleEndian.Uint32(userData)
		}
		if docs < told {
			t.Fatalf("round %d: flushed %d docs, told %d", round, docs, told)
		}
		checkVictim(t, ix, docs)
		if err := ix.Verify(); err != nil {
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

func checkVictim(t *testing.T, ix *Index, docs uint32) {
	t.Helper()
	s := ix.Snapshot()
	defer s.Close()
	if s.Docs() != docs {
		t.Fatalf("%d docs of %d", s.Docs(), docs)
	}
	next := uint32(0)
	err := s.Each("all", 0, func(doc, freq, length uint32) bool {
		if doc != next || freq != 1+doc%100 || length != 3 || binary.LittleEndian.Uint64(s.Row(doc)) != uint64(doc) {
			t.Fatalf("doc %d for %d, %d times of %d", doc, next, freq, length)
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
	if uint32(n) != docs || next != docs {
		t.Fatalf("%d and %d found of %d", n, next, docs)
	}
}
