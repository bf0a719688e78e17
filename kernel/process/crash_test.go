package process_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// childDir makes the test binary a writer of a store (TestMain).
const childDir = "RNIXFS_TEST_PROCESS_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		writeUntilKilled(dir)
		return
	}
	os.Exit(m.Run())
}

// writeUntilKilled begins conversations and adds turns, and says each turn that
// was acknowledged. All writers have conversation 0 in common.
func writeUntilKilled(dir string) {
	s, err := process.Open(dir, process.Options{Redact: mask})
	for i := 0; err == nil; i++ {
		external := "0"
		if i%3 == 0 {
			external = fmt.Sprintf("%d-%d", os.Getpid(), i/30)
		}
		var p process.Conversation
		p, err = s.Begin(context.Background(), process.Conversation{Project: "/p", Agent: "a", External: external, Title: fmt.Sprint("title ", i)})
		if err != nil {
			break
		}
		ids := []string{fmt.Sprintf("%d-%d-a", os.Getpid(), i), fmt.Sprintf("%d-%d-b", os.Getpid(), i)}
		// Turns of all lengths, so that writes are cut off in between.
		text := strings.Repeat("z", rand.IntN(200000)>>rand.IntN(12))
		_, err = s.Append(context.Background(), p.Project, p.UUID, []process.Turn{user(ids[0], text), user(ids[1], text)})
		if err == nil {
			fmt.Println(external, ids[0], len(text))
			fmt.Println(external, ids[1], len(text))
		}
	}
	fmt.Println("error", err)
}

// TestCrash kills writers at random moments, two at work in one store: what they
// were told is there, once and whole. RNIXFS_CRASH_ROUNDS sets the rounds.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	rounds, err := strconv.Atoi(os.Getenv("RNIXFS_CRASH_ROUNDS"))
	if err != nil {
		rounds = 8
	}
	dir := t.TempDir()
	acked := map[string]map[string]int{} // conversation -> turn -> length
	// On a busy machine they may have been killed before they wrote anything.
	for round := 0; round < rounds || len(acked) == 0 && round < 10*rounds; round++ {
		var said [2][]string
		done := make(chan error)
		for i := range said {
			go func() {
				done <- runWriter(dir, time.Duration((20+rand.IntN(150))*(1+round/rounds))*time.Millisecond, &said[i])
			}()
		}
		for range said {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range append(said[0], said[1]...) {
			f := strings.Fields(line)
			if f[0] == "error" {
				t.Fatal(line)
			}
			if acked[f[0]] == nil {
				acked[f[0]] = map[string]int{}
			}
			acked[f[0]][f[1]], _ = strconv.Atoi(f[2])
		}
		checkAcked(t, dir, acked, round)
	}
	if len(acked) == 0 {
		t.Fatal("nothing was written")
	}
}

func runWriter(dir string, life time.Duration, said *[]string) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	timer := time.AfterFunc(life, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err != nil { // a line cut off by the kill was not said
			break
		}
		*said = append(*said, strings.TrimSpace(line))
	}
	_ = cmd.Wait() // killed: an error by design
	return nil
}

func checkAcked(t *testing.T, dir string, acked map[string]map[string]int, round int) {
	t.Helper()
	s := open(t, dir, process.Options{})
	for p, err := range s.Conversations(t.Context(), "/p") {
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		// The next append mends what is torn; then nothing broken is left.
		add(t, s, p, user("mender", "x"))
		seen := map[string]int{}
		for turn, err := range s.Turns(t.Context(), "/p", p.UUID, process.Position{}) {
			if err != nil {
				t.Fatal(err)
			}
			seen[turn.ID]++
			if want, ok := acked[p.External][turn.ID]; ok && want != len(turn.Content) {
				t.Errorf("round %d: turn %s has %d bytes, want %d", round, turn.ID, len(turn.Content), want)
			}
		}
		for id := range acked[p.External] {
			if seen[id] != 1 {
				t.Errorf("round %d: acknowledged turn %s is there %d times", round, id, seen[id])
			}
		}
		e, err := s.Examine(t.Context(), "/p", p.UUID)
		if err != nil || e.Broken > 0 || e.Torn > 0 {
			t.Errorf("round %d: %+v, %v", round, e, err)
		}
	}
	for external := range acked {
		if _, err := s.Conversation(t.Context(), "/p", process.ID(0, "a", external)); err != nil {
			t.Errorf("round %d: conversation %s: %v", round, external, err)
		}
	}
}
