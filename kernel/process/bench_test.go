package process_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// BenchmarkAppend adds a turn to a conversation of many: what it costs must not
// depend on how many there are. Most of it is fdatasync(2).
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{0, 100000} {
		b.Run(fmt.Sprint(n, " turns there"), func(b *testing.B) {
			s := open(b, b.TempDir(), process.Options{})
			p := begin(b, s, process.Conversation{Agent: "a", External: "1"})
			fill(b, s, p, n)
			i := 0
			for b.Loop() {
				add(b, s, p, user(fmt.Sprint("new", i), "a turn of some words"))
				i++
			}
		})
	}
}

func BenchmarkTurnAt(b *testing.B) {
	s := open(b, b.TempDir(), process.Options{})
	p := begin(b, s, process.Conversation{Agent: "a", External: "1"})
	fill(b, s, p, 10000)
	var last process.Placed
	for turn := range s.Turns(b.Context(), p.Project, p.UUID, process.Position{}) {
		last = turn
	}
	for b.Loop() {
		if _, err := s.TurnAt(b.Context(), p.Project, p.UUID, last.Offset); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTurns(b *testing.B) {
	s := open(b, b.TempDir(), process.Options{})
	p := begin(b, s, process.Conversation{Agent: "a", External: "1"})
	fill(b, s, p, 10000)
	for size := range s.Sizes(b.Context(), p.Project) {
		b.SetBytes(size.Bytes)
	}
	for b.Loop() {
		for _, err := range s.Turns(b.Context(), p.Project, p.UUID, process.Position{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func fill(b *testing.B, s *process.Store, p process.Conversation, n int) {
	b.Helper()
	turns := make([]process.Turn, n)
	for i := range turns {
		turns[i] = user(fmt.Sprint(i), strings.Repeat("a turn of some words ", 10))
	}
	for len(turns) > 0 {
		k := min(len(turns), 1000)
		add(b, s, p, turns[:k]...)
		turns = turns[k:]
	}
}
