package writeback

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// learner learns from one conversation for one job.
type learner struct {
	*Worker
	set     Settings
	job     *spool.Claim
	process process.Conversation
	done    *spool.Done

	turns  []process.Placed
	number map[string]int // of the turns, by id
	said   map[string]time.Time
	shown  []shown
	back   []retraction
	place  map[string]int // of the candidates among those that were found, from 1, by content
	scopes map[memory.ScopeID]*remembered
}

const (
	defaultEntries = 8
	// understood is how many turns from before are given along, so that the new ones
	// are understood: what a long conversation costs each time is what is new in it.
	understood = 200
	// maxText bounds what is held of a conversation, in bytes: its newest turns.
	maxText = 16 << 20
)

func (l *learner) run(ctx context.Context) error {
	mark, err := l.opts.Queue.Learned(l.process.UUID)
	if err != nil {
		return err
	}
	if err := l.read(ctx); err != nil {
		return err
	}
	last := process.Position{}
	if n := len(l.turns); n > 0 {
		last = l.turns[n-1].Next()
	}
	after := mark.Position.Number
	if after > last.Number { // the conversation's file is another one
		after = 0
	}
	if after == last.Number {
		return nil // nothing was said since
	}
	c := process.Transcript{Conversation: l.process, Turns: make([]process.Turn, len(l.turns))}
	for i := range l.turns {
		c.Turns[i] = l.turns[i].Turn
	}
	verdict := rules.Judge(c, rules.Settings{TriggerThreshold: l.set.TriggerThreshold, RequireSuccess: l.set.RequireSuccess})
	l.done.Verdict = cmp.Or(l.done.Verdict, verdict.Reason)
	near := c
	near.Turns = c.Turns[max(0, l.index(after)-understood):]
	found, err := l.extract(ctx, c, near, after, verdict)
	if err != nil {
		return err
	}
	l.back = l.retractions(near, verdict)
	if err := l.forget(ctx, after); err != nil {
		return err
	}
	if err := l.keep(ctx, l.choose(found, after, verdict)); err != nil {
		return err
	}
	if !verdict.Learn {
		return nil // once it is worth it, all of it is
	}
	l.done.Marks[l.process.UUID] = last
	return nil
}

// read takes in the conversation. Of a very long one the texts of the oldest turns
// are left out; that they were there counts.
func (l *learner) read(ctx context.Context) error {
	l.number, l.said = map[string]int{}, map[string]time.Time{}
	size, first := 0, 0
	for t, err := range l.opts.Conversations.Turns(ctx, l.process.Project, l.process.UUID, process.Position{}) {
		if err != nil {
			return err
		}
		l.turns = append(l.turns, t)
		l.number[t.ID], l.said[t.ID] = t.Number, t.Time
		for size += len(t.Content); size > maxText; first++ {
			size -= len(l.turns[first].Content)
			l.turns[first].Content = ""
		}
	}
	l.shown = servedIn(l.turns)
	return nil
}

// extract asks the model where there is one and the conversation is worth it, and
// the rules else.
func (l *learner) extract(ctx context.Context, c, near process.Transcript, after int, v rules.Verdict) ([]rules.Candidate, error) {
	if l.opts.First != nil && v.Learn {
		found, err := l.opts.First.Extract(ctx, c, l.index(after), l.most())
		switch {
		case err == nil:
			l.done.By = "llm"
			return append(l.asked(near), found...), nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.Is(err, ErrNoModel):
			l.opts.Log.Warn("writeback: the model was of no use, the rules stand in", "job", l.job.ID, "kind", memory.KindOf(err).Code(), "reason", memory.ReasonOf(err))
			l.done.Fallback = memory.KindOf(err).Code()
		}
	}
	l.done.By = "rules"
	return rules.Extract(near), nil
}

// asked are the candidates that a person asked for: that is for the rules to say.
func (l *learner) asked(c process.Transcript) []rules.Candidate {
	return slices.DeleteFunc(rules.Extract(c), func(c rules.Candidate) bool { return !c.Asked })
}

// index is how many of the turns have numbers up to after.
func (l *learner) index(after int) int {
	n, _ := slices.BinarySearchFunc(l.turns, after+1, func(t process.Placed, n int) int { return cmp.Compare(t.Number, n) })
	return n
}

func (l *learner) most() int { return cmp.Or(max(l.set.MaxEntries, 0), defaultEntries) }

// choose leaves the candidates that may be learned, the most important first:
// those of turns since the last time.
func (l *learner) choose(found []rules.Candidate, after int, v rules.Verdict) []rules.Candidate {
	found = slices.DeleteFunc(slices.Clone(found), func(c rules.Candidate) bool {
		fresh := slices.ContainsFunc(c.Turns, func(id string) bool { return l.number[id] > after })
		if !fresh || !v.Keeps(c) {
			return true
		}
		back := l.takenBack(c)
		if back {
			l.done.Dropped["removed"]++
		}
		return back
	})
	l.place = map[string]int{}
	for i, c := range found {
		l.place[c.Content] = i + 1
	}
	slices.SortStableFunc(found, func(a, b rules.Candidate) int {
		if a.Asked != b.Asked {
			if a.Asked {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Importance, a.Importance)
	})
	return found
}

// keep gives candidates to memory until as many are stored as one job may.
func (l *learner) keep(ctx context.Context, found []rules.Candidate) error {
	used := 0
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		if used >= l.most() {
			l.done.Dropped["max_entries"]++
			continue
		}
		reason, err := l.offer(ctx, c)
		if err != nil {
			return err
		}
		if reason != "" {
			l.done.Dropped[reason]++
		}
		if reason == "" || l.hadStored(c) {
			used++
		}
	}
	return nil
}

