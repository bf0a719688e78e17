package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	usualLog = 20   // changes of a log that does not say how many
	maxLog   = 1000 // of one that does: each has the texts before and after
)

// log answers with the last changes of a scope, the newest first.
func (r Reader) log(ctx context.Context, j job) error {
	since, err := memory.ParseTime(actionLog, "since", j.req.Since)
	if err != nil {
		return err
	}
	recs, err := r.Changes(ctx, min(cmp.Or(j.req.MaxResults, usualLog), maxLog), func(r *memory.Record) bool { return !r.Time.Before(since) })
	slices.Reverse(recs)
	recs = append([]memory.Record{}, recs...) // a list, also of none
	n := len(recs)
	j.reply.History, j.reply.Count = &recs, &n
	return err
}

// undo takes a change back: the one with the request's sequence number, the last one of
// the entry that it names, or the last one that somebody made. What came is removed, and
// what was there restored, where each entry is as the change left it.
func (j job) undo(ctx context.Context) error {
	if j.policy.ReadOnly {
		return errSwitchedOff(j.req.Action)
	}
	recs, err := j.s.Reader(j.id).undoes(ctx, j)
	if err != nil {
		return err
	}
	ch := memory.Change{Limit: j.s.limit(j.policy), Actor: j.actor, At: j.s.opts.Now().UTC()}
	if j.person {
		ch.Said = ch.At
	}
	var done []string
	for _, r := range slices.Backward(recs) {
		op := memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: r.ID}}
		if r.Before != nil {
			op.Action, op.Entry = memory.ActionRestore, *r.Before.Clone()
			if op.Entry.Expired(ch.At) {
				op.Entry.Expires = nil
			}
			if err := j.s.gate.pass(ctx, r.Before); err != nil {
				return err
			}
		}
		if op.ExpectedRevision = op.Entry.Revision; r.After != nil { // not there, it has none
			op.ExpectedRevision = r.After.Revision
		}
		ch.Ops = append(ch.Ops, op)
		done = append(done, fmt.Sprintf("%s of %s", r.Action, keyOf(r)))
	}
	var res memory.Result
	err = j.s.use(ctx, j.id, func(p memory.Provider) error {
		v, err := p.Load(ctx)
		if err == nil {
			err = unchanged(recs, v.Entries)
		}
		if err == nil {
			res, err = p.Apply(ctx, ch)
		}
		return err
	})
	if err != nil {
		if kind := memory.KindOf(err); len(memory.HintOf(err)) == 0 && (kind == memory.KindConflict || kind == memory.KindNotFound) {
			err = changedSince(recs[0]) // meanwhile
		}
		return err
	}
	j.reply.Room = roomOf(res.Used, j.policy)
	describe(j.reply, Request{Action: actionBatch}, res)
	const shown = 5
	if len(done) > shown {
		done = append(done[:shown], fmt.Sprintf("%d more", len(done)-shown))
	}
	j.reply.Message = fmt.Sprintf("undone: change %d (%s)", recs[0].Sequence, strings.Join(done, ", "))
	return nil
}

// unchanged makes sure that the entries are as the changes left them.
func unchanged(recs []memory.Record, entries []*memory.Entry) error {
	now := map[string]*memory.Entry{}
	for _, e := range entries {
		now[e.ID] = e
	}
	for _, r := range recs {
		if e := now[r.ID]; (e == nil) != (r.After == nil) || e != nil && e.Revision != r.After.Revision {
			return changedSince(r)
		}
	}
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
		none := memory.Errorf(memory.KindNotFound, actionUndo, "there is no such change")
		none.Hint = "rnixfs log shows the changes that there are"
		err = none
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
func (j job) sweep(ctx context.Context) error {
	if j.req.DryRun {
		return j.s.Reader(j.id).ending(ctx, j)
	}
	if j.policy.ReadOnly {
		return errSwitchedOff(j.req.Action)
	}
	j.actor.Road = roadSweep
	var res memory.Result
	err := j.s.use(ctx, j.id, func(p memory.Provider) (err error) {
		res, err = p.Apply(ctx, memory.Change{Limit: j.s.limit(j.policy), Actor: j.actor, At: j.s.opts.Now().UTC()})
		return err
	})
	j.reply.Results = []Applied{}
	for _, st := range res.Steps {
		j.reply.Results = append(j.reply.Results, Applied{Action: st.Action, ID: st.Before.ID, Key: st.Before.Key, Revision: st.Before.Revision})
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
		j.reply.Results = append(j.reply.Results, Applied{Action: action, ID: e.ID, Key: e.Key, Revision: e.Revision})
	}
	j.reply.Message = fmt.Sprintf("%d to be swept from %s", len(j.reply.Results), j.id.Scope)
	return err
}
