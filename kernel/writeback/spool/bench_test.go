package spool

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkClaim takes a job and ends it, while others wait.
func BenchmarkClaim(b *testing.B) {
	for _, n := range []int{0, 100, 1000, 5000} {
		b.Run(fmt.Sprint(n, " waiting"), func(b *testing.B) {
			s := newBench(b)
			hand := func() { // without the flushes of Submit
				s.must(os.WriteFile(s.q.path(newDir, s.id()), fmt.Appendf(nil, `{"agent":"a","external":"%d","event":"end"}`+"\n", s.n), 0o600))
			}
			s.submit(Job{Agent: "a", External: "first", Event: "end"})
			for range n {
				hand()
			}
			for b.Loop() {
				c, _, err := s.q.Claim(b.Context())
				s.must(err)
				s.must(c.Done(Done{}))
				b.StopTimer()
				hand()
				b.StartTimer()
			}
		})
	}
}
