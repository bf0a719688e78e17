package recall

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// vocabulary is made-up words, as frequent as the words of a language are.
func vocabulary(r *rand.Rand, n int) []string {
	syllables := strings.Fields("ba ce di fo gu ka le mi no pu ra se ti vo zu an er il on us tra ster quin plo")
	seen := map[string]bool{}
	var words []string
	for len(words) < n {
		w := ""
		for range 2 + r.IntN(3) {
			w += syllables[r.IntN(len(syllables))]
		}
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// corpus is n entries of about 15 words, and 200 queries of 4 of their words.
func corpus(n int) (list []*memory.Entry, queries []string) {
	r := rand.New(rand.NewPCG(1, 2))
	words := vocabulary(r, 20000)
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(words)-1))
	sentence := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[zipf.Uint64()])
			b.WriteByte(' ')
		}
		return b.String()
	}
	for i := range n {
		list = append(list, entry(fmt.Sprintf("e%06d", i), sentence(8+r.IntN(14)), i))
	}
	for range 200 {
		queries = append(queries, sentence(4))
	}
	return list, queries
}

func percentile(d []time.Duration, p int) float64 {
	slices.Sort(d)
	return float64(d[len(d)*p/100].Microseconds())
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			list, queries := corpus(n)
			e := newEngine(b)
			e.Opened(projectA, list)
			var took []time.Duration
			ids(b, e, "warm up")
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				ids(b, e, queries[i%len(queries)])
				took = append(took, time.Since(start))
			}
			b.ReportMetric(percentile(took, 50), "p50-µs")
			b.ReportMetric(percentile(took, 99), "p99-µs")
		})
	}
}

// BenchmarkBleveSearch is bleve's own match query over the same entries.
func BenchmarkBleveSearch(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			list, queries := corpus(n)
			ix, err := bleve.NewUsing("", bleve.NewIndexMapping(), "scorch", "scorch", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = ix.Close() }()
			start := time.Now()
			batch := ix.NewBatch()
			for _, e := range list {
				if err := batch.Index(e.ID, map[string]any{"text": e.Content, "key": e.Key}); err != nil {
					b.Fatal(err)
				}
			}
			if err := ix.Batch(batch); err != nil {
				b.Fatal(err)
			}
			built := time.Since(start)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				q := bleve.NewMatchQuery(queries[i%len(queries)])
				q.SetField("text")
				if _, err := ix.SearchInContext(context.Background(), bleve.NewSearchRequestOptions(q, 20, 0, false)); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			b.ReportMetric(percentile(took, 50), "p50-µs")
			b.ReportMetric(percentile(took, 99), "p99-µs")
			b.ReportMetric(float64(built.Milliseconds()), "build-ms")
		})
	}
}

// BenchmarkOpen is the first search after a scope of 10,000 entries was opened.
func BenchmarkOpen(b *testing.B) {
	list, _ := corpus(10000)
	for b.Loop() {
		e := New(Options{})
		e.Opened(projectA, list)
		ids(b, e, "warm up")
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAdd is one entry added to so many and found by the next search.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			list, _ := corpus(2 * n)
			e := newEngine(b)
			e.Opened(projectA, list[:n])
			ids(b, e, "warm up")
			ix := e.scopes[projectA]
			for i := 0; b.Loop(); i++ {
				next := *list[n+i%n]
				next.ID = fmt.Sprintf("n%06d", i)
				e.Changed(projectA, add(&next))
				if err := ix.drain(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(ix.passages)), "passages")
		})
	}
}
