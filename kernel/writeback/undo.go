package writeback

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// Keeper is the part of a store that takes back: a *store.Store.
type Keeper interface {
	Do(ctx context.Context, caller memory.Caller, id memory.ScopeID, req store.Request) (store.Reply, error)
	Reader(id memory.ScopeID) store.Reader
}

// Undone is what became of a job's entries.
type Undone struct {
	Job      string `json:"job"`
	Removed  int    `json:"removed"`  // that the job had added
	Restored int    `json:"restored"` // that it had replaced or removed
	Left     int    `json:"left"`     // that somebody changed or removed since
}

// Undo takes back what a job stored, the entries of a scope all or none, as far as
// they still are as the job left them. What was taken back is not learned again:
// the history of its scope remembers it. Doing it twice changes nothing.
func Undo(ctx context.Context, q *spool.Queue, keeper Keeper, caller memory.Caller, job string) (Undone, error) {
	u := Undone{Job: job}
	d, err := q.Record(job)
	if err != nil {
		return u, err
	}
	caller.Road, caller.Person = "undo", true
	scopes := map[memory.ScopeID][]spool.Stored{}
	var order []memory.ScopeID
	for _, st := range d.Entries {
		id := memory.ScopeID{Scope: st.Scope, Owner: st.Owner, UID: caller.UID}
		if scopes[id] == nil {
			order = append(order, id)
		}
		scopes[id] = append(scopes[id], st)
	}
	for _, id := range order {
		if err := u.scope(ctx, keeper, caller, id, scopes[id]); err != nil {
			return u, err
		}
	}
	return u, q.SetUndone(job)
}

func (u *Undone) scope(ctx context.Context, keeper Keeper, caller memory.Caller, id memory.ScopeID, list []spool.Stored) error {
	v, err := keeper.Reader(id).Load(ctx)
	if err != nil {
		return err
	}
	revision := map[string]int64{}
	for _, e := range v.Entries {
		revision[e.ID] = e.Revision
	}
	var ops []store.Request
	removed, restored := 0, 0
	for _, st := range list {
		switch {
		case revision[st.ID] != st.Revision:
			u.Left++
		case st.Before == 0:
			removed++
			ops = append(ops, store.Request{Action: string(memory.ActionRemove), ID: st.ID, ExpectedRevision: &st.Revision})
		default:
			restored++
			back := store.Request{Action: string(memory.ActionRestore), ID: st.ID, Past: store.Past{Revision: &st.Before}}
			if st.Action != memory.ActionRemove {
				back.ExpectedRevision = &st.Revision
			}
			ops = append(ops, back)
		}
	}
	if len(ops) == 0 {
		return nil
	}
	if _, err := keeper.Do(ctx, caller, id, store.Request{Action: "batch", Ops: ops}); err != nil {
		return err
	}
	u.Removed += removed
	u.Restored += restored
	return nil
}

// Learned counts the entries that were learned from a conversation of a project, and
// that nobody has changed since. With remove it removes them, those of a scope all or
// none, as a person does.
func Learned(ctx context.Context, keeper Keeper, caller memory.Caller, project, uuid string, remove bool) (n int, err error) {
	caller.Road, caller.Person = "undo", true
	for _, id := range scopesOf(caller.UID, project) {
		v, err := keeper.Reader(id).Load(ctx)
		if err != nil && (!remove || memory.KindOf(err) == memory.KindUnavailable) {
			continue // a project that is gone has none
		}
		var ops []store.Request
		for _, e := range v.Entries {
			if e.Source.Process == uuid {
				ops = append(ops, store.Request{Action: string(memory.ActionRemove), ID: e.ID, ExpectedRevision: &e.Revision})
			}
		}
		if remove && len(ops) > 0 {
			_, err = keeper.Do(ctx, caller, id, store.Request{Action: "batch", Ops: ops})
		}
		if err != nil {
			return n, err
		}
		n += len(ops)
	}
	return n, nil
}

// scopesOf are the scopes in which a conversation of a project may have left something.
func scopesOf(uid uint32, project string) []memory.ScopeID {
	return []memory.ScopeID{
		{Scope: memory.ScopeProject, Owner: project, UID: uid},
		{Scope: memory.ScopeUser, Owner: uidName(uid), UID: uid},
		{Scope: memory.ScopeGlobal, Owner: uidName(uid), UID: uid},
	}
}
