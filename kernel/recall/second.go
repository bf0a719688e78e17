package recall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
)

// What the second look is worth. Only measurements change these.
const (
	secondDepth  = 100  // of the results by words, and of the nearest, that are fused
	secondWeight = 0.05 // of the nearest, in parts of a perfect match by words
	exactWeight  = 0.25 // of that, for a question with quotes or identifiers
	nearestPlace = 10   // the nearest is among so many
	maxAdded     = 5    // results that words did not find
	rareWeight   = 4.6  // of a word that one passage in a hundred has
)

// second is the second look of a search, by meaning. A nil one does not look.
type second struct {
	*Engine
	wait    func(context.Context) ([]float32, string)
	entries []*scopeIndex
	turns   []*Conversations
	exact   bool // the question means its very words
	state   string
}

// second begins a second look, where there is an endpoint for it.
func (e *Engine) second(indexes []*scopeIndex, asked *terms, q *Query) *second {
	if q.lists || q.ByWords || !e.opts.Look.On() {
		return nil
	}
	s := &second{Engine: e, wait: e.opts.Look.Ask(q.Text), exact: asked.exact(), state: meaning.Late}
	if q.wantsEntries() {
		s.entries = indexes
	}
	for _, c := range q.Conversations {
		if c.opts.Source == SourceConversation && q.wantsTurns(c.opts.Source) {
			s.turns = append(s.turns, c)
		}
	}
	return s
}

// exact reports whether a question has quotes or identifiers.
func (q *terms) exact() bool {
	return strings.ContainsAny(q.text, "\"`_") || slices.ContainsFunc(analysis.Analyze(q.text), func(t analysis.Token) bool {
		return t.Kind == analysis.Whole && !strings.Contains(q.text[t.Start:t.End], "-")
	})
}

// depth is how many results by words are wanted, of a page of so many.
func (s *second) depth(most int) int {
	if s == nil {
		return most
	}
	return max(most, secondDepth)
}

// add fuses what words found, the best first, with what is near by meaning in the same
// scopes. Where words found nothing, nothing is.
func (s *second) add(ctx context.Context, q *Query, found []candidateHit) ([]candidateHit, error) {
	if s == nil {
		return found, nil
	}
	if len(found) == 0 {
		s.state = ""
		return nil, nil
	}
	var vector []float32
	if vector, s.state = s.wait(ctx); vector == nil {
		return found, nil
	}
	var near []candidateHit
	for _, ix := range s.entries {
		list, err := ix.nearest(q, &s.opts, vector)
		if err != nil {
			return nil, err
		}
		near = append(near, list...)
	}
	for _, c := range s.turns {
		list, err := c.nearest(ctx, q, vector)
		if err != nil {
			return nil, err
		}
		near = append(near, list...)
	}
	if len(near) == 0 {
		s.state = meaning.Late // no text has its vector yet
		return found, nil
	}
	slices.SortStableFunc(near, func(a, b candidateHit) int { return cmp.Compare(b.near, a.near) })
	return fuse(found, near[:min(len(near), secondDepth)], s.exact), nil
}

// fuse orders by the score and the nearness, from the nearest to the last of the near. A
// first result that has all the rare words of the question stays the first.
func fuse(found, near []candidateHit, exact bool) []candidateHit {
	type name struct {
		source Source
		id     string
		turn   int
	}
	nameOf := func(c *candidateHit) name { return name{c.hit.Source, c.hit.ID, c.hit.Turn} }
	at, first, nearest, low := map[name]int{}, nameOf(&found[0]), nameOf(&near[0]), near[len(near)-1].near
	sure, weight, most := found[0].exact, secondWeight, len(found)+maxAdded
	if exact {
		weight *= exactWeight
	}
	for i := range found {
		at[nameOf(&found[i])] = i
	}
	for _, n := range near {
		i, known := at[nameOf(&n)]
		switch {
		case known:
			if e := found[i].hit.Explanation; e != nil {
				e.Meaning = float64(n.near)
			}
		case len(found) == most:
			continue
		default:
			i, found = len(found), append(found, n)
		}
		if near[0].near > low {
			found[i].hit.Score = min(1, found[i].hit.Score+weight*float64((n.near-low)/(near[0].near-low)))
		}
	}
	slices.SortStableFunc(found, func(a, b candidateHit) int { return cmp.Compare(b.hit.Score, a.hit.Score) })
	scores := make([]float64, len(found))
	for i := range found {
		scores[i] = found[i].hit.Score
	}
	lift := func(n name, place int) {
		if i := slices.IndexFunc(found, func(c candidateHit) bool { return nameOf(&c) == n }); i > place {
			c := found[i]
			copy(found[place+1:i+1], found[place:i])
			found[place] = c
		}
	}
	if !exact {
		lift(nearest, nearestPlace-1)
	}
	if sure {
		lift(first, 0)
	}
	for i := range found {
		found[i].hit.Score = scores[i]
	}
	return found
}

// end has the texts that were searched get vectors, and says what became of the look.
func (s *second) end() string {
	if s == nil {
		return ""
	}
	for _, ix := range s.entries {
		s.opts.Look.Want(ix)
	}
	for _, c := range s.turns {
		s.opts.Look.Want(c)
	}
	return s.state
}

// keyOf says which text it is.
func keyOf(kind string, text []byte) uint64 {
	sum := sha256.Sum256(append([]byte(kind), text...))
	return binary.LittleEndian.Uint64(sum[:]) | 1 // 0 is none
}

// sent is a passage of a text that is to have a vector. A private key of 4096 bits that it
// is in the middle of is in what is around it.
func sent(key uint64, text string, p Span) meaning.Text {
	const seam = 4 << 10
	p = Span{min(p.Start, len(text)), min(p.End, len(text))}
	from, to := alignBack(text, max(0, p.Start-seam)), alignBack(text, min(len(text), p.End+seam))
	return meaning.Text{Key: key, Text: text[p.Start:p.End], Around: text[from:to]}
}

