package recall_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// childDir makes the test binary keep and index conversations (TestMain).
const childDir = "RNIXFS_TEST_RECALL_WRITER"

func init() {
	recall.Child = func() bool {
		dir := os.Getenv(childDir)
		if dir != "" {
			indexUntilKilled(dir)
		}
		return dir != ""
	}
}

// indexUntilKilled adds turns, indexes them, and says the word of each turn that was
// acknowledged. Flushes follow one another closely, so that many are cut off.
func indexUntilKilled(dir string) {
	err := func() error {
		s, err := process.Open(dir, process.Options{
			Redact: func(_ context.Context, text string) (string, bool, error) { return text, false, nil },
		})
		if err != nil {
			return err
		}
		l := recall.NewIndexes(recall.IndexesOptions{Quiet: time.Millisecond})
		for i := 0; ; i++ {
			p, err := s.Begin(context.Background(), process.Conversation{Project: shop, Agent: "a", External: strconv.Itoa(i % 7)})
			if err != nil {
				return err
			}
			var turns []process.Turn
			var words []string
			for k := range 1 + rand.IntN(20) {
				word := fmt.Sprintf("w%dx%dx%dz", os.Getpid(), i, k)
				words = append(words, word)
				turns = append(turns, process.Turn{Role: process.RoleUser, Content: word + strings.Repeat(" and more of it", rand.IntN(30))})
			}
			if _, err := s.Append(context.Background(), shop, p.UUID, turns); err != nil {
				return err
			}
			fmt.Println(strings.Join(words, " "))
			if _, _, err := l.Index(context.Background(), s, shop); err != nil {
				return err
			}
		}
	}()
	fmt.Println("error", err)
}

// TestKilledWhileIndexing kills a process that indexes, at random moments: the next
// one answers from what was durable, and after catching up it finds every turn that
// was acknowledged, once. RNIXFS_CRASH_ROUNDS sets the rounds.
func TestKilledWhileIndexing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	rounds, err := strconv.Atoi(os.Getenv("RNIXFS_CRASH_ROUNDS"))
	if err != nil {
		rounds = 6
	}
	dir := t.TempDir()
	var acked []string
	slowest := time.Duration(0)
	for round := range rounds {
		acked = append(acked, runIndexer(t, dir, time.Duration(30+rand.IntN(200))*time.Millisecond)...)
		s := conversationStore(t, dir)
		l := recall.NewIndexes(recall.IndexesOptions{})
		begin := time.Now()
		if _, _, err := l.Index(t.Context(), s, shop); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		slowest = max(slowest, time.Since(begin))
		for _, word := range sample(acked, 40) {
			if got := found(t, l, s, shop, word); len(got) != 1 {
				t.Fatalf("round %d: %s was found %d times", round, word, len(got))
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds, %d turns; the slowest first answer took %v", rounds, len(acked), slowest)
}

// runIndexer returns the words that were acknowledged within a time.
func runIndexer(t *testing.T, dir string, limit time.Duration) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	in := bufio.NewScanner(out)
	in.Buffer(nil, 1<<20)
	var end time.Time
	for in.Scan() {
		f := strings.Fields(in.Text())
		if f[0] == "error" {
			t.Error(in.Text())
			break
		}
		words = append(words, f...)
		if end.IsZero() {
			end = time.Now().Add(limit)
			go func() {
				time.Sleep(time.Until(end))
				_ = cmd.Process.Kill()
			}()
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	return words
}

// sample returns some of the words, the newest among them.
func sample(words []string, n int) []string {
	out := append([]string(nil), words[max(0, len(words)-n/2):]...)
	for range n / 2 {
		out = append(out, words[rand.IntN(len(words))])
	}
	return out
}
