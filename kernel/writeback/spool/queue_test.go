package spool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// bench is a spool with a clock of its own.
type bench struct {
	t   testing.TB
	dir string
	now time.Time
	n   int64
	s   *Spool
	q   *Queue
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "spool"), now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	b.s = New(b.dir, Options{NewID: b.id})
	b.q = b.open()
	return b
}

// open is another worker on the same folder.
func (b *bench) open() *Queue {
	return Open(b.dir, QueueOptions{
		Now: func() time.Time { return b.now }, Rand: func() float64 { return 0.5 }, MaxAttempts: 3, MaxCrashes: 3, MaxDone: 10,
		Settle: func(j Job) time.Duration {
			if j.Event == "Stop" {
				return time.Minute
			}
			return 0
		},
	})
}

// id is a UUID of version 7 at the bench's time.
func (b *bench) id() string {
	b.n++
	ms := b.now.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7%03x-8000-%012x", ms>>16, ms&0xffff, b.n>>32&0xfff, b.n&0xffffffffffff)
}

func (b *bench) submit(j Job) string {
	b.t.Helper()
	id, err := b.s.Submit(context.Background(), j)
	b.must(err)
	return id
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) claim() *Claim {
	b.t.Helper()
	c, _, err := b.q.Claim(context.Background())
	b.must(err)
	return c
}

// crash ends a claim as the end of a program does.
func (c *Claim) crash() { c.file.Close() }

