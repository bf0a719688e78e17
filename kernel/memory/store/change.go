package store

import (
	"context"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// change runs a request that changes its scope: decode, scan, apply, describe.
func (s *Store) change(ctx context.Context, j job) error {
	ch := memory.Change{Limit: s.limit(j.policy), Actor: j.actor, At: s.opts.Now().UTC(), Said: j.said}
	if j.req.Action == actionReject {
		j.req.Action, j.person = string(memory.ActionRemove), true
	}
	if j.person {
		ch.Said = ch.At
	}
	if err := j.req.decode(&ch); err != nil {
		return err
	}
	if err := classify(&ch, ch.Limit.Categories); err != nil {
		return err
	}
	warnings, err := s.gate.judge(ctx, &ch, j.req.Action)
	if err != nil {
		return err
	}
	var res memory.Result
	err = s.use(ctx, j.id, func(p memory.Provider) error {
		for i := range ch.Ops {
			if err := s.prepare(ctx, p, &ch.Ops[i], j.req.part(i), ch.At, &ch.Limit.Lifetimes); err != nil {
				return ch.OpError(i, err)
			}
		}
		res, err = p.Apply(ctx, ch)
		return err
	})
	if err != nil {
		return err
	}
	j.reply.Warnings = warnings
	j.reply.Room = roomOf(res.Used, j.policy)
	describe(j.reply, j.req, res)
	return nil
}

// prepare gives an operation what the state alone doesn't have: a new id, the
// earlier text to restore, whether its match may be quoted.
func (s *Store) prepare(ctx context.Context, p memory.Provider, op *memory.Op, req Request, at time.Time, l *memory.Lifetimes) error {
	switch op.Action {
	case memory.ActionAdd:
		op.Entry.ID = s.opts.NewID()
	case memory.ActionReplace, memory.ActionRemove:
		op.Match.Withhold = s.gate.secretMatch(ctx, op.Match)
	case memory.ActionRestore:
		return s.prepareRestore(ctx, p, op, req.Revision, at, l)
	}
	return nil
}

// prepareRestore finds the state to go back to: the named revision, or the one
// before the entry's last change, or the last of an entry that has expired. It is
// scanned again, for the rules may have grown since. An expiry that has passed does
// not come back: it would take the entry again at once.
func (s *Store) prepareRestore(ctx context.Context, p memory.Provider, op *memory.Op, named *int64, at time.Time, lifetimes *memory.Lifetimes) error {
	op.Match.Withhold = s.gate.secretMatch(ctx, op.Match)
	recs, err := p.History(ctx, op.Match)
	if err != nil {
		if memory.KindOf(err) == memory.KindNotFound {
			err = memory.NotFound(memory.ActionRestore, op.Match)
		}
		return err
	}
	revision := int64(0)
	if named != nil {
		revision = *named
	}
	var past *memory.Entry
	var last int64
	for _, r := range recs {
		for _, e := range []*memory.Entry{r.Before, r.After} {
			if e != nil {
				last = max(last, e.Revision)
				if revision != 0 && e.Revision == revision {
					past = e
				}
			}
		}
	}
	if revision == 0 && len(recs) > 0 {
		final := recs[len(recs)-1]
		past = final.Before
		if final.After != nil && !final.After.Archived && lifetimes.Fate(final.After, at) != memory.Lives {
			past = final.After
		}
	}
	if past == nil {
		if revision == 0 {
			return memory.Errorf(memory.KindNotFound, "restore", "the entry has no earlier state")
		}
		return memory.Errorf(memory.KindNotFound, "restore", "the entry has no revision %d; action history shows them", revision)
	}
	op.Entry = *past.Clone()
	op.Entry.Revision = last
	if op.Entry.Expired(at) {
		op.Entry.Expires = nil
	}
	v, err := s.gate.scan(ctx, "restore", entryFields("", past))
	if err == nil && len(v.Mask) > 0 {
		err = rejection("restore", v.Mask)
	}
	return err
}
