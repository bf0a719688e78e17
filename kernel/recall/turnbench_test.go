package recall

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// BenchmarkTurns measures the index of many turns, and the search in it. scripts/bench
// makes the files that the environment names, and compares with SQLite: CORPUS has a turn
// a line (process, role, time, content), QUESTIONS a question a line.
func BenchmarkTurns(b *testing.B) {
	corpus, questions := os.Getenv("RNIXFS_BENCH_CORPUS"), os.Getenv("RNIXFS_BENCH_QUESTIONS")
	if corpus == "" {
		b.Skip("scripts/bench --only recall runs it")
	}
	f, err := os.Open(corpus)
	check(b, err)
	defer f.Close()
	asked, err := os.ReadFile(questions)
	check(b, err)
	dir := b.TempDir()
	c, err := OpenConversations(dir, turnFile{f}, ConversationOptions{})
	check(b, err)
	begin := time.Now()
	raw := indexTurns(b, c, f, math.MaxInt)
	b.ReportMetric(millis(begin), "index-ms")
	b.ReportMetric(float64(raw), "raw-bytes")
	b.ReportMetric(highWater(b), "peak-bytes")
	check(b, c.Close())
	b.ReportMetric(folderSize(b, dir), "disk-bytes")
	list := strings.Split(strings.TrimSpace(string(asked)), "\n")
	askTurns(b, dir, f, list)
	askWhileIndexing(b, f, list)
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// turnFile reads turns back from the corpus, by their offset in it.
type turnFile struct{ f *os.File }

func (c turnFile) Turn(_ context.Context, _ string, offset int64) (process.Turn, error) {
	buf := make([]byte, 8<<10)
	n, err := c.f.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return process.Turn{}, err
	}
	text, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	t, _, err := decodeTurn(text)
	return t, err
}

func decodeTurn(text []byte) (t process.Turn, conversation string, err error) {
	var l struct {
		process.Turn
		Process string `json:"process"`
	}
	err = json.Unmarshal(text, &l)
	return l.Turn, l.Process, err
}

// indexTurns adds the turns, conversation by conversation, the first so many, and returns
// how many bytes were said.
func indexTurns(b *testing.B, c *Conversations, f *os.File, most int) (raw int) {
	in := bufio.NewReaderSize(f, 1<<20)
	var p process.Conversation
	var turns []StoredTurn
	pending := 0
	add := func() {
		if len(turns) > 0 {
			check(b, c.Add(b.Context(), p, turns))
		}
		turns = turns[:0]
		if pending > flushBytes {
			pending = 0
			check(b, c.Flush())
		}
	}
	for offset, n := int64(0), 0; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) || n == most {
			add()
			check(b, c.Flush())
			return raw
		}
		check(b, err)
		t, uuid, err := decodeTurn(text)
		check(b, err)
		if uuid != p.UUID {
			add()
			p = process.Conversation{UUID: uuid, Start: t.Time, Agent: "bench"}
		}
		end := offset + int64(len(text))
		turns = append(turns, StoredTurn{Turn: t, Number: len(turns), Offset: offset, End: end})
		offset = end
		raw += len(t.Content)
		pending += len(t.Content)
	}
}

// busyTurns is how many turns are indexed while others are searched.
const busyTurns = 100_000

// askWhileIndexing asks again and again while turns are indexed.
func askWhileIndexing(b *testing.B, f *os.File, questions []string) {
	e := New(Options{})
	defer e.Close()
	c, err := OpenConversations(b.TempDir(), turnFile{f}, ConversationOptions{})
	check(b, err)
	defer c.Close()
	var took []float64
	var failed error
	var asking sync.WaitGroup
	stop := make(chan struct{})
	asking.Go(func() {
		for i := 0; failed == nil; i++ {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			begin := time.Now()
			_, failed = e.Search(b.Context(), Query{Text: questions[i%len(questions)], Max: 10, Conversations: []*Conversations{c}})
			took = append(took, millis(begin))
		}
	})
	_, err = f.Seek(0, io.SeekStart)
	check(b, err)
	indexTurns(b, c, f, busyTurns)
	close(stop)
	asking.Wait()
	check(b, failed)
	b.ReportMetric(quantile(took, 50), "busy-p50-ms")
	b.ReportMetric(quantile(took, 99), "busy-p99-ms")
}

// askTurns opens the index, asks, and adds turns that are looked for at once.
func askTurns(b *testing.B, dir string, f *os.File, questions []string) {
	e := New(Options{})
	defer e.Close()
	begin := time.Now()
	c, err := OpenConversations(dir, turnFile{f}, ConversationOptions{})
	check(b, err)
	defer c.Close()
	search := func(text string) int {
		found, err := e.Search(b.Context(), Query{Text: text, Max: 10, Conversations: []*Conversations{c}})
		check(b, err)
		return len(found.Hits)
	}
	var took []float64
	for i, q := range questions {
		if i > 0 {
			begin = time.Now()
		}
		search(q)
		took = append(took, millis(begin))
	}
	b.ReportMetric(took[0], "open-ms") // and the first answer
	b.ReportMetric(quantile(took[1:], 50), "query-p50-ms")
	b.ReportMetric(quantile(took[1:], 99), "query-p99-ms")
	took = nil
	p := process.Conversation{UUID: "added", Agent: "bench"}
	for i := range 50 {
		word := fmt.Sprintf("xylo%cphone%c", 'a'+i%26, 'a'+i/26)
		// The text is read from the first line: only its being found counts.
		t := StoredTurn{Turn: process.Turn{Role: process.RoleUser, Content: "a turn about " + word}, Number: i, End: 1}
		begin := time.Now()
		check(b, c.Add(b.Context(), p, []StoredTurn{t}))
		if search(word) == 0 {
			b.Fatal("a turn that was added is not found")
		}
		took = append(took, millis(begin))
	}
	b.ReportMetric(quantile(took, 50), "add-p50-ms")
}

func millis(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

func quantile(x []float64, percent int) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)*percent/100]
}

// highWater is the most memory that this process had, in bytes.
func highWater(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	check(b, err)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kb float64
	_, err = fmt.Sscan(rest, &kb)
	check(b, err)
	return kb * 1024
}

func folderSize(b *testing.B, dir string) (total float64) {
	check(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			total += float64(fi.Size())
		}
		return err
	}))
	return total
}
