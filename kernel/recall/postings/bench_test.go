package postings

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Documents like chat turns: about 500 bytes, 70 words with the frequencies of a
// language (Zipf's law, exponent 1, 100,000 words), of which a bit less than half
// are stop words that are not indexed. A row takes 32 bytes. The second field has
// the neighbours' words.
const (
	benchWords = 70
	benchStop  = 40 // the most frequent words
	benchVocab = 100_000
)

// text makes such documents.
type text struct {
	r     *rand.Rand
	share []float64 // cumulated
	names []string
	last  []string
}

func newText(seed int64) *text {
	share, names := language()
	return &text{r: rand.New(rand.NewSource(seed)), share: share, names: names}
}

var language = sync.OnceValues(func() (share []float64, names []string) {
	sum := 0.0
	r := rand.New(rand.NewSource(1))
	for i := range benchVocab {
		sum += 1 / float64(i+3)
		share = append(share, sum)
		names = append(names, word(r, i))
	}
	return share, names
})

// word makes the i-th most frequent word: frequent ones are short.
func word(r *rand.Rand, i int) string {
	n := 2 + int(math.Log2(float64(i+2))/2) + r.Intn(3)
	b := make([]byte, n)
	for k := range b {
		b[k] = "etaoinshrdlucmfwypvbgk"[r.Intn(22)]
	}
	return string(b) + fmt.Sprintf("%c", 'a'+i%26)
}

func (t *text) rank() int {
	i, _ := slices.BinarySearch(t.share, t.r.Float64()*t.share[len(t.share)-1])
	return min(i, benchVocab-1)
}

// document returns one, and the bytes of the text it stands for.
func (t *text) document() (Document, int) {
	bytes := 0
	var words []string
	at := map[string]uint32{}
	for range benchWords/2 + t.r.Intn(benchWords) {
		rank := t.rank()
		w := t.names[rank]
		bytes += len(w) + 1
		if rank < benchStop {
			continue
		}
		if at[w] == 0 {
			words = append(words, w)
		}
		at[w]++
	}
	own := make([]Term, len(words))
	for i, w := range words {
		own[i] = Term{w, at[w]}
	}
	around := make([]Term, len(t.last))
	for i, w := range t.last {
		around[i] = Term{w, 1}
	}
	t.last = words
	return Document{
		Fields:  [][]Term{own, around},
		Lengths: []uint32{uint32(len(words)), uint32(len(around))},
		Row:     make([]byte, 32),
	}, bytes
}

func benchOptions(dir string, around bool) Options {
	o := Options{Dir: dir, Fields: []string{"text", "around"}, RowSize: 32}
	if !around {
		o.Fields = o.Fields[:1]
	}
	return o
}

func fill(tb testing.TB, ix *Index, from *text, n, batch int, around bool) (raw int, spent time.Duration) {
	tb.Helper()
	for done := 0; done < n; {
		var docs []Document
		for range min(batch, n-done) {
			d, bytes := from.document()
			if !around {
				d.Fields, d.Lengths = d.Fields[:1], d.Lengths[:1]
			}
			docs = append(docs, d)
			raw += bytes
		}
		began := time.Now()
		if _, err := ix.Append(docs); err != nil {
			tb.Fatal(err)
		}
		spent += time.Since(began)
		done += len(docs)
	}
	began := time.Now()
	if err := ix.Flush([]byte("done")); err != nil {
		tb.Fatal(err)
	}
	return raw, spent + time.Since(began)
}

