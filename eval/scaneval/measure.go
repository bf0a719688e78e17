package scaneval

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// Judge says whether a text is flagged. An error is a refusal to judge it.
type Judge func(ctx context.Context, text string) (bool, error)

// Tally counts the rows of one label and category, or of several.
type Tally struct {
	Label    string
	Category string
	Rows     int
	Flagged  int
	Refused  int // of the flagged ones
	Baseline int
}

// Share returns the flagged rows in percent.
func (t Tally) Share() float64 { return percent(t.Flagged, t.Rows) }

// BaselineShare returns the rows that the baseline flags, in percent.
func (t Tally) BaselineShare() float64 { return percent(t.Baseline, t.Rows) }

func percent(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return 100 * float64(k) / float64(n)
}

// Latency is the time of one text.
type Latency struct {
	P50 time.Duration
	P99 time.Duration
	Max time.Duration
}

// Report is what was measured.
type Report struct {
	Kinds    []Tally // by label and whole category
	Groups   []Tally // by label and group
	Totals   []Tally // by label; without what Options.Without names
	Latency  Latency
	Baseline *Latency
}

// Options of [Measure].
type Options struct {
	Baseline Judge    // may be nil
	Without  []string // beginnings of categories that the totals leave out
}

// Measure judges every row. Its error is that of the context.
func Measure(ctx context.Context, rows []Row, judge Judge, opts Options) (Report, error) {
	m := measurement{opts: opts, kinds: tallies{}, groups: tallies{}, totals: tallies{}}
	for _, r := range rows {
		if err := m.row(ctx, r, judge); err != nil {
			return Report{}, err
		}
	}
	rep := Report{Kinds: m.kinds.sorted(), Groups: m.groups.sorted(), Totals: m.totals.sorted(), Latency: latency(m.ours)}
	if opts.Baseline != nil {
		l := latency(m.plain)
		rep.Baseline = &l
	}
	return rep, nil
}

type measurement struct {
	opts                  Options
	kinds, groups, totals tallies
	ours, plain           []time.Duration
}

func (m *measurement) row(ctx context.Context, r Row, judge Judge) error {
	group, _, _ := strings.Cut(r.Category, "/")
	counts := []*Tally{m.kinds.of(r.Label, r.Category), m.groups.of(r.Label, group)}
	if !slices.ContainsFunc(m.opts.Without, func(p string) bool { return strings.HasPrefix(r.Category, p) }) {
		counts = append(counts, m.totals.of(r.Label, ""))
	}
	start := time.Now()
	flagged, refused := judge(ctx, r.Text)
	m.ours = append(m.ours, time.Since(start))
	var plain bool
	if m.opts.Baseline != nil {
		start = time.Now()
		plain, _ = m.opts.Baseline(ctx, r.Text) // an error is that of ctx, which is asked below
		m.plain = append(m.plain, time.Since(start))
	}
	for _, c := range counts {
		c.Rows++
		c.Flagged += count(flagged || refused != nil)
		c.Refused += count(refused != nil)
		c.Baseline += count(plain)
	}
	return ctx.Err()
}

type tallies map[string]*Tally

func (t tallies) of(label, category string) *Tally {
	key := label + "\x00" + category
	if t[key] == nil {
		t[key] = &Tally{Label: label, Category: category}
	}
	return t[key]
}

// sorted returns the tallies, positives first.
func (t tallies) sorted() []Tally {
	out := []Tally{}
	for _, v := range slices.Collect(maps.Values(t)) {
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b Tally) int {
		return cmp.Or(-cmp.Compare(a.Label, b.Label), cmp.Compare(a.Category, b.Category))
	})
	return out
}

func latency(all []time.Duration) Latency {
	if len(all) == 0 {
		return Latency{}
	}
	slices.Sort(all)
	return Latency{P50: all[len(all)/2], P99: all[len(all)*99/100], Max: all[len(all)-1]}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
