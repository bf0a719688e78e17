package store

import (
	"context"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Do runs one request on one scope for the caller. The reply is complete in
// either case; the error, an *Error, says whether and how it failed. What a
// changing request did is durable and recallable when Do returns nil.
func (s *Store) Do(ctx context.Context, caller memory.Caller, id memory.ScopeID, req Request) (Reply, error) {
	return s.ask(ctx, caller, id, req, false)
}

// Try says how Do would end, as far as the texts, the limits and the revisions say, and
// does nothing.
func (s *Store) Try(ctx context.Context, caller memory.Caller, id memory.ScopeID, req Request) error {
	_, err := s.ask(ctx, caller, id, req, true)
	return err
}

func (s *Store) ask(ctx context.Context, caller memory.Caller, id memory.ScopeID, req Request, dry bool) (Reply, error) {
	policy, err := row(s.Policies(ctx, caller), id.Scope)
	person := caller.Person || caller.Trust == memory.TrustHuman
	actor := named(caller.Source(), s.opts.Name)
	j := job{s: s, req: req, id: id, policy: policy, actor: actor, person: person, dry: dry}
	if err == nil && len(req.Also) > 0 {
		j.also, err = j.others(ctx, caller)
	}
	reply, err := s.answer(ctx, j, err)
	if reply.Code == memory.KindRejected.Code() {
		s.opts.Refused(ctx, caller, actor, reply.Findings, "")
	}
	return reply, err
}

// Learn is Do for what was learned from a conversation: source says from which, and
// said when a person said it in so many words, if one did. Whatever its trust says, it
// is TrustExtracted, and nothing is evicted to make room for it.
func (s *Store) Learn(ctx context.Context, source memory.Source, said time.Time, id memory.ScopeID, req Request) (Reply, error) {
	source.Trust = memory.TrustExtracted
	policy, err := s.policyOf(ctx, id)
	policy.Overflow = memory.OverflowError
	return s.answer(ctx, job{s: s, req: req, id: id, policy: policy, actor: named(source, s.opts.Name), said: said}, err)
}

func (s *Store) answer(ctx context.Context, j job, err error) (Reply, error) {
	reply := Reply{Target: j.id.Scope}
	j.reply = &reply
	if err == nil {
		err = s.run(ctx, j)
	}
	if reply.Limit == 0 {
		reply.Room = s.room(ctx, j.id, j.policy)
	}
	if err != nil {
		reply.fail(err)
		return reply, err
	}
	if action := j.req.Action; s.opts.Folder != nil && (action == string(memory.ActionAdd) || action == string(memory.ActionPut) || action == actionCapacity) {
		reply.Folder = s.opts.Folder(j.id, j.policy)
	}
	reply.OK = true
	return reply, nil
}

func (s *Store) run(ctx context.Context, j job) error {
	if err := j.req.checkFields(); err != nil {
		return err
	}
	switch j.req.Action {
	case actionSnapshot, actionCapacity, actionGet, actionList, actionHistory:
		return s.read(ctx, j)
	case actionLog:
		return s.Reader(j.id).log(ctx, j)
	case actionSweep:
		return j.sweep(ctx)
	case actionUndo:
		return j.undo(ctx)
	}
	if len(j.also) > 0 {
		return changeAll(ctx, append([]job{j}, j.also...))
	}
	return j.change(ctx)
}

// Room is how much of a caller's scope is used.
func (s *Store) Room(ctx context.Context, caller memory.Caller, id memory.ScopeID) Room {
	policy, _ := row(s.Policies(ctx, caller), id.Scope) // no row, no room
	return s.room(ctx, id, policy)
}

// room counts nothing as used in a scope that can't be read.
func (s *Store) room(ctx context.Context, id memory.ScopeID, policy memory.Policy) Room {
	v, _ := s.Reader(id).Load(ctx)
	return roomOf(v.Used, policy)
}
