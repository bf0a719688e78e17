package recall

import (
	"context"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// turnFilter says which turns a query is about at all.
type turnFilter struct {
	since, until time.Time
	role         process.Role
	process      string
	agent        string
}

// turnPlace is a turn that was found.
type turnPlace struct {
	candidate turnCandidate
	process   heldProcess
	turn      process.Turn
	read      bool
}

// find returns the turns that match, the best first, at most limit of them, and
// how many passages matched.
func (c *Conversations) find(ctx context.Context, asked *terms, f *turnFilter, limit int) ([]turnPlace, *turnSearch, error) {
	s := &turnSearch{c: c, tuning: &c.tuning, asked: asked, filter: f, scratch: scratches.Get().(*scratch)}
	defer scratches.Put(s.scratch)
	list, err := s.locked(ctx)
	if err != nil {
		return nil, nil, err
	}
	low := strings.ToLower(c.question(asked))
	s.wantsTime = strings.Contains(low, "when ") || strings.Contains(low, "how long") || strings.Contains(low, "how often") || strings.Contains(low, "what date") || strings.Contains(low, "which year") || strings.Contains(low, "which month") || strings.Contains(low, "what year") || strings.Contains(low, "what month")
	s.wantsNumber = strings.Contains(low, "how many") || strings.Contains(low, "how much") || strings.Contains(low, "how old") || strings.Contains(low, "how long")
	places, err := s.reread(ctx, list)
	if err != nil {
		return nil, nil, err
	}
	var out []turnPlace
	seen := map[[2]uint32]bool{}
	for _, p := range places {
		key := [2]uint32{p.candidate.row.process, p.candidate.row.turn}
		if seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, p)
		if len(out) == limit {
			break
		}
	}
	return out, s, nil
}

func (s *turnSearch) locked(ctx context.Context) ([]turnCandidate, error) {
	s.c.mu.RLock()
	defer s.c.mu.RUnlock()
	s.table = s.c.table
	s.snap = s.c.index.Snapshot()
	defer s.snap.Close()
	if err := s.scan(ctx); err != nil {
		return nil, err
	}
	list := s.candidates()
	s.score(list)
	s.order(list)
	return list, nil
}

func (s *turnSearch) ranking() ranking {
	r := ranking{terms: *s.asked, weights: make([]float64, s.asked.units)}
	for i, t := range s.asked.list {
		if t.unit >= 0 {
			r.weights[t.unit] = s.idf[i]
			r.sum += s.idf[i]
		}
	}
	return r
}

// search returns the turns that match as hits, and how many there are.
func (c *Conversations) search(ctx context.Context, asked *terms, q *Query) ([]place, int, error) {
	f := &turnFilter{q.Since, q.Until, q.Role, q.Process, q.Agent}
	found, s, err := c.find(ctx, asked, f, q.Max)
	if err != nil {
		return nil, 0, err
	}
	out := make([]place, len(found))
	for i := range found {
		if p := &found[i]; !p.read {
			if p.turn, err = c.turns.Turn(ctx, p.process.uuid, p.candidate.row.offset); err != nil {
				return nil, 0, err
			}
		}
		out[i] = s.hit(&found[i])
	}
	return out, len(found), nil
}

// unit brings a score to 0 to 1.
func (s *turnSearch) unit(score float64) float64 {
	ideal := 0.0
	for i := range s.idf {
		ideal += s.idf[i] + s.tuning.session*s.sidf[i]
	}
	if ideal <= 0 {
		return 0
	}
	x := score / ideal
	return x / (1 + x)
}

func (c *Conversations) question(q *terms) string { return q.text }
