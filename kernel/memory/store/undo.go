package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	usualLog = 20   // changes of a log that does not say how many
	maxLog   = 1000 // of one that does: each has the texts before and after
)

// log answers with the last changes of a scope, the newest first.
func (r Reader) log(ctx context.Context, j job) error {
	since, most := time.Time{}, j.req.MaxResults
	if text := j.req.Since; text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return memory.Errorf(memory.KindInvalid, actionLog, `since must be a time such as "2027-01-31T00:00:00Z"`)
		}
	}
	if most <= 0 {
		most = usualLog
	}
	recs, err := r.Changes(ctx, min(most, maxLog), func(r *memory.Record) bool { return !r.Time.Before(since) })
	slices.Reverse(recs)
	recs = append([]memory.Record{}, recs...) // a list, also of none
	n := len(recs)
	j.reply.History, j.reply.Count = &recs, &n
	return err
}

// undo takes a change back: the one with the request's sequence number, the last one of
// the entry that it names, or the last one that somebody made. It is a batch of restores
// and removals, each for the revision that the change left.
func (s *Store) undo(ctx context.Context, j job) error {
	recs, err := s.Reader(j.id).undoes(ctx, j)
	if err != nil {
		return err
	}
	batch := Request{Action: actionBatch}
	var done []string
	whole, _, _, err := s.Reader(j.id).whole(ctx)
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(recs) {
		i := slices.IndexFunc(whole.Entries, func(e *memory.Entry) bool { return e.ID == r.ID })
		if (r.After == nil) != (i < 0) || i >= 0 && whole.Entries[i].Revision != r.After.Revision {
			return changedSince(r)
		}
		op := Request{Action: string(memory.ActionRemove), ID: r.ID}
		if r.After != nil {
			op.ExpectedRevision = &r.After.Revision
		}
		if r.Before != nil {
			op.Action, op.Revision = string(memory.ActionRestore), &r.Before.Revision
			if r.After == nil {
				op.ExpectedRevision = op.Revision // it is not there, or has a later one
			}
		}
		batch.Ops = append(batch.Ops, op)
		done = append(done, fmt.Sprintf("%s of %s", r.Action, keyOf(r)))
	}
	j.req = batch
	if err := s.change(ctx, j); err != nil {
		if kind := memory.KindOf(err); kind == memory.KindConflict || kind == memory.KindNotFound {
			return changedSince(recs[0])
		}
		return err
	}
	const shown = 5
	if len(done) > shown {
		done = append(done[:shown], fmt.Sprintf("%d more", len(done)-shown))
	}
	j.reply.Message = fmt.Sprintf("undone: change %d (%s)", recs[0].Sequence, strings.Join(done, ", "))
	return nil
}

// undoes returns what the change that the request means did to each entry.
func (r Reader) undoes(ctx context.Context, j job) (net []memory.Record, err error) {
	var last []memory.Record
	sequence, err := j.req.counted("sequence", j.req.Sequence)
	switch {
	case err != nil:
		return nil, err
	case j.req.ID != "" || j.req.Key != nil:
		if sequence != 0 {
			return nil, memory.Errorf(memory.KindInvalid, actionUndo, "give sequence, or the id or the key of an entry")
		}
		m, err := j.req.match()
		if err == nil {
			m.Withhold = r.s.gate.secretMatch(ctx, m)
			last, err = r.History(ctx, m)
		}
		if err != nil {
			return nil, err
		}
		last = last[max(0, len(last)-1):]
	case sequence == 0:
		if last, err = r.Changes(ctx, 1, func(r *memory.Record) bool { return !swept(r) }); err == nil && len(last) == 1 {
			sequence = last[0].Sequence
		}
	}
	if err == nil && sequence != 0 {
		last, err = r.Changes(ctx, math.MaxInt32, func(r *memory.Record) bool { return r.Sequence == sequence })
	}
	if len(last) > 1 { // what had ended by then is nobody's doing
		last = slices.DeleteFunc(last, func(r memory.Record) bool { return swept(&r) })
	}
	if err == nil && len(last) == 0 {
		err = memory.Errorf(memory.KindNotFound, actionUndo, "there is no such change; action log shows them")
	}
	for _, r := range last {
		i := slices.IndexFunc(net, func(n memory.Record) bool { return n.ID == r.ID })
		if i < 0 {
			net = append(net, r)
			continue
		}
		net[i].After = r.After
	}
	return slices.DeleteFunc(net, func(r memory.Record) bool { return r.Before == nil && r.After == nil }), err
}

// swept reports whether a change came with time.
func swept(r *memory.Record) bool {
	return r.Action == memory.ActionExpire || r.Action == memory.ActionArchive
}

func keyOf(r memory.Record) string {
	if r.After != nil {
		return r.After.Key
	}
	return r.Before.Key
}

// changedSince refuses to undo a change on which another one rests.
func changedSince(r memory.Record) error {
	e := memory.Errorf(memory.KindConflict, actionUndo, "%s has changed since change %d; nothing was undone", keyOf(r), r.Sequence)
	e.Hint = "rnixfs commit history " + r.ID + " shows its changes, rnixfs undo " + r.ID + " takes back the last of them"
	return e
}

// sweep takes out, or archives, what has ended.
func (s *Store) sweep(ctx context.Context, j job) error {
	j.actor.Road = roadSweep
	var res memory.Result
	err := s.use(ctx, j.id, func(p memory.Provider) (err error) {
		res, err = p.Apply(ctx, memory.Change{Limit: s.limit(j.policy), Actor: j.actor, At: s.opts.Now().UTC()})
		return err
	})
	j.reply.Results = []Applied{}
	for _, st := range res.Steps {
		j.reply.Results = append(j.reply.Results, Applied{st.Action, st.Before.ID, st.Before.Key, st.Before.Revision})
	}
	j.reply.Room = roomOf(res.Used, j.policy)
	j.reply.Message = fmt.Sprintf("%d swept from %s", len(res.Steps), j.id.Scope)
	return err
}

// ending says what a sweep would do.
func (r Reader) ending(ctx context.Context, j job) error {
	v, l, now, err := r.whole(ctx)
	j.reply.Results = []Applied{}
	for _, e := range v.Entries {
		action := memory.ActionExpire
		switch fate := l.Fate(e, now); {
		case fate == memory.Lives || e.Archived:
			continue
		case fate == memory.Archived:
			action = memory.ActionArchive
		}
		j.reply.Results = append(j.reply.Results, Applied{action, e.ID, e.Key, e.Revision})
	}
	j.reply.Message = fmt.Sprintf("%d to be swept from %s", len(j.reply.Results), j.id.Scope)
	return err
}
