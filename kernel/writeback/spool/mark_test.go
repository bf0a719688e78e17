package spool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// conversation is a uuid.
func conversation(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// TestMarksOfTheGone: a mark goes when its conversation is gone for good, and no
// other does.
func TestMarksOfTheGone(t *testing.T) {
	b := newBench(t)
	b.now = time.Now()
	ctx := context.Background()
	for i, tc := range []struct {
		gone bool
		age  time.Duration
		want bool // it stays
	}{
		{false, time.Minute, true},
		{false, 3 * 365 * 24 * time.Hour, true},
		{true, time.Minute, true},
		{true, 40 * 24 * time.Hour, true},
		{true, 91 * 24 * time.Hour, false},
	} {
		uuid := conversation(i)
		b.must(b.q.finish(Done{Marks: map[string]process.Position{uuid: {Number: 3}}}))
		old := b.now.Add(-tc.age)
		b.must(os.Chtimes(b.q.path(learnedDir, uuid), old, old))
		b.must(os.RemoveAll(filepath.Join(b.dir, learnedDir, prunedName)))
		n, err := b.q.PruneMarks(ctx, func(_ context.Context, asked string) bool { return asked == uuid && tc.gone })
		m, lerr := b.q.Learned(uuid)
		if err != nil || lerr != nil || (m.Position.Number == 3) != tc.want || (n == 0) != tc.want {
			t.Errorf("%+v: %d pruned, mark %+v, %v, %v", tc, n, m, err, lerr)
		}
	}

	// Once a day, by whichever program.
	asked := 0
	where := func(context.Context, string) bool {
		asked++
		return false
	}
	for range 3 {
		_, err := b.open().PruneMarks(ctx, where)
		b.must(err)
	}
	if asked != 0 {
		t.Errorf("looked for conversations %d times on the same day", asked)
	}
	b.now = b.now.Add(25 * time.Hour)
	_, err := b.open().PruneMarks(ctx, where)
	b.must(err)
	if asked == 0 {
		t.Error("looked for none on the next day")
	}

	// What is no mark is left alone, and where nothing was learned nothing is made.
	b.must(os.WriteFile(b.q.path(learnedDir, "notes"), nil, 0o600))
	b.now = b.now.Add(1000 * 24 * time.Hour)
	_, err = b.q.PruneMarks(ctx, func(context.Context, string) bool { return true })
	b.must(err)
	left, err := b.q.names(learnedDir)
	b.must(err)
	if !slices.Equal(left, []string{"notes"}) {
		t.Errorf("left %q", left)
	}
	empty := newBench(t)
	_, err = empty.q.PruneMarks(ctx, where)
	empty.must(err)
	if _, err := os.Stat(empty.dir); err == nil {
		t.Error("pruning made a folder")
	}
}

// TestMarksComeBack: a conversation that comes back while others prune keeps the
// mark that it gets.
func TestMarksComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	var day atomic.Int64
	open := func() *Queue {
		return Open(dir, QueueOptions{Now: func() time.Time { return time.Now().Add(time.Duration(100+day.Add(2)) * 24 * time.Hour) }})
	}
	const talks = 4
	var at [talks]atomic.Bool
	where := func(_ context.Context, uuid string) bool {
		for i := range talks {
			if uuid == conversation(i) {
				return at[i].Load()
			}
		}
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	var pruners, workers sync.WaitGroup
	var pruned atomic.Int64
	for range 2 {
		q := open()
		pruners.Go(func() {
			for ctx.Err() == nil {
				n, err := q.PruneMarks(ctx, where)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				pruned.Add(int64(n))
			}
		})
	}
	for i := range talks {
		q := open()
		workers.Go(func() {
			for n := 1; n <= 60; n++ {
				at[i].Store(false)
				err := q.withLock(ctx, func() error {
					return q.finish(Done{Marks: map[string]process.Position{conversation(i): {Number: n}}})
				})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(n%3) * time.Millisecond)
				if m, err := q.Learned(conversation(i)); err != nil || m.Position.Number != n {
					t.Errorf("the mark %d of a conversation that is there is %+v, %v", n, m, err)
					return
				}
				at[i].Store(true)
				time.Sleep(time.Duration(n%2) * time.Millisecond)
			}
		})
	}
	workers.Wait()
	cancel()
	pruners.Wait()
	if pruned.Load() == 0 {
		t.Error("nothing was pruned meanwhile")
	}
}
