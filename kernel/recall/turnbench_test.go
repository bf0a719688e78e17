package recall

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// generated is a store of turns that are made when they are asked for: words by
// Zipf's law, as in text.
type generated struct{ turns int }

const (
	benchTurns = 50 // of a process
	benchStops = 60 // the most frequent words, which nobody asks for
)

func (g generated) turn(n int64) process.Turn {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	z := rand.NewZipf(r, 1.1, 4, 300_000)
	var b strings.Builder
	for range 40 + r.IntN(60) {
		fmt.Fprintf(&b, "%s ", benchWord(z.Uint64()))
	}
	role := process.RoleUser
	if n%2 == 1 {
		role = process.RoleAssistant
	}
	return process.Turn{ID: strconv.FormatInt(n, 10), Role: role, Content: b.String(), Time: time.Unix(1_700_000_000+60*n, 0)}
}

// benchWord is the word of a rank.
func benchWord(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aiou"
	s := []byte{}
	for n += 60; n > 0; n /= 56 {
		s = append(s, consonants[n%14], vowels[n/14%4])
	}
	return string(s)
}

func (g generated) Turn(_ context.Context, _ string, offset int64) (process.Turn, error) {
	return g.turn(offset), nil
}

// BenchmarkTurns measures questions of six words over an
// index of RNIXFS_BENCH_TURNS turns (default 20,000).
func BenchmarkTurns(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("RNIXFS_BENCH_TURNS"))
	if n == 0 {
		n = 20_000
	}
	g := generated{n}
	begin := time.Now()
	c, err := OpenConversations(os.Getenv("RNIXFS_BENCH_DIR"), g, ConversationOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.Logf("opened in %v", time.Since(begin))
	begin = time.Now()
	bytes := 0
	for at := 0; at < n; at += benchTurns {
		uuid := strconv.Itoa(at / benchTurns)
		if held, _ := c.Held(uuid); held > 0 {
			continue
		}
		var turns []StoredTurn
		for i := range benchTurns {
			t := g.turn(int64(at + i))
			bytes += len(t.Content)
			turns = append(turns, StoredTurn{t, i, int64(at + i), int64(at + i + 1)})
		}
		if err := c.Add(b.Context(), process.Conversation{UUID: uuid, Start: turns[0].Time}, turns); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Flush(); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d turns, %d MB in %v", n, bytes>>20, time.Since(begin))
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 4, 300_000)
	e := New(Options{})
	defer e.Close()
	var took []time.Duration
	b.ResetTimer()
	for b.Loop() {
		var words []string
		for len(words) < 6 {
			if rank := z.Uint64(); rank >= benchStops {
				words = append(words, benchWord(rank))
			}
		}
		begin := time.Now()
		if _, err := e.Search(b.Context(), Query{Text: strings.Join(words, " "), Max: 10, Conversations: []*Conversations{c}}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
