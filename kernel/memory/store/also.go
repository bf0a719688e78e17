package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// others are the jobs of the further scopes that a request names in also.
func (j job) others(ctx context.Context, caller memory.Caller) (also []job, err error) {
	table, seen := j.s.Policies(ctx, caller), []memory.ScopeID{j.id}
	for _, scope := range j.req.Also {
		scope = table.Named(scope)
		policy, known := table[scope]
		other := j
		other.policy, other.reply = policy, &Reply{Target: scope}
		if scope == memory.ScopeUser {
			return nil, memory.Errorf(memory.KindInvalid, j.req.Action, "also: the profile is written by its own device alone")
		}
		other.id, err = j.s.Resolve(ctx, caller, scope)
		switch {
		case err != nil && known:
			return nil, inScope(scope, err)
		case err != nil: // a name that is none may be a secret in the wrong place
			return nil, err
		}
		if slices.Contains(seen, other.id) {
			return nil, memory.Errorf(memory.KindInvalid, j.req.Action, "also: %s is named twice, or is the target", scope)
		}
		also, seen = append(also, other), append(seen, other.id)
	}
	return also, nil
}

// changeAll runs one request on several scopes, each of which has a change of its own,
// all or none. Nothing is written before every change was scanned and planned on what
// its scope holds; what fails after that, for another writer came between or a disk is
// full, says what is written already. The reply is that of the first.
func changeAll(ctx context.Context, jobs []job) error {
	changes, warnings := make([]memory.Change, len(jobs)), make([][]memory.Finding, len(jobs))
	for i := range jobs {
		var err error
		if changes[i], warnings[i], err = jobs[i].decide(ctx); err == nil {
			rehearsed := changes[i]
			rehearsed.Dry = true
			err = jobs[i].apply(ctx, rehearsed, warnings[i])
		}
		if err != nil {
			return inScope(jobs[i].id.Scope, err)
		}
	}
	var done []Applied
	var names []string
	for i, j := range jobs {
		if err := j.apply(ctx, changes[i], warnings[i]); err != nil {
			if len(names) > 0 {
				err = memory.Errorf(memory.KindOf(err), j.req.Action, "%s (it is written to %s)", memory.ReasonOf(err), strings.Join(names, ", "))
			}
			return inScope(j.id.Scope, err)
		}
		r := j.reply
		done = append(done, Applied{Target: j.id.Scope, Action: r.did, ID: r.ID, Key: r.Key, Revision: r.Revision})
		names = append(names, string(j.id.Scope))
	}
	reply := jobs[0].reply
	reply.Results = done
	reply.Message += "; also in " + strings.Join(names[1:], ", ")
	return nil
}

// inScope is an error of a request on several scopes: it says which it was.
func inScope(scope memory.Scope, err error) error {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		c := *e
		c.Err = fmt.Errorf("%s: %s", scope, e.Reason())
		return &c
	}
	return err
}
