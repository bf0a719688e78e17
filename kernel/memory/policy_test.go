package memory

import (
	"math"
	"testing"
	"time"
)

// TestRelevance holds the formula to values worked out by hand.
func TestRelevance(t *testing.T) {
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	heavy := Score{Importance: 0.9, Recency: 0.1, DecayDays: 30}
	for _, c := range []struct {
		score      Score
		importance float64
		days       int
		want       float64
	}{
		{heavy, 1, 0, 1},                               // .9 + .1
		{heavy, 1, 1, 0.9967},                          // .9 + .1 * e^(-1/30)
		{Score{}, 0.5, 3650, 0.35},                     // .7 * .5 + .3 * e^-121, below .45
		{Score{}, 0.5, 30, 0.4604},                     // .35 + .3 / e
		{Score{}, 1.5, 0, 1},                           // an importance is at most 1
		{Score{}, -0.5, 0, 0.3},                        // and at least 0
		{Score{}, 0.5, -400, 0.65},                     // from the future: as good as new
		{Score{0.5, 0.5, 7}, 0.2, 7, 0.1 + 0.5*0.3679}, // e^-1
	} {
		e := &Entry{Importance: c.importance, Updated: now.AddDate(0, 0, -c.days)}
		if got := c.score.Relevance(e, now); math.Abs(got-c.want) > 0.0001 {
			t.Errorf("%+v, importance %v, %d days old: %v, not %v", c.score, c.importance, c.days, got, c.want)
		}
	}
}
