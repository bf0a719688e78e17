package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Do runs one request on one scope for the caller. The reply is complete in
// either case; the error, an *Error, says whether and how it failed. What a
// changing request did is durable and recallable when Do returns nil.
func (s *Store) Do(ctx context.Context, caller memory.Caller, id memory.ScopeID, req Request) (Reply, error) {
	return s.reply(ctx, caller.Source(), s.Limit(id.Scope), id, req)
}

// Learn is Do for what nobody said in so many words, but was learned from a
// conversation: source says from which. Whatever its trust says, it is
// TrustExtracted, and nothing is evicted to make room for it.
func (s *Store) Learn(ctx context.Context, source memory.Source, id memory.ScopeID, req Request) (Reply, error) {
	source.Trust = memory.TrustExtracted
	limit := s.Limit(id.Scope)
	limit.Overflow = memory.OverflowError
	return s.reply(ctx, source, limit, id, req)
}

func (s *Store) reply(ctx context.Context, actor memory.Source, limit memory.Limit, id memory.ScopeID, req Request) (Reply, error) {
	reply := Reply{Target: id.Scope}
	err := s.do(ctx, actor, limit, id, req, &reply)
	if reply.Limit == 0 {
		reply.numbers(s.Usage(ctx, id))
	}
	if err != nil {
		reply.fail(err)
		return reply, err
	}
	reply.OK = true
	return reply, nil
}

// Usage is how much of a scope is used, and its limit, in runes; used is 0 for
// one that can't be read.
func (s *Store) Usage(ctx context.Context, id memory.ScopeID) (used, limit int) {
	if p, err := s.Provider(ctx, id); err == nil {
		if v, err := p.Load(ctx); err == nil {
			used = v.Used
		}
	}
	return used, s.Limit(id.Scope).Runes
}

func (s *Store) do(ctx context.Context, actor memory.Source, limit memory.Limit, id memory.ScopeID, req Request, reply *Reply) error {
	if err := req.checkFields(); err != nil {
		return err
	}
	switch req.Action {
	case actionSnapshot, actionCapacity, actionGet, actionList:
		return s.read(ctx, id, req, reply)
	case actionHistory:
		return s.history(ctx, id, req, reply)
	}
	if set := s.opts.Settings(); !set.Enabled || (id.Scope == memory.ScopeUser && !set.ProfileEnabled) {
		return memory.Errorf(memory.KindReadOnly, req.Action, "memory is switched off in memory.yaml (enabled, user_profile.enabled)")
	}
	return s.change(ctx, actor, limit, id, req, reply)
}

func (s *Store) change(ctx context.Context, actor memory.Source, limit memory.Limit, id memory.ScopeID, req Request, reply *Reply) error {
	ch := memory.Change{
		Limit: limit, Actor: actor, At: s.opts.Now().UTC(),
		IdempotencyKey: req.IdempotencyKey,
	}
	if len(req.IdempotencyKey) > maxIdempotency || strings.ContainsFunc(req.IdempotencyKey, func(r rune) bool { return r < ' ' }) {
		return memory.Errorf(memory.KindInvalid, req.Action, "idempotency_key: at most %d bytes, no control characters", maxIdempotency)
	}
	fields, err := s.decode(&ch, req)
	if err != nil {
		return err
	}
	v, err := s.scan(ctx, req.Action, fields)
	if err == nil {
		err = s.mask(ctx, &ch, req.Action, v.Mask)
	}
	if err == nil {
		err = s.scanTogether(ctx, &ch, req.Action)
	}
	if err != nil {
		return err
	}
	if ch.IdempotencyKey != "" {
		ch.Digest = digest(req)
	}
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	for i := range ch.Ops {
		if err := s.prepare(ctx, p, &ch.Ops[i], requestOf(req, i), ch.At); err != nil {
			return ch.OpError(i, err)
		}
	}
	res, err := p.Apply(ctx, ch)
	if err != nil {
		return err
	}
	reply.Warnings = slices.Concat(v.Mask, v.Warn)
	reply.numbers(res.Used, ch.Limit.Runes)
	describe(reply, req, id.Scope, res)
	return nil
}

