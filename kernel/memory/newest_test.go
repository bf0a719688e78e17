package memory_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestNewest changes a state at random, times that go back included, and holds its
// list of the newest against sorting all.
func TestNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*memory.Entry
		n := 0
		entry := func() *memory.Entry {
			n++
			at := time.Unix(int64(rapid.IntRange(0, 50).Draw(t, "at")), 0)
			return &memory.Entry{ID: fmt.Sprintf("%03d", n), Key: fmt.Sprintf("k%d", n), Content: "c", Updated: at}
		}
		for range rapid.IntRange(0, 80).Draw(t, "first") {
			all = append(all, entry())
		}
		st := memory.NewState(all, 1)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			s := memory.Step{After: entry()}
			if len(all) > 0 && rapid.Bool().Draw(t, "old") {
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				s.Before = all[i]
				if rapid.Bool().Draw(t, "gone") {
					s.After = nil
					all = slices.Delete(slices.Clone(all), i, i+1)
				} else {
					s.After.ID, s.After.Key = s.Before.ID, s.Before.Key
					all = slices.Clone(all)
					all[i] = s.After
				}
			} else {
				all = append(all, s.After)
			}
			before := st.View(time.Time{}).Newest
			kept := slices.Clone(before)
			st.Commit(memory.Change{}, []memory.Step{s}, st.Sequence()+1)
			if !slices.Equal(before, kept) {
				t.Fatal("a view changed")
			}
			want := slices.SortedStableFunc(slices.Values(all), func(a, b *memory.Entry) int {
				return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID))
			})
			want = want[max(0, len(want)-64):]
			if got := st.View(time.Time{}).Newest; !slices.Equal(got, want) {
				t.Fatalf("the newest are %d entries, want %d", len(got), len(want))
			}
		}
	})
}
