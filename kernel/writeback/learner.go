package writeback

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// learner learns from one conversation for one job.
type learner struct {
	*Worker
	set  Settings
	job  *spool.Claim
	done *spool.Done

	spoken
	scopes map[memory.ScopeID]*remembered
	shown  map[string]memory.ScopeID // the entries that the model was shown, by id
	quotes map[string][]spool.Quote  // on which candidates rest, by content
}

const (
	defaultEntries = 20
	// understood is how many turns from before are given along, so that the new ones
	// are understood: what a long conversation costs each time is what is new in it.
	understood = 200
)

func (l *learner) run(ctx context.Context) error {
	mark, err := l.opts.Queue.Learned(l.process.UUID)
	if err != nil {
		return err
	}
	if l.spoken, err = listen(ctx, l.opts, l.process); err != nil {
		return err
	}
	last, after := l.end(), cmp.Or(l.done.Marks[l.process.UUID], mark.Position).Number
	if after > last.Number { // the conversation's file is another one
		after = 0
	}
	if after == last.Number {
		return nil // nothing was said since
	}
	c := l.transcript()
	verdict := l.set.judge(c)
	l.done.Verdict = cmp.Or(l.done.Verdict, verdict.reason)
	near := c
	near.Turns = c.Turns[max(0, l.index(after)-understood):]
	found, answer, err := l.extract(ctx, c, near, after, verdict)
	if err != nil {
		return err
	}
	if err := l.change(ctx, answer.Operations); err != nil {
		return err
	}
	if err := l.keep(ctx, l.choose(found, after, verdict)); err != nil {
		return err
	}
	if err := l.summarize(ctx, c, answer.Summary, verdict); err != nil {
		return err
	}
	if !verdict.learn {
		return nil // once it is worth it, all of it is
	}
	l.done.Marks[l.process.UUID] = last
	return nil
}

// extract asks the model where there is one and the conversation is worth it, and
// the rules else. What a person asked for is for the rules to say in any case.
func (l *learner) extract(ctx context.Context, c, near process.Transcript, after int, v verdict) ([]rules.Candidate, llm.Answer, error) {
	found := l.rules(near)
	l.done.By = "rules"
	if l.set.Model == nil || !v.learn || !l.worthAsking(c, after) {
		return found, llm.Answer{}, nil
	}
	a, err := l.ask(ctx, c, after)
	switch {
	case err == nil:
		l.done.By, l.done.Fallback = "llm", ""
		for reason, n := range a.Dropped {
			l.done.Dropped[reason] += n
		}
		found = slices.DeleteFunc(found, func(c rules.Candidate) bool { return !c.Asked })
		return append(found, l.candidates(a)...), a, nil
	case ctx.Err() != nil:
		return nil, a, ctx.Err()
	case l.waits(err):
		return nil, a, later{err}
	}
	l.opts.Log.Warn("writeback: the model was of no use, the rules stand in", "job", l.job.ID, "kind", memory.KindOf(err).Code(), "reason", memory.ReasonOf(err))
	l.done.Fallback = memory.KindOf(err).Code() + ": " + memory.ReasonOf(err)
	return found, llm.Answer{}, nil
}

func (l *learner) most() int { return cmp.Or(max(l.set.MaxEntries, 0), defaultEntries) }

// choose leaves the candidates that may be learned, the most important first:
// those of turns since the last time.
func (l *learner) choose(found []rules.Candidate, after int, v verdict) []rules.Candidate {
	found = slices.DeleteFunc(slices.Clone(found), func(c rules.Candidate) bool {
		return l.last(c.Turns).Number <= after || !v.keeps(c)
	})
	for i, c := range found {
		l.place[c.Content] = i + 1
		if v.failed && c.Category == rules.Command {
			found[i].Importance = 0.9
		}
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

// keep gives to memory the most important of the candidates, as many as one job may.
func (l *learner) keep(ctx context.Context, found []rules.Candidate) error {
	if over := len(found) - l.most(); over > 0 {
		l.done.Dropped["max_entries"] += over
		found = found[:l.most()]
	}
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		reason, err := l.offer(ctx, c)
		if err != nil {
			return err
		}
		if reason != "" {
			l.done.Dropped[reason]++
		}
	}
	return nil
}

// offer gives one candidate to memory, again when somebody else wrote at the same
// moment. The reason says why it was not stored.
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
	for try := 0; ; try++ {
		reason, err = l.decide(ctx, id, c)
		if err != nil && memory.KindOf(err) == memory.KindConflict && try < 2 { // somebody else wrote at the same moment
			l.scopes = nil
			continue
		}
		return refused(reason, err)
	}
}

// refused makes a reason of what a store has against one text: the job goes on.
func refused(reason string, err error) (string, error) {
	switch kind := memory.KindOf(err); kind {
	case memory.KindRemoved, memory.KindRejected, memory.KindOverLimit, memory.KindInvalid, memory.KindTooBig, memory.KindDenied, memory.KindReadOnly, memory.KindExists, memory.KindNotFound:
		if err != nil {
			return kind.Code(), nil //nolint:nilerr // it is the reason
		}
	}
	return reason, err
}

// scopeOf is the scope of the kind that belongs to the conversation.
func (l *learner) scopeOf(target memory.Scope) (memory.ScopeID, bool) {
	for _, id := range scopesOf(l.opts.UID, l.process.Project) {
		if id.Scope == target {
			return id, true
		}
	}
	return memory.ScopeID{}, false
}

// adopted says whether an entry was stored by this job before it was killed, or by
// an earlier one of the conversation that this one has taken the place of.
func (l *learner) adopted(ctx context.Context, e *memory.Entry) bool {
	by := e.Source
	if by.Process != l.process.UUID || by.Trust != memory.TrustExtracted {
		return false
	}
	if by.Job == l.job.ID {
		return true
	}
	_, err := l.opts.Queue.Item(ctx, by.Job)
	return memory.KindOf(err) == memory.KindNotFound && l.now.Sub(e.Updated) < time.Hour
}

// source is where the conversation's turns come from, as the store keeps it.
func (l *learner) source(turns []string) memory.Source {
	uid := l.opts.UID
	return memory.Source{
		Trust: memory.TrustExtracted, Road: "writeback", UID: &uid,
		Process: l.process.UUID, Turns: turns, Job: l.job.ID,
	}
}