// settle waits until nothing is left to be merged.
func settle(ix *Index) {
	for {
		ix.write.Lock()
		from, to := plan(ix.now.files.segments)
		busy := ix.merging != ""
		ix.write.Unlock()
		if from == to && !busy {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func folderSize(tb testing.TB, dir string) (n int64) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func sizes() []int {
	if os.Getenv("RNIXFS_BENCH_LARGE") != "" {
		return []int{10_000, 100_000, 1_000_000}
	}
	return []int{10_000, 100_000}
}

// BenchmarkIndex fills a folder, and then asks it all that matters. It tells the
// highest memory of the process so far, so sizes are best run on their own.
func BenchmarkIndex(b *testing.B) {
	for _, around := range []bool{false, true} {
		for _, n := range sizes() {
			fields := 1
			if around {
				fields = 2
			}
			b.Run(fmt.Sprintf("fields=%d/docs=%d", fields, n), func(b *testing.B) { benchIndex(b, n, around) })
		}
	}
}

func benchIndex(b *testing.B, n int, around bool) {
	opts := benchOptions(b.TempDir(), around)
	ix := mustOpen(b, opts)
	raw, spent := fill(b, ix, newText(2), n, 500, around)
	began := time.Now()
	settle(ix)
	settled := time.Since(began)
	fmt.Printf("%s: index %.1f MB/s (+%v merging), %.2fx raw (%d MB), VmHWM %s\n", b.Name(), float64(raw)/1e6/spent.Seconds(),
		settled.Round(time.Millisecond), float64(folderSize(b, opts.Dir))/float64(raw), raw>>20, highWater())
	if err := ix.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			ix := mustOpen(b, opts)
			s := ix.Snapshot()
			readTerms(b, s, []string{newestTerm}, 0)
			s.Close()
			_ = ix.Close()
		}
	})
	ix = mustOpen(b, opts)
	defer func() { _ = ix.Close() }()
	t := newText(3)
	b.Run("each", func(b *testing.B) { benchEach(b, ix, t) })
	b.Run("query", func(b *testing.B) { benchQuery(b, ix, t, around) })
	b.Run("append", func(b *testing.B) { benchAppend(b, ix, t, around, false) })
	b.Run("append+flush", func(b *testing.B) { benchAppend(b, ix, t, around, true) })
}

const newestTerm = "absent"

func readTerms(tb testing.TB, s *Snapshot, terms []string, fields int) (n int) {
	tb.Helper()
	for field := range fields + 1 {
		for _, term := range terms {
			err := s.Each(term, field, func(uint32, uint32, uint32) bool {
				n++
				return true
			})
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
	return n
}

func benchEach(b *testing.B, ix *Index, t *text) {
	s := ix.Snapshot()
	defer s.Close()
	for _, rank := range []int{benchStop, 300, 3000} {
		b.Run(fmt.Sprintf("rank=%d", rank), func(b *testing.B) {
			n := 0
			for b.Loop() {
				n += readTerms(b, s, t.names[rank:rank+1], 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/posting")
			b.ReportMetric(float64(n)/float64(b.N), "postings")
		})
	}
}

func benchQuery(b *testing.B, ix *Index, t *text, around bool) {
	s := ix.Snapshot()
	defer s.Close()
	fields := 0
	if around {
		fields = 1
	}
	var took []time.Duration
	for b.Loop() {
		var terms []string
		for range 6 + t.r.Intn(7) {
			terms = append(terms, t.names[max(benchStop, t.rank())])
		}
		began := time.Now()
		readTerms(b, s, terms, fields)
		took = append(took, time.Since(began))
	}
	percentiles(b, took)
}

func benchAppend(b *testing.B, ix *Index, t *text, around, flush bool) {
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		d, _ := t.document()
		if !around {
			d.Fields, d.Lengths = d.Fields[:1], d.Lengths[:1]
		}
		b.StartTimer()
		began := time.Now()
		if _, err := ix.Append([]Document{d}); err != nil {
			b.Fatal(err)
		}
		if flush {
			if err := ix.Flush(nil); err != nil {
				b.Fatal(err)
			}
		}
		ix.Snapshot().Close()
		took = append(took, time.Since(began))
	}
	percentiles(b, took)
}

func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func highWater() string {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}

// BenchmarkMemory is what an index without a folder takes for a document.
func BenchmarkMemory(b *testing.B) {
	ix := mustOpen(b, benchOptions("", true))
	from := newText(4)
	fill(b, ix, from, 20_000, 500, true)
	b.Run("append", func(b *testing.B) { benchAppend(b, ix, from, true, false) })
	b.Run("query", func(b *testing.B) { benchQuery(b, ix, from, true) })
}