// decode fills ch.Ops from the request and returns the texts to scan.
func (s *Store) decode(ch *memory.Change, req Request) ([]memory.Field, error) {
	var fields []memory.Field
	if req.IdempotencyKey != "" { // it is kept in the journal
		fields = append(fields, memory.Field{Name: "idempotency_key", Text: req.IdempotencyKey})
	}
	if req.Action != actionBatch {
		op, err := req.op(ch.At)
		if err != nil {
			return nil, err
		}
		ch.Ops = []memory.Op{op}
		return append(fields, entryFields("", &op.Entry)...), nil
	}
	if len(req.Ops) == 0 || len(req.Ops) > maxOps {
		return nil, memory.Errorf(memory.KindInvalid, req.Action, "ops: a batch has 1 to %d operations", maxOps)
	}
	for i, r := range req.Ops {
		at := "ops[" + strconv.Itoa(i) + "]"
		if r.Target != "" || r.Project != "" || r.IdempotencyKey != "" {
			return nil, memory.Errorf(memory.KindInvalid, req.Action, "%s: target, project and idempotency_key belong to the batch", at)
		}
		if err := r.checkFields(); err != nil {
			return nil, memory.Errorf(memory.KindOf(err), req.Action, "%s: %s", at, memory.ReasonOf(err))
		}
		op, err := r.op(ch.At)
		if err != nil {
			return nil, memory.Errorf(memory.KindOf(err), req.Action, "%s: %s", at, memory.ReasonOf(err))
		}
		ch.Ops = append(ch.Ops, op)
		fields = append(fields, entryFields(at+".", &op.Entry)...)
	}
	return fields, nil
}

func requestOf(req Request, i int) Request {
	if req.Action == actionBatch {
		return req.Ops[i]
	}
	return req
}

// prepare gives an operation what the state alone doesn't have: a new id, the
// earlier text to restore, whether its match may be quoted.
func (s *Store) prepare(ctx context.Context, p memory.Provider, op *memory.Op, req Request, at time.Time) error {
	switch op.Action {
	case memory.ActionAdd:
		op.Entry.ID = s.opts.NewID()
	case memory.ActionReplace, memory.ActionRemove:
		op.Match.Withhold = s.secretMatch(ctx, op.Match)
	case memory.ActionRestore:
		return s.prepareRestore(ctx, p, op, req.Revision, at)
	}
	return nil
}

// prepareRestore finds the state to go back to: the named revision, or the one
// before the entry's last change, or the last of an entry that has expired. It is
// scanned again, for the rules may have grown since. An expiry that has passed does
// not come back: it would take the entry again at once.
func (s *Store) prepareRestore(ctx context.Context, p memory.Provider, op *memory.Op, named *int64, at time.Time) error {
	op.Match.Withhold = s.secretMatch(ctx, op.Match)
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
		if final.After != nil && final.After.Expired(at) {
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
	v, err := s.scan(ctx, "restore", entryFields("", past))
	if err == nil && len(v.Mask) > 0 {
		err = rejection("restore", v.Mask)
	}
	return err
}

// secretMatch reports whether the text that a request looks for must not be
// quoted in an error. It need not be clean: removing a secret always works.
// A text that can't be judged counts as one.
func (s *Store) secretMatch(ctx context.Context, m memory.Match) bool {
	var fields []memory.Field
	for name, text := range map[string]string{"old": m.Content, "key": m.Key, "id": m.ID} {
		if text != "" {
			fields = append(fields, memory.Field{Name: name, Text: text})
		}
	}
	return s.withhold(ctx, fields)
}

// Withhold reports whether a text that somebody asked with must not be passed on: the
// scanner would not have it stored, or can't judge it.
func (s *Store) Withhold(ctx context.Context, text string) bool {
	return s.withhold(ctx, []memory.Field{{Name: "query", Text: text}})
}

func (s *Store) withhold(ctx context.Context, fields []memory.Field) bool {
	v, err := s.opts.Scanner.Scan(ctx, fields)
	return len(v.Reject)+len(v.Mask) > 0 || err != nil
}

// describe says what a change did, in the words of the reference system.
func describe(reply *Reply, req Request, scope memory.Scope, res memory.Result) {
	reply.Replayed = res.Replayed
	var own []memory.Step
	for _, st := range res.Steps {
		switch st.Action {
		case memory.ActionEvict:
			reply.Evicted = append(reply.Evicted, st.Before.ID)
		case memory.ActionExpire:
		default:
			own = append(own, st)
		}
	}
	for _, st := range own {
		e := cmp.Or(st.After, st.Before)
		reply.Results = append(reply.Results, Applied{st.Action, e.ID, e.Key, e.Revision})
	}
	if req.Action == actionBatch {
		reply.Message = "batch of " + strconv.Itoa(len(own)) + " applied to " + string(scope)
		return
	}
	if len(reply.Results) == 1 {
		a := reply.Results[0]
		reply.ID, reply.Key, reply.Revision, reply.Results = a.ID, a.Key, a.Revision, nil
		reply.Duplicate = own[0].Duplicate
	}
	reply.Message = message(memory.Action(req.Action), scope)
}

func message(a memory.Action, scope memory.Scope) string {
	verb := map[memory.Action][2]string{
		memory.ActionAdd:     {"added", "to"},
		memory.ActionReplace: {"replaced", "in"},
		memory.ActionRemove:  {"removed", "from"},
		memory.ActionRestore: {"restored", "in"},
	}[a]
	if scope == memory.ScopeUser {
		return "user profile entry " + verb[0]
	}
	return "entry " + verb[0] + " " + verb[1] + " " + string(scope)
}

// digest identifies a request for its idempotency key.
func digest(req Request) string {
	raw, err := json.Marshal(req)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