func TestOrderAndRecord(t *testing.T) {
	b := newBench(t)
	if c := b.claim(); c != nil {
		t.Fatal("a job out of nothing")
	}
	first, second := b.submit(Job{Agent: "a", External: "1"}), b.submit(Job{Agent: "a", External: "2"})
	b.now = b.now.Add(5 * time.Second)
	if s, err := b.q.Stats(); err != nil || s.Queue != 2 || s.Oldest != 5 {
		t.Errorf("%+v, %v", s, err)
	}
	c := b.claim()
	if c.ID != first || c.Job.External != "1" || c.Attempt != 1 {
		t.Fatalf("%+v", c)
	}
	b.must(c.Done(Done{Dropped: map[string]int{"known": 2}, Entries: []Stored{{ID: "x"}}}))
	if c = b.claim(); c.ID != second {
		t.Fatal("the second one is not next")
	}
	b.must(c.Done(Done{Dropped: map[string]int{"known": 1}}))
	s, err := b.open().Stats()
	if err != nil || s.Queue != 0 || s.Done != 2 || s.Entries != 1 || s.Dropped["known"] != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if d, err := b.q.Record(first); err != nil || d.Job != first || !d.At.Equal(b.now) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestLaterJobReplacesEarlier(t *testing.T) {
	b := newBench(t)
	code := 0
	b.submit(Job{Agent: "a", External: "1", Event: "Stop", Transcript: "/t"})
	b.now = b.now.Add(time.Second)
	ended := b.submit(Job{Agent: "a", External: "1", Event: "Stop", Transcript: "/t"})
	other := b.submit(Job{Agent: "a", External: "1", Subagent: "s", Event: "end", Transcript: "/u"})
	inHand := b.claim()
	if inHand == nil || inHand.ID != other {
		t.Fatalf("%+v", inHand)
	}
	defer inHand.crash() // else it is let go when the garbage is collected
	if c, next, _ := b.q.Claim(context.Background()); c != nil || !next.Equal(b.now.Add(time.Minute)) {
		t.Fatalf("%+v, %v", c, next)
	}
	b.now = b.now.Add(time.Minute)
	c := b.claim()
	if c == nil || c.ID != ended {
		t.Fatalf("%+v", c)
	}
	// A later one waits for the one in hand, whoever has that.
	last := b.submit(Job{Agent: "a", External: "1", Event: "end", Transcript: "/t", ExitCode: &code})
	if c, _, _ := b.open().Claim(context.Background()); c != nil {
		t.Fatal("two workers have one conversation in hand")
	}
	b.must(c.Fail(memory.KindTimeout, "slow", false))
	if c = b.claim(); c == nil || c.ID != last {
		t.Fatalf("%+v", c)
	}
	if _, err := b.q.Item(context.Background(), ended); memory.KindOf(err) != memory.KindNotFound {
		t.Errorf("the job that failed waits for nothing: %v", err)
	}
	// One that knows less does not take the place of one that knows more.
	c.crash()
	b.submit(Job{Agent: "a", External: "1", Event: "end"})
	if c = b.claim(); c == nil || c.ID != last {
		t.Fatalf("%+v", c)
	}
}

func TestFailuresAreBounded(t *testing.T) {
	b := newBench(t)
	id := b.submit(Job{Agent: "a", External: "1"})
	var waits []time.Duration
	for {
		c, next, err := b.q.Claim(context.Background())
		b.must(err)
		if c == nil && next.IsZero() {
			break
		}
		if c == nil {
			waits = append(waits, next.Sub(b.now))
			b.now = next
			continue
		}
		b.must(c.Fail(memory.KindUnavailable, "the disk is away", false))
	}
	if want := []time.Duration{1500 * time.Millisecond, 3 * time.Second}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
	it, err := b.q.Item(context.Background(), id)
	if err != nil || it.State != "dead" || it.Reason != "the disk is away" {
		t.Fatalf("%+v, %v", it, err)
	}
	if s, _ := b.q.Stats(); s.Dead != 1 || s.Queue != 0 {
		t.Errorf("%+v", s)
	}
	b.must(b.q.Retry(context.Background(), id))
	if c := b.claim(); c == nil || c.Attempt != 1 {
		t.Errorf("%+v", c)
	}
	for bad, kind := range map[string]memory.Kind{"../../etc": memory.KindInvalid, uuid.NewString(): memory.KindNotFound, id: memory.KindConflict} {
		if err := b.q.Retry(context.Background(), bad); memory.KindOf(err) != kind {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestCrashesAreBounded(t *testing.T) {
	b := newBench(t)
	id := b.submit(Job{Agent: "a", External: "1"})
	n := 0
	for c := b.claim(); c != nil; c = b.claim() {
		c.crash()
		n++
	}
	if it, err := b.q.Item(context.Background(), id); err != nil || it.State != "dead" || n != 3 {
		t.Errorf("%+v after %d, %v", it, n, err)
	}
	// Giving back is no crash.
	id = b.submit(Job{Agent: "a", External: "2"})
	for range 10 {
		c := b.claim()
		if c == nil || c.ID != id {
			t.Fatalf("%+v", c)
		}
		c.Release()
	}
}

func TestDamagedFiles(t *testing.T) {
	b := newBench(t)
	id := b.submit(Job{Agent: "a", External: "1"})
	b.must(os.WriteFile(b.q.path(newDir, id), []byte("{not json\n"), 0o600))
	good := b.submit(Job{Agent: "a", External: "2"})
	c := b.claim()
	if c == nil || c.ID != good {
		t.Fatalf("%+v", c)
	}
	if it, err := b.q.Item(context.Background(), id); err != nil || it.State != "dead" {
		t.Errorf("%+v, %v", it, err)
	}
	// A line of an event that was cut off.
	c.crash()
	f, err := os.OpenFile(b.q.path(newDir, good), os.O_WRONLY|os.O_APPEND, 0)
	b.must(err)
	_, err = f.WriteString(`{"event":"fa`)
	b.must(err)
	f.Close()
	if c = b.claim(); c == nil || c.ID != good {
		t.Fatalf("%+v", c)
	}
	b.must(c.Done(Done{}))
	b.must(os.WriteFile(b.q.path(doneDir, good), []byte("garbage"), 0o600))
	if s, err := b.open().Stats(); err != nil || s.Done != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	// A link is no job.
	link := b.id()
	b.must(os.Symlink("/etc/passwd", b.q.path(newDir, link)))
	b.must(os.Mkdir(b.q.path(newDir, b.id()), 0o700))
	good = b.submit(Job{Agent: "a", External: "3"})
	if c := b.claim(); c == nil || c.ID != good {
		t.Errorf("%+v", c)
	}
	if it, err := b.q.Item(context.Background(), link); err != nil || it.State != "dead" {
		t.Errorf("%+v, %v", it, err)
	}
}

// TestKilledBeforeTheJobGoes: the record is there and the job, too.
func TestKilledBeforeTheJobGoes(t *testing.T) {
	b := newBench(t)
	id := b.submit(Job{Agent: "a", External: "1"})
	c := b.claim()
	talk := uuid.NewString()
	b.must(b.q.write(doneDir, id, Done{Job: id, Marks: map[string]process.Position{talk: {Number: 7}}}))
	c.crash()
	if c := b.claim(); c != nil {
		t.Errorf("done twice: %+v", c)
	}
	if m, err := b.q.Learned(talk); err != nil || m.Position.Number != 7 || m.Job != id {
		t.Errorf("%+v, %v", m, err)
	}
	if s, _ := b.q.Stats(); s.Queue != 0 || s.Done != 1 {
		t.Errorf("%+v", s)
	}
}

func TestRecordsAreBounded(t *testing.T) {
	b := newBench(t)
	for i := range 25 {
		b.now = b.now.Add(time.Hour)
		b.submit(Job{Agent: "a", External: fmt.Sprint(i)})
		b.must(b.claim().Done(Done{Entries: []Stored{{ID: "x"}}}))
	}
	if s, err := b.q.Stats(); err != nil || s.Done != 10 || s.Entries != 10 {
		t.Errorf("%+v, %v", s, err)
	}
	b.now = b.now.Add(100 * 24 * time.Hour)
	b.submit(Job{Agent: "a", External: "last"})
	b.must(b.claim().Done(Done{}))
	if s, err := b.q.Stats(); err != nil || s.Done != 1 || s.Entries != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestMarks(t *testing.T) {
	b := newBench(t)
	id := uuid.NewString()
	if m, err := b.q.Learned(id); err != nil || m.Position.Number != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	want := Mark{Job: "j", At: b.now}
	want.Position.Number = 7
	want.Job = b.submit(Job{Agent: "a", External: "1"})
	b.must(b.claim().Done(Done{Marks: map[string]process.Position{id: want.Position}}))
	if m, err := b.open().Learned(id); err != nil || m != want {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := b.q.Learned("../x"); memory.KindOf(err) != memory.KindInvalid {
		t.Errorf("%v", err)
	}
}

// TestAcknowledgement: handing in waits neither for the jobs that wait nor for the
// one that is worked on. The bound is far above what is usual, for busy machines.
func TestAcknowledgement(t *testing.T) {
	b := newBench(t)
	for i := range 20 {
		b.submit(Job{Agent: "a", External: fmt.Sprint(i)})
	}
	c := b.claim()
	defer c.crash()
	var times []time.Duration
	for i := range 100 {
		start := time.Now()
		b.submit(Job{Agent: "b", External: fmt.Sprint(i)})
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	t.Logf("median %v, the slowest of 100 %v", times[50], times[99])
	if times[50] > time.Second {
		t.Errorf("the median is %v", times[50])
	}
}

func TestNoTextInTheSpool(t *testing.T) {
	b := newBench(t)
	b.submit(Job{Agent: "a", External: "1"})
	b.must(b.claim().Done(Done{}))
	names, err := filepath.Glob(b.dir + "/*/*")
	b.must(err)
	for _, name := range names {
		raw, err := os.ReadFile(name)
		b.must(err)
		if strings.Contains(string(raw), "content") {
			t.Errorf("%s: %s", name, raw)
		}
	}
}

// TestLater: a job that waits for somebody counts no attempts and no crashes, and knows
// what is done of it.
func TestLater(t *testing.T) {
	b := newBench(t)
	id := b.submit(Job{Agent: "a", External: "1", Event: "end"})
	talk := uuid.NewString()
	for i := range 10 { // more than failures or crashes are allowed
		c := b.claim()
		if c == nil || c.ID != id || c.Attempt != 1 {
			t.Fatalf("%d: %+v", i, c)
		}
		part := Done{Dropped: map[string]int{"known": i}}
		if i == 9 {
			part.Marks = map[string]process.Position{talk: {Number: 7}}
		}
		b.must(c.Later(memory.KindUnavailable, "the model is away", part))
		if i < 9 {
			b.now = b.now.Add(time.Hour)
		}
	}
	it, err := b.q.Item(context.Background(), id)
	if err != nil || it.State != "waiting" || it.Reason != "the model is away" || it.Attempts != 0 || !it.Next.Equal(b.now.Add(45*time.Minute)) {
		t.Fatalf("%+v, %v", it, err)
	}
	// One that is begun is not replaced: no other knows what is done.
	later := b.submit(Job{Agent: "a", External: "1", Event: "end"})
	if c := b.claim(); c == nil || c.ID != later {
		t.Fatalf("%+v", c)
	} else {
		b.must(c.Done(Done{}))
	}
	b.now = b.now.Add(time.Hour)
	c := b.claim()
	if c == nil || c.ID != id || c.Part() == nil || c.Part().Marks[talk].Number != 7 || c.Waited() != 10*time.Hour {
		t.Fatalf("%+v, part %+v, waited %v", c, c.Part(), c.Waited())
	}
	b.must(c.Later(memory.KindUnavailable, "the model is away", *c.Part()))
	b.must(b.q.Retry(context.Background(), id))
	if c = b.claim(); c == nil || c.Waited() != 0 || c.Part() == nil {
		t.Errorf("%+v", c)
	}
}

// TestLaterWaits: without a word of when, the waits grow up to an hour.
func TestLaterWaits(t *testing.T) {
	b := newBench(t)
	b.submit(Job{Agent: "a", External: "1", Event: "end"})
	var waits []time.Duration
	for range 9 {
		c := b.claim()
		b.must(c.Later(memory.KindUnavailable, "away", Done{}))
		_, next, err := b.q.Claim(context.Background())
		b.must(err)
		waits = append(waits, next.Sub(b.now))
		b.now = next
	}
	if waits[0] != 24*time.Second || waits[1] != 48*time.Second || waits[8] != 45*time.Minute {
		t.Errorf("waits %v", waits)
	}
}

// TestSettling: jobs of a conversation that goes on are one, due when it has been idle
// for long enough; its end is due at once.
func TestSettling(t *testing.T) {
	b := newBench(t)
	for range 20 {
		b.submit(Job{Agent: "a", External: "1", Event: "Stop"})
		b.now = b.now.Add(50 * time.Second)
		if c := b.claim(); c != nil {
			t.Fatal("worked on while it went on")
		}
	}
	if s, err := b.q.Stats(); err != nil || s.Queue != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	b.now = b.now.Add(10 * time.Second)
	c := b.claim()
	if c == nil {
		t.Fatal("not due after a minute without a word")
	}
	b.must(c.Done(Done{}))
	b.submit(Job{Agent: "a", External: "1", Event: "Stop"})
	end := b.submit(Job{Agent: "a", External: "1", Event: "SessionEnd"})
	if c := b.claim(); c == nil || c.ID != end {
		t.Errorf("%+v", c)
	}
}
