package writeback

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRelate(t *testing.T) {
	for _, tc := range []struct {
		a, b       string
		correction bool
		want       relation
	}{
		{a: "The staging database listens on port 6543.", b: "the staging database  listens on port 6543", want: same},
		{a: "Always use tabs.", b: "Please always use tabs!", want: same},
		{a: "Use tabs for indentation in Go files.", b: "For indentation in Go files, use tabs.", want: same},
		{a: "The staging database listens on port 6543, behind pgbouncer.", b: "The staging database listens on port 6543.", want: more},
		{a: "The staging database listens on port 6543.", b: "The staging database listens on port 6543, behind pgbouncer.", want: less},
		// Numbers, names, identifiers and negations must agree.
		{a: "The staging database listens on port 7000.", b: "The staging database listens on port 6543.", want: contradicts},
		{a: "Never commit to main.", b: "Commit to main.", want: contradicts},
		{a: "Use tabs, not spaces.", b: "Use spaces, not tabs.", want: contradicts},
		{a: "The user lives in Vienna.", b: "The user lives in Graz.", want: contradicts},
		{a: "The user moved to Emacs.", b: "The user lives in Vienna.", want: unrelated},
		{a: "The user lives in Graz.", b: "The user works at Siemens.", want: unrelated},
		{a: "Run `make lint` before each commit.", b: "Run `make test` before each commit.", want: unrelated},
		{a: "Run make lint before each commit.", b: "Run make test before each commit.", correction: true, want: contradicts},
		{a: "Use pytest for unit tests.", b: "Use playwright for browser tests.", want: unrelated},
		{a: "Use pytest for unit tests.", b: "Use playwright for browser tests.", correction: true, want: unrelated},
		{a: "The svc22x6 listens on port 1000.", b: "The svc22x2 listens on port 2000.", want: unrelated},
		{a: "The svc22x6 listens on port 1000.", b: "The svc22x2 listens on port 2000.", correction: true, want: unrelated},
		{a: "The gateway listens on port 1000.", b: "The scheduler listens on port 1000.", want: unrelated},
		{a: "The server is slow.", b: "The server is in the cellar.", want: unrelated},
		{a: "Use tabs in Makefiles, two spaces in YAML and four in Python.", b: "Use tabs.", want: unrelated},
		{a: "The API signs JWTs with RS256.", b: "The API signs JWTs with HS256.", want: unrelated},
		{a: "The API signs JWTs with RS256.", b: "The API signs JWTs with HS256.", correction: true, want: contradicts},
		{a: "数据库迁移使用蓝绿部署策略", b: "数据库迁移使用蓝绿部署策略。", want: same},
		{a: "", b: "", want: same},
		{a: "!?", b: "Use tabs.", want: unrelated},
	} {
		if got := relate(newStatement(tc.a), newStatement(tc.b), tc.correction); got != tc.want {
			t.Errorf("%q to %q (correction: %v): got %d, want %d", tc.a, tc.b, tc.correction, got, tc.want)
		}
	}
}

func FuzzRelate(f *testing.F) {
	f.Add("Never commit to main.", "Commit to `main` on port 80.")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := newStatement(a), newStatement(b)
		if r := relate(x, x, false); r != same {
			t.Errorf("%q is not the same as itself: %d", a, r)
		}
		if relate(x, y, false) == same && relate(y, x, false) != same {
			t.Errorf("%q and %q are the same one way only", a, b)
		}
	})
}

// TestSets holds sets against maps.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "aa", "é"})), 2, 2).Draw(t, "lists")
		in := [2]map[string]bool{{}, {}}
		for i, list := range lists {
			for _, x := range list {
				in[i][x] = true
			}
		}
		a, b := newSet(lists[0]), newSet(lists[1])
		want := 0
		for x := range in[0] {
			if in[1][x] {
				want++
			}
		}
		if len(a) != len(in[0]) || len(b) != len(in[1]) || a.common(b) != want {
			t.Errorf("%q and %q have %d in common, want %d", a, b, a.common(b), want)
		}
	})
}
