package recall

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// turnSearch is one search of one index, in three steps, each of which looks
// closer at less: the scan of all passages, the scores of the best of those by all
// that the index knows, and the reading of the best of those.
type turnSearch struct {
	turnScan
	turns TurnReader
	kind  *questionKind // nil: none that is known
	rare  uint64        // words of the question
}

// turnPlace is a passage that was found, and its turn once that was read.
type turnPlace struct {
	turnCandidate
	of   *conversation
	turn *process.Turn
}

// search returns the turns that match as hits, the best first, and how many
// match.
func (c *Conversations) search(ctx context.Context, asked *terms, q *Query) ([]candidateHit, int, error) {
	if q.lists && c.opts.Source == SourceConversation {
		return c.list(ctx, q)
	}
	s, weighed := &turnSearch{turns: c.turns}, c.tuning
	if c.opts.Source == SourceConversation {
		if s.kind = kindOf(q.Text); s.kind != nil {
			copy(weighed.roles[:], s.kind.roles[:])
		}
	}
	s.tuning, s.asked, s.filter, s.scratch = &weighed, asked, q, scratches.Get().(*scratch)
	defer scratches.Put(s.scratch)
	places, err := c.places(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	order, err := s.reread(ctx, places)
	if err != nil {
		return nil, 0, err
	}
	var out []candidateHit
	for _, p := range turnsOf(places, order, q.Max) {
		if err := s.load(ctx, p); err != nil {
			return nil, 0, err
		}
		if p.hidden || p.units == 0 && c.opts.Source == SourceKnowledge { // nobody replies in a document
			continue
		}
		found := s.hit(p)
		if found.hit.Source = c.opts.Source; c.opts.Source == SourceKnowledge {
			found.hit.Key = p.turn.ID
		}
		if q.Explain {
			found.hit.Explanation = s.explain(&p.turnCandidate)
		}
		out = append(out, found)
	}
	return out, s.total, nil
}

// places does what needs the index, and holds it.
func (c *Conversations) places(ctx context.Context, s *turnSearch) ([]turnPlace, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, errClosed
	}
	s.table, s.snap = c.table, c.snapshot()
	defer s.snap.Close()
	if err := s.run(ctx); err != nil {
		if errors.Is(err, postings.ErrCorrupt) {
			err = c.fault("recall", err)
		}
		return nil, err
	}
	list := s.candidates()
	places := make([]turnPlace, len(list))
	known := map[uint32]*conversation{} // copies: the table may change when it is no longer held
	for i := range list {
		n := list[i].row.conversation
		if known[n] == nil {
			of := s.table.conversations[n]
			known[n] = &of
		}
		places[i] = turnPlace{list[i], known[n], nil}
	}
	return places, nil
}

// reread reads the best passages again, adds what their text tells, and returns
// the order of all.
func (s *turnSearch) reread(ctx context.Context, places []turnPlace) ([]int, error) {
	w := newWeights(*s.asked, s.idf)
	s.rare = w.rare(float64(s.table.live()))
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int { return places[a].compare(&places[b]) }
	slices.SortFunc(order, compare)
	best := slices.Clone(order[:min(len(order), s.tuning.read)])
	asked, errs := make([]float64, len(best)), make([]error, len(best))
	parallel(len(best), func(i int) {
		p := &places[best[i]]
		if errs[i] = s.load(ctx, p); errs[i] == nil {
			asked[i] = w.asked(passageText(p.turn.Content, &p.row))
		}
	})
	for i, k := range best {
		if errs[i] != nil {
			return nil, errs[i]
		}
		s.learn(places, k, asked[i], w.sum)
		if p := &places[k]; s.kind != nil && !p.hidden && s.kind.signed(places, k) {
			p.score += s.tuning.sign * w.coverage(p.units) * w.sum
		}
	}
	slices.SortFunc(order, compare)
	if s.kind != nil && s.kind.sign == "newest" {
		newestFirst(places, order)
	}
	return order, nil
}

// goodShare is what a good match has of the best one's score.
const goodShare = 0.8

