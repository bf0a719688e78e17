package scanner

import (
	"os"
	"strings"
	"testing"
)

// guardRow is a text of testdata, and whether it has to be refused.
type guardRow struct {
	text   string
	refuse bool
	unseen bool // of the third that was not looked at while the rules were built
}

// readGuardRows reads a file of lines "refuse TAB text" and "keep TAB text".
func readGuardRows(t testing.TB, name string) []guardRow {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []guardRow
	seen := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		verdict, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		seen[verdict]++
		rows = append(rows, guardRow{strings.ReplaceAll(text, `\n`, "\n"), verdict == "refuse", seen[verdict]%3 == 0})
	}
	return rows
}

// A prohibition or a report excuses a dangerous act that it governs, and no other.
func TestGuardGoverns(t *testing.T) {
	s := scanner(t)
	all := map[bool]tally{}
	for _, file := range []string{"guard.txt", "guard_late.txt", "guard_third.txt", "guard_forms.txt", "poison.txt"} {
		byKind := map[guardRow]tally{}
		for _, row := range readGuardRows(t, file) {
			kind := guardRow{refuse: row.refuse, unseen: row.unseen}
			right := len(scanText(t, s, row.text).Findings) > 0 == row.refuse
			if !right && !row.unseen {
				t.Logf("%s: want refused %v: %s", file, row.refuse, row.text)
			}
			c, sum := byKind[kind], all[row.refuse]
			byKind[kind] = tally{n: c.n + 1, ours: c.ours + count(right)}
			all[row.refuse] = tally{n: sum.n + 1, ours: sum.ours + count(right)}
		}
		for kind, c := range byKind {
			t.Logf("%s: refuse %v, unseen %v: %d of %d, %.1f %%", file, kind.refuse, kind.unseen, c.ours, c.n, c.percent(c.ours))
		}
	}
	for refuse, c := range all {
		if share := c.percent(c.ours); share < 96 {
			t.Errorf("refuse %v: %.1f %% of %d as wanted, want 96 %%", refuse, share, c.n)
		}
	}
}

// Whatever stands beside an act, its sentence is read without a panic.
func FuzzGuard(f *testing.F) {
	for _, row := range readGuardRows(f, "guard.txt") {
		before, after, ok := strings.Cut(row.text, "rm -rf /")
		if ok {
			f.Add(before, after)
		}
	}
	s := scanner(f)
	f.Fuzz(func(t *testing.T, before, after string) {
		_, err := s.Scan(t.Context(), []Field{{Name: "content", Text: before + "rm -rf / " + after}})
		if reason(err) == ReasonPanic {
			t.Fatalf("panic beside %q and %q", before, after)
		}
	})
}