// Vectors implements meaning.Source.
func (ix *scopeIndex) Vectors() *meaning.Index { return &ix.vectors }

func (ix *scopeIndex) text(i int) string {
	p := &ix.passages[i]
	return p.doc.texts[fieldText][p.Start:p.End]
}

// seen are the passages that pass, as their vectors are known by; the index is locked.
func (ix *scopeIndex) seen(pass func(*document) bool) meaning.Texts {
	return meaning.Texts{
		N:    len(ix.passages),
		Key:  func(i int) uint64 { return keyOf("", []byte(ix.text(i))) },
		Live: func(i int) bool { return ix.passages[i].doc != nil && pass(ix.passages[i].doc) },
	}
}

// Missing implements meaning.Source.
func (ix *scopeIndex) Missing(_ context.Context, most int) (meaning.Missing, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	m := ix.vectors.Missing(ix.seen(func(*document) bool { return true }), most)
	for _, i := range m.Numbers {
		p := &ix.passages[i]
		m.Texts = append(m.Texts, sent(keyOf("", []byte(ix.text(i))), p.doc.texts[fieldText], p.Span))
	}
	return m, nil
}

// nearest returns the entries that are nearest to a question.
func (ix *scopeIndex) nearest(q *Query, opts *Options, question []float32) (out []candidateHit, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lifetimes, now := opts.Lifetimes(ix.id), opts.Now()
	near, err := ix.vectors.Nearest(question, ix.seen(func(d *document) bool {
		return q.passes(d) && lifetimes.Fate(d.entry, now) == memory.Lives
	}), secondDepth)
	for _, n := range near {
		p := &ix.passages[n.Text]
		h := candidateHit{
			hit: Hit{
				ID: p.doc.entry.ID, Key: p.doc.entry.Key, Scope: ix.id, Source: SourceMemory, Entry: p.doc.entry, Timestamp: p.doc.updated,
			},
			text: p.doc.texts[fieldText], passage: p.Span, near: n.Near,
		}
		if q.Explain {
			h.hit.Explanation = &Explanation{Meaning: float64(n.Near)}
		}
		out = append(out, h)
	}
	return out, err
}

// Vectors implements meaning.Source.
func (c *Conversations) Vectors() *meaning.Index { return &c.vectors }

// seen calls fn with the passages of what people and agents say, as far as they pass, and
// the row of each.
func (c *Conversations) seen(pass func(*conversation, *turnRow) bool, fn func(t meaning.Texts, row func(i int) []byte) error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return errClosed
	}
	snap := c.snapshot()
	defer snap.Close()
	row := func(i int) []byte { return snap.Row(uint32(i)) }
	return fn(meaning.Texts{
		N:   int(snap.Docs()),
		Key: func(i int) uint64 { return c.turnKey(row(i)) },
		Live: func(i int) bool {
			r := decodeRow(row(i))
			return !c.table.isRemoved(uint32(i)) && pass(&c.table.conversations[r.conversation], &r)
		},
	}, row)
}

// turnKey is made of all that a row says, but for the number of the conversation. What
// tools say has none.
func (c *Conversations) turnKey(row []byte) uint64 {
	if decodeRow(row).role > assistantRole {
		return 0
	}
	return keyOf(c.table.conversations[binary.LittleEndian.Uint32(row)].UUID, row[4:])
}

// Missing implements meaning.Source.
func (c *Conversations) Missing(ctx context.Context, most int) (m meaning.Missing, err error) {
	var places []turnPlace
	var keys []uint64
	err = c.seen(func(*conversation, *turnRow) bool { return true }, func(t meaning.Texts, row func(i int) []byte) error {
		m = c.vectors.Missing(t, most)
		for _, i := range m.Numbers {
			places, keys = append(places, c.place(row(i))), append(keys, t.Key(i))
		}
		return nil
	})
	s := turnSearch{turns: c.turns}
	for i := range places {
		if err := s.load(ctx, &places[i]); err != nil {
			return m, err
		}
		if !places[i].hidden {
			m.Texts = append(m.Texts, sent(keys[i], places[i].turn.Content, places[i].row.span()))
		}
	}
	return m, err
}

func (c *Conversations) place(row []byte) turnPlace {
	r := decodeRow(row)
	of := c.table.conversations[r.conversation]
	return turnPlace{turnCandidate{row: r}, &of, nil}
}

// nearest returns the turns that are nearest to a question, each by its nearest passage.
func (c *Conversations) nearest(ctx context.Context, q *Query, question []float32) (out []candidateHit, err error) {
	var places []turnPlace
	var by []float32
	err = c.seen(func(of *conversation, r *turnRow) bool { return q.passesConversation(of) && q.passesRow(r) },
		func(t meaning.Texts, row func(i int) []byte) error {
			near, err := c.vectors.Nearest(question, t, secondDepth)
			for _, n := range near {
				places, by = append(places, c.place(row(n.Text))), append(by, n.Near)
			}
			return err
		})
	s := turnSearch{turns: c.turns}
	seen := map[[2]uint32]bool{}
	for i := range places {
		p := &places[i]
		turn := [2]uint32{p.row.conversation, p.row.turn}
		if err := s.load(ctx, p); err != nil {
			return nil, err
		}
		if !p.hidden && !seen[turn] {
			seen[turn] = true
			h := s.hit(p)
			if h.near, h.hit.Source = by[i], c.opts.Source; q.Explain {
				h.hit.Explanation = &Explanation{Meaning: float64(by[i]), Passage: p.row.span()}
			}
			out = append(out, h)
		}
	}
	return out, err
}
