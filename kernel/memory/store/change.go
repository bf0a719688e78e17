package store

import (
	"context"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// change runs a request that changes its scope: decode, scan, apply, describe.
func (j job) change(ctx context.Context) error {
	ch, warnings, err := j.decide(ctx)
	if err != nil {
		return err
	}
	return j.apply(ctx, ch, warnings)
}

// decide makes the change that a request means, of texts that were scanned.
func (j *job) decide(ctx context.Context) (ch memory.Change, warnings []memory.Finding, err error) {
	if j.policy.ReadOnly {
		return ch, nil, errSwitchedOff(j.req.Action)
	}
	if j.s.opts.Unserved && j.policy.Keep == memory.KeepRAM {
		return ch, nil, memory.Errorf(memory.KindUnavailable, j.req.Action, "the %s's memory is with the mount alone; mount, or choose another target", j.id.Scope)
	}
	ch = memory.Change{Limit: j.s.limit(j.policy), Actor: j.actor, At: j.s.opts.Now().UTC(), Said: j.said, Dry: j.dry}
	if j.req.Action == actionReject {
		j.req.Action, j.person = string(memory.ActionRemove), true
	}
	if j.person {
		ch.Said = ch.At
	}
	if err := j.req.decode(&ch); err != nil {
		return ch, nil, err
	}
	if j.req.Action == string(memory.ActionClear) {
		if err := j.confirmed(ctx); err != nil {
			return ch, nil, err
		}
	}
	classify(&ch, ch.Limit.Categories)
	if err := j.shape(ctx, &ch, ch.Limit.Categories); err != nil {
		return ch, nil, err
	}
	warnings, err = j.s.gate.judge(ctx, &ch, j.req.Action)
	return ch, warnings, err
}

func errSwitchedOff(action string) error {
	return memory.Errorf(memory.KindReadOnly, action, "memory is switched off in memory.yaml (enabled, user_profile.enabled)")
}

// confirmed refuses a clear that does not confirm, and says what it would remove.
func (j *job) confirmed(ctx context.Context) error {
	if j.req.Confirm != nil && *j.req.Confirm {
		return nil
	}
	v, l, now, err := j.s.Reader(j.id).whole(ctx)
	if err != nil {
		return err
	}
	pinned := 0
	v = v.Live(&l, now, true)
	for _, e := range v.Entries {
		if e.Pinned {
			pinned++
		}
	}
	return memory.Errorf(memory.KindInvalid, j.req.Action, "it would remove %s from %s, %d of them pinned; with confirm: true (--confirm) it does", entries(len(v.Entries)), j.id.Scope, pinned)
}

// apply gives a change to the provider and fills the reply.
func (j job) apply(ctx context.Context, ch memory.Change, warnings []memory.Finding) error {
	var res memory.Result
	err := j.prepared(ctx, ch, func(p memory.Provider) (err error) {
		if j.imported {
			res, err = j.take(ctx, p, ch)
			return err
		}
		res, err = p.Apply(ctx, ch)
		return err
	})
	if err != nil || ch.Dry {
		return err
	}
	j.reply.Warnings = warnings
	j.reply.Room = roomOf(res.Used, j.policy)
	describe(j.reply, j.req, res)
	return nil
}

// prepared calls do with the provider of a change whose operations are complete.
func (j job) prepared(ctx context.Context, ch memory.Change, do func(memory.Provider) error) error {
	return j.s.use(ctx, j.id, func(p memory.Provider) error {
		for i := range ch.Ops {
			if err := j.s.prepare(ctx, p, &ch.Ops[i], j.req.part(i), ch.At, &ch.Limit.Lifetimes); err != nil {
				return ch.OpError(i, err)
			}
		}
		return do(p)
	})
}

// prepare gives an operation what the state alone doesn't have: a new id, the
// earlier text to restore, whether its match may be quoted.
func (s *Store) prepare(ctx context.Context, p memory.Provider, op *memory.Op, req Request, at time.Time, l *memory.Lifetimes) error {
	switch op.Action {
	case memory.ActionAdd, memory.ActionPut:
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
	return s.gate.pass(ctx, past)
}
