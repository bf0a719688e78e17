package recall

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// days makes a query that asks for no more than what was done on a day, in a month or
// lately list the conversations of that time, by the clock and time zone of now.
func (q *Query) days(now time.Time) {
	text := plain(q.Text)
	if !saysAny(text, signs["done"]) || !q.Since.IsZero() || !q.Until.IsZero() {
		return
	}
	since, until := dayRange(strings.Fields(text), now)
	q.lists = !since.IsZero() && !slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		tokens := analysis.Analyze(w)
		_, number := dayNumber(w)
		said := number || len(tokens) == 0 || tokens[0].Stop || slices.Contains(signs["day"], w)
		return !said && dateWords[tokens[0].Term] == dateTerm{}
	})
	if q.lists {
		q.Since, q.Until = since, until
	}
}

// dayRange returns the time that the words of a query name, zero for none.
func dayRange(words []string, now time.Time) (since, until time.Time) {
	y, m, d := now.Date()
	at := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	}
	today, monday := at(y, m, d), d-int(now.Weekday()+6)%7
	text := " " + strings.Join(words, " ") + " "
	for phrase, r := range map[string][2]time.Time{
		"today": {today, at(y, m, d+1)}, "yesterday": {at(y, m, d-1), today},
		"this week": {at(y, m, monday), at(y, m, monday+7)}, "last week": {at(y, m, monday-7), at(y, m, monday)},
		"this month": {at(y, m, 1), at(y, m+1, 1)}, "last month": {at(y, m-1, 1), at(y, m, 1)},
	} {
		if strings.Contains(text, " "+phrase+" ") && !strings.Contains(text, " "+phrase+" of ") {
			since, until = r[0], r[1]
		}
	}
	var month time.Month
	var numbers []int
	year := 0
	for i, w := range words {
		n, isNumber := dayNumber(w)
		var date dateTerm
		if tokens := analysis.Analyze(w); len(tokens) > 0 {
			date = dateWords[tokens[0].Term]
		}
		switch {
		case date.month != 0:
			month = date.month
		case date.weekday != 0 && since.IsZero():
			back := (int(now.Weekday()) - int(date.weekday-1) + 7) % 7
			since, until = at(y, m, d-back), at(y, m, d-back+1)
		case isNumber && n >= 1970:
			if year = n; i+2 < len(words) && month == 0 { // 2025-04-29
				if k, ok := dayNumber(words[i+1]); ok && k <= 12 {
					month, words[i+1] = time.Month(k), ""
				}
			}
		case isNumber && n <= 31:
			numbers = append(numbers, n)
		}
	}
	if month == 0 {
		return since, until
	}
	if year == 0 {
		if year = y; at(year, month, 1).After(now) {
			year--
		}
	}
	if len(numbers) == 0 {
		return at(year, month, 1), at(year, month+1, 1)
	}
	return at(year, month, slices.Min(numbers)), at(year, month, slices.Max(numbers)+1)
}

// dayNumber reads the number of a day or a year: 29, 29th, 2025.
func dayNumber(w string) (int, bool) {
	if len(w) > 2 {
		w = strings.TrimRight(w, "stndrh")
	}
	n, err := strconv.Atoi(w)
	return n, err == nil && (n >= 1 && n <= 31 || n >= 1970 && n < 2100)
}

// list returns the conversations that pass the filter, in order: of each what the user said
// first in that time.
func (c *Conversations) list(ctx context.Context, q *Query) ([]candidateHit, int, error) {
	s := &turnSearch{turns: c.turns}
	s.filter = q
	var found []*turnPlace
	for _, p := range c.firsts(q) {
		if err := s.load(ctx, p); err != nil {
			return nil, 0, err
		}
		if !p.hidden {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b *turnPlace) int {
		return cmp.Or(cmp.Compare(a.row.time, b.row.time), cmp.Compare(a.of.UUID, b.of.UUID))
	})
	var out []candidateHit
	for i, p := range found[:min(len(found), q.Max)] {
		h := s.hit(p)
		h.hit.Source, h.hit.Score = c.opts.Source, turnShare*(1-float64(i)/float64(len(found)+1))
		out = append(out, h)
	}
	return out, len(found), nil
}

// firsts returns the first passage of a user of each conversation that passes the filter,
// or where there is none, the first.
func (c *Conversations) firsts(q *Query) map[uint32]*turnPlace {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := map[uint32]*turnPlace{}
	if c.closed {
		return out
	}
	snap := c.snapshot()
	defer snap.Close()
	for _, r := range c.table.runs {
		of := c.table.conversations[r.conversation]
		for p := r.first; p < r.first+r.count && q.passesConversation(&of); p++ {
			if known := out[r.conversation]; known != nil && known.row.role == userRole {
				break
			}
			row := decodeRow(snap.Row(p))
			if row.time == 0 {
				row.time = of.Start
			}
			if q.passesRow(&row) && (out[r.conversation] == nil || row.role == userRole) {
				out[r.conversation] = &turnPlace{turnCandidate{passage: p, row: row}, &of, nil}
			}
		}
	}
	return out
}
