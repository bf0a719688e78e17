package store

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Import is Do of an add for what comes from another system. Whatever the caller's trust
// is, the entry's is TrustImported, and nothing is evicted to make room for it. Where the
// text is there already, under the key if the request names one, nothing is done and the
// reply has Replayed; where the key has another text, that is KindExists. With a trial
// state, which is the scope as it would be, that alone is changed.
func (s *Store) Import(ctx context.Context, caller memory.Caller, id memory.ScopeID, req Request, trial *memory.State) (Reply, error) {
	caller.Trust, caller.Road, caller.Person = memory.TrustImported, "import", false
	policy, err := row(s.Policies(ctx, caller), id.Scope)
	policy.Overflow = memory.OverflowError
	actor := named(caller.Source(), s.opts.Name)
	reply, err := s.answer(ctx, job{s: s, req: req, id: id, policy: policy, actor: actor, imported: true, trial: trial}, err)
	if reply.Code == memory.KindRejected.Code() && trial == nil {
		s.opts.Refused(ctx, caller, actor, reply.Findings, "")
	}
	return reply, err
}

// take applies a change that imports an entry.
func (j job) take(ctx context.Context, p memory.Provider, ch memory.Change) (res memory.Result, err error) {
	v, err := p.Load(ctx)
	if err != nil {
		return res, err
	}
	if j.trial != nil {
		v = j.trial.View()
	}
	e := &ch.Ops[0].Entry
	for _, old := range v.Entries {
		switch sameKey := old.Key == e.Key; {
		case old.Content == e.Content && (sameKey || e.Key == ""):
			return memory.Result{Sequence: v.Sequence, Used: v.Used, Replayed: true}, nil
		case sameKey:
			return res, memory.Errorf(memory.KindExists, "import", "an entry with this key has another text, which stays")
		}
	}
	if j.trial == nil {
		return p.Apply(ctx, ch)
	}
	steps, err := j.trial.Plan(ch)
	if err != nil {
		return res, err
	}
	return j.trial.Commit(ch, steps, v.Sequence+1), nil
}