// hadStored says whether a candidate was stored from this conversation before:
// then it counts, such that learning from it again does not get further.
func (l *learner) hadStored(c rules.Candidate) bool {
	id, _ := l.scopeOf(c.Target)
	r := l.scopes[id]
	if r == nil {
		return false
	}
	s := l.statements.of(c.Content)
	for _, k := range r.entries {
		if k.Source.Process == l.process.UUID && relate(s, k.said, false) >= more {
			return true
		}
	}
	for _, x := range r.removed {
		if x.Entry.Source.Process == l.process.UUID && relate(s, x.said, false) >= more {
			return true
		}
	}
	return false
}

// offer gives one candidate to memory. The reason says why it was not stored.
func (l *learner) offer(ctx context.Context, c rules.Candidate) (reason string, err error) {
	id, ok := l.scopeOf(c.Target)
	switch {
	case !ok:
		return "invalid", nil
	case strings.Contains(c.Content, "[redacted:") || strings.Contains(c.Content, "[withheld:"):
		return "masked", nil
	case id.Scope == memory.ScopeProject && !l.opts.There(id.Owner):
		return "project_gone", nil
	}
	return l.attempt(func() (string, error) { return l.decide(ctx, id, c) })
}

// attempt has something done to memory, again when somebody else wrote at the same
// moment. What the store refuses is a reason why it was not done.
func (l *learner) attempt(do func() (reason string, err error)) (reason string, err error) {
	for try := 0; ; try++ {
		reason, err = do()
		switch memory.KindOf(err) {
		case memory.KindConflict: // somebody else wrote at the same moment
			if try < 2 && err != nil {
				l.scopes = nil
				continue
			}
		case memory.KindRejected, memory.KindOverLimit, memory.KindInvalid, memory.KindTooBig, memory.KindDenied, memory.KindReadOnly, memory.KindExists, memory.KindNotFound:
			if err != nil {
				return memory.KindOf(err).Code(), nil
			}
		}
		return reason, err
	}
}

// scopeOf is the scope of the kind that belongs to the conversation.
func (l *learner) scopeOf(target memory.Scope) (memory.ScopeID, bool) {
	switch target {
	case memory.ScopeProject:
		return memory.ScopeID{Scope: target, Owner: l.process.Project, UID: l.opts.UID}, true
	case memory.ScopeGlobal, memory.ScopeUser:
		return memory.ScopeID{Scope: target, Owner: uidName(l.opts.UID), UID: l.opts.UID}, true
	}
	return memory.ScopeID{}, false
}

// when is when a candidate was said.
func (l *learner) when(c rules.Candidate) time.Time {
	var at time.Time
	for _, id := range c.Turns {
		if t := l.said[id]; t.After(at) {
			at = t
		}
	}
	if at.IsZero() {
		at = cmp.Or(l.process.End, l.process.Start)
	}
	if now := l.opts.Now(); at.IsZero() || at.After(now) {
		at = now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// orderOf is the number of the first turn that a candidate was learned from.
func (l *learner) orderOf(c rules.Candidate) int {
	first := 0
	for _, id := range c.Turns {
		if n := l.number[id]; n > 0 && (first == 0 || n < first) {
			first = n
		}
	}
	return first
}

// overtakes says whether a candidate, said at a time, was said after what an entry
// has. Turns that came in one write have the same time, as do those without any:
// within a conversation their order decides then, and within a turn that of its
// sentences.
func (l *learner) overtakes(c rules.Candidate, at time.Time, k known) bool {
	if said := saidAt(k.Entry); !at.Equal(said) || k.Source.Process != l.process.UUID {
		return at.After(said)
	}
	now, before := l.lastOf(c.Turns), l.lastOf(k.Source.Turns)
	return now > before || now == before && k.place > 0 && l.place[c.Content] > k.place
}

// lastOf is the highest number of turns.
func (l *learner) lastOf(turns []string) (last int) {
	for _, id := range turns {
		last = max(last, l.number[id])
	}
	return last
}

// adopted says whether an entry was stored by this job before it was killed, or by
// an earlier one of the conversation that this one has taken the place of.
func (l *learner) adopted(ctx context.Context, e *memory.Entry) bool {
	return l.mine(ctx, e.Source, e.Updated)
}

// mine says whether a change at a time was made by such a job.
func (l *learner) mine(ctx context.Context, by memory.Source, at time.Time) bool {
	if by.Process != l.process.UUID || by.Trust != memory.TrustExtracted {
		return false
	}
	if by.Job == l.job.ID {
		return true
	}
	_, err := l.opts.Queue.Item(ctx, by.Job)
	var m *memory.Error
	return errors.As(err, &m) && m.Kind == memory.KindNotFound && l.opts.Now().Sub(at) < time.Hour
}

// source is where the conversation's turns come from, as the store keeps it.
func (l *learner) source(turns []string) memory.Source {
	uid := l.opts.UID
	return memory.Source{
		Trust: memory.TrustExtracted, Road: "writeback", UID: &uid,
		Process: l.process.UUID, Turns: turns, Job: l.job.ID,
	}
}
