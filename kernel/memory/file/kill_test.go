package file_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
)

// childDir makes the test binary a writer of a folder (TestMain).
const (
	childDir      = "RNIXFS_TEST_WRITER"
	childArchives = "RNIXFS_TEST_ARCHIVES"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" && os.Getenv(childArchives) != "" {
		archiveUntilKilled(dir)
		return
	} else if dir != "" {
		writeUntilKilled(dir)
		return
	}
	os.Exit(m.Run())
}

// writeUntilKilled adds entries and pairs of entries and says each that is
// acknowledged on its standard output.
func writeUntilKilled(dir string) {
	p, err := file.Open(context.Background(), dir, file.Options{WALSize: 16 << 10})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	for i := 0; ; i++ {
		text := fmt.Sprintf("%d-%d", os.Getpid(), i)
		ch := memory.Change{Limit: memory.Limit{Runes: 1 << 30}, At: time.Now()}
		for _, half := range []string{"a", "b"} {
			ch.Ops = append(ch.Ops, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: text + half, Content: text + half}})
		}
		if _, err := p.Apply(context.Background(), ch); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println(text)
	}
}

// TestKilledWriters kills writers at random moments, several at work in one
// folder: what they were told is durable is there, once, and pairs are whole.
func TestKilledWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	acked := map[string]bool{}
	const rounds = 6
	// On a busy machine they may have been killed before they wrote anything.
	for round := 0; round < rounds || len(acked) == 0 && round < 10*rounds; round++ {
		var said [3][]string
		done := make(chan error)
		for i := range said {
			go func() {
				done <- runWriter(dir, "", time.Duration((40+rand.IntN(150))*(1+round/rounds))*time.Millisecond, &said[i])
			}()
		}
		for range said {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		for _, lines := range said {
			for _, l := range lines {
				if strings.HasPrefix(l, "error") {
					t.Fatalf("a writer: %s", l)
				}
				acked[l] = true
			}
		}
		checkPairs(t, dir, acked, round)
	}
	if len(acked) == 0 {
		t.Fatal("nothing was written")
	}
}

func runWriter(dir, archives string, life time.Duration, said *[]string) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childArchives+"="+archives)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	timer := time.AfterFunc(life, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil { // a line cut off by the kill was not said
			break
		}
		*said = append(*said, strings.TrimSpace(line))
	}
	_ = cmd.Wait() // killed: an error by design
	return nil
}

func checkPairs(t *testing.T, dir string, acked map[string]bool, round int) {
	t.Helper()
	p := mustOpen(t, dir, file.Options{})
	defer p.Close()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	halves := map[string]int{}
	for _, e := range v.Entries {
		halves[e.Content[:len(e.Content)-1]]++
	}
	for text, n := range halves {
		if n != 2 {
			t.Fatalf("round %d: %d halves of %s", round, n, text)
		}
	}
	for text := range acked {
		if halves[text] != 2 {
			t.Fatalf("round %d: %s was acknowledged and is not there", round, text)
		}
	}
	if onDisk(t, dir) != len(v.Entries) {
		t.Fatalf("round %d: %d files for %d entries", round, onDisk(t, dir), len(v.Entries))
	}
	healthy(t, p, round)
}