// newestFirst orders the good matches by time, and deals their scores out again.
func newestFirst(places []turnPlace, order []int) {
	var scores []float64
	for _, i := range order {
		if places[i].score < goodShare*places[order[0]].score {
			break
		}
		scores = append(scores, places[i].score)
	}
	slices.SortStableFunc(order[:len(scores)], func(a, b int) int { return cmp.Compare(places[b].row.time, places[a].row.time) })
	for i, x := range scores {
		places[order[i]].score = x
	}
}

// learn moves a part of a question's score to the passage that replies to it.
func (s *turnSearch) learn(places []turnPlace, k int, asked, sum float64) {
	if reply := replyTo(places, k); reply >= 0 {
		places[k].score -= s.tuning.asking * asked * sum
		places[reply].score += s.tuning.answering * asked * sum
	}
}

// maxBetween is how many passages a person may add before the other replies.
const maxBetween = 3

// replyTo returns the passage of the person who replies to one, or -1. What a
// person asks an assistant is worth as much as the answer; what a person is asked
// is answered by what comes next.
func replyTo(places []turnPlace, k int) int {
	asker := &places[k].row
	at := places[k].next
	for range maxBetween {
		if at < 0 {
			return -1
		}
		r := &places[at].row
		if r.turn != asker.turn && (r.role != asker.role || r.speaker != asker.speaker || r.speaker == 0) {
			if r.role != userRole {
				return -1
			}
			return int(at)
		}
		at = places[at].next
	}
	return -1
}

// load reads the turn of a passage. One that its store no longer has is hidden:
// the index will be told.
func (s *turnSearch) load(ctx context.Context, p *turnPlace) error {
	if p.turn != nil {
		return nil
	}
	turn, err := s.turns.Turn(ctx, p.of.UUID, p.row.offset)
	switch {
	case memory.KindOf(err) == memory.KindNotFound && err != nil:
		p.hidden = true
	case err != nil:
		return err
	}
	p.turn = &turn
	return nil
}

// compare orders: the best first, then the newest, then as the conversation is
// named, then as they were said.
func (p *turnPlace) compare(other *turnPlace) int {
	if c := cmp.Compare(other.score, p.score); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(other.row.time, p.row.time), cmp.Compare(p.of.UUID, other.of.UUID),
		cmp.Compare(p.row.turn, other.row.turn), cmp.Compare(p.row.passage, other.row.passage),
	)
}

// spare is how many more turns are ranked than asked for, so that others can take
// the places of what one conversation has too many of.
const spare = 20

// turnsOf returns the first turns, of each its best passage, none that the filter
// hides: some more than limit, but of no conversation more than that.
func turnsOf(places []turnPlace, order []int, limit int) []*turnPlace {
	type key struct{ conversation, turn uint32 }
	seen, count := map[key]bool{}, map[uint32]int{}
	var out []*turnPlace
	for _, i := range order {
		p := &places[i]
		k := key{p.row.conversation, p.row.turn}
		if p.hidden || seen[k] || p.score <= 0 || count[p.row.conversation] == limit {
			continue
		}
		seen[k] = true
		count[p.row.conversation]++
		if out = append(out, p); len(out) == limit+spare {
			break
		}
	}
	return out
}

// clock is when the turn was said; where that is unknown, when its conversation began.
func (p *turnPlace) clock() time.Time {
	if p.row.time != 0 {
		return p.row.clock()
	}
	began := turnRow{time: p.of.Start}
	return began.clock()
}

// turnShare is what a turn is worth beside an entry that matches as well:
// entries were written to be remembered.
const turnShare = 0.9

// hit makes a hit of a passage whose turn was read.
func (s *turnSearch) hit(p *turnPlace) candidateHit {
	score := 0.0
	if s.ideal > 0 {
		score = turnShare * min(1, p.score/s.ideal)
	}
	return candidateHit{
		hit: Hit{
			ID: p.of.UUID, Score: score,
			Turn: int(p.row.turn), Role: roles[p.row.role], Title: p.of.Title, Agent: p.of.Agent,
			Timestamp: p.clock(),
		},
		text:    p.turn.Content,
		exact:   s.rare != 0 && s.rare&^p.units == 0,
		turnID:  p.turn.ID,
		passage: p.row.span(),
	}
}
