package scanner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// workBound is how many times a view a rule's expression may read it.
const workBound = 4

// repeated returns texts of a size that are nothing but what a rule looks for.
func repeated(text string, size int) []string {
	var out []string
	for _, sep := range []string{" ", "\n", ""} {
		all := strings.Repeat(text+sep, size/len(text+sep)+1)[:size]
		out = append(out, strings.ToValidUTF8(all, ""))
	}
	return out
}

// ownExamples calls f with each rule alone and each text that it must find.
func ownExamples(t testing.TB, f func(r *rule, text string)) {
	t.Helper()
	eachOwn(t, func(spec ruleSpec, r *rule) {
		for _, c := range spec.Tests {
			if c.Want {
				f(r, expand(c.Text))
			}
		}
	})
}

// No rule reads a text more often than the bound, not one that is made of what
// the rule looks for. Bytes are counted, not time: the machine may be busy. What a
// filter reads is bounded for a view, and left out.
func TestWorkOfEachRule(t *testing.T) {
	const size = 2 << 10
	type cost struct {
		rule string
		k    float64
	}
	var costs []cost
	engines := map[*rule]*engine{}
	ownExamples(t, func(r *rule, text string) {
		e := engines[r]
		if e == nil {
			r.filter = nil
			e = newEngine([]*rule{r})
			engines[r] = e
		}
		for _, long := range repeated(text, size) {
			v, w := &view{kind: viewRaw, text: long}, &windows{}
			found := 0
			if err := e.run(context.Background(), v, w, func(*match) bool { found++; return found < 200 }); err != nil {
				t.Fatal(err)
			}
			costs = append(costs, cost{r.id, float64(w.work) / float64(len(long))})
		}
	})
	slices.SortFunc(costs, func(a, b cost) int { return int(1000 * (b.k - a.k)) })
	for _, c := range costs[:3] {
		t.Logf("%s reads a text %.1f times", c.rule, c.k)
	}
	for _, c := range costs {
		if c.k > workBound {
			t.Errorf("%s reads a text %.1f times, limit %d", c.rule, c.k, workBound)
		}
	}
}

// countdown is a context whose deadline is after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// After the deadline no more is read than the piece at hand.
func TestDeadlineEndsWork(t *testing.T) {
	s := scanner(t)
	text := repeated("alias sudo=", s.opts.MaxText)[0]
	for _, looks := range []int{0, 1, 2, 9} {
		w := &windows{}
		err := s.engine.scan(&countdown{t.Context(), looks}, Field{Name: "content", Text: text}, w, func(*match) bool { return true })
		if err == nil {
			t.Fatal("no error after the deadline")
		}
		if limit := looks * wholePiece; w.work > limit {
			t.Errorf("%d looks at the deadline: %d bytes read, limit %d", looks, w.work, limit)
		}
	}
}

// What excuses an act, or presses for it, is read for so many acts of a text, and no
// more.
func TestExcusesAreBounded(t *testing.T) {
	s := scanner(t)
	for _, line := range []string{"never run rm -rf /\n", "git push --force origin main\n"} {
		for n, want := range map[int]bool{maxActs / 4: false, 8 * maxActs: true} {
			rep := scanText(t, s, strings.Repeat(line, n))
			if got := len(rep.Findings) > 0; got != want {
				t.Errorf("%q %d times: refused %v, want %v", line, n, got, want)
			}
		}
	}
}

// BenchmarkRules prints the three rules whose own examples, repeated to 64 KB, take
// longest.
func BenchmarkRules(b *testing.B) {
	s := scanner(b)
	type cost struct {
		name string
		took time.Duration
	}
	for b.Loop() {
		var costs []cost
		ownExamples(b, func(r *rule, text string) {
			for _, long := range repeated(text, 64<<10) {
				took := best(func() { _, _ = s.Scan(context.Background(), []Field{{Name: "content", Text: long}}) })
				costs = append(costs, cost{r.id, took})
			}
		})
		slices.SortFunc(costs, func(a, b cost) int { return int(b.took - a.took) })
		for i, c := range costs[:3] {
			b.ReportMetric(float64(c.took.Milliseconds()), fmt.Sprintf("%d-%s-ms", i+1, c.name))
		}
	}
}
