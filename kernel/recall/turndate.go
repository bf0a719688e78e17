package recall

import (
	"strconv"
	"time"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// dateTerm is a word of a query that names a part of a date; the zero one is
// none.
type dateTerm struct {
	month   time.Month
	weekday time.Weekday // plus 1
	year    int
	day     int
}

func (d *dateTerm) matches(t time.Time) bool {
	switch {
	case d.month != 0:
		return t.Month() == d.month
	case d.weekday != 0:
		return t.Weekday() == d.weekday-1
	case d.year != 0:
		return t.Year() == d.year
	case d.day != 0:
		return t.Day() == d.day
	}
	return false
}

// dateWords are the names of months and weekdays as terms.
var dateWords = func() map[string]dateTerm {
	out := map[string]dateTerm{}
	put := func(name string, d dateTerm) {
		for _, t := range analysis.Analyze(name) {
			out[t.Term] = d
		}
	}
	for m := time.January; m <= time.December; m++ {
		put(m.String(), dateTerm{month: m})
		put(m.String()[:3], dateTerm{month: m})
	}
	for w := time.Sunday; w <= time.Saturday; w++ {
		put(w.String(), dateTerm{weekday: w + 1})
	}
	return out
}()

// dates returns the parts of dates among the terms, by term, or nil. A number
// is a day only beside a month.
func (q *terms) dates() []dateTerm {
	out := make([]dateTerm, len(q.list))
	found, month := false, false
	for i, t := range q.list {
		if d, ok := dateWords[t.text]; ok {
			out[i], found = d, true
			month = month || d.month != 0
		} else if n, err := strconv.Atoi(t.text); err == nil && n >= 1970 && n < 2100 {
			out[i], found = dateTerm{year: n}, true
		}
	}
	if !found {
		return nil
	}
	for i, t := range q.list {
		if n, err := strconv.Atoi(t.text); month && err == nil && n >= 1 && n <= 31 {
			out[i] = dateTerm{day: n}
		}
	}
	return out
}
