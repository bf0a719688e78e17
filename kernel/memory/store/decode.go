package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// decode fills in the operations of a change, and what identifies the request.
func (r *Request) decode(ch *memory.Change) error {
	if key := r.IdempotencyKey; key != "" {
		if len(key) > maxIdempotency || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' }) {
			return memory.Errorf(memory.KindInvalid, r.Action, "idempotency_key: at most %d bytes, no control characters", maxIdempotency)
		}
		ch.IdempotencyKey, ch.Digest = key, digest(*r)
	}
	if r.Action != actionBatch {
		op, err := r.op(ch.At)
		ch.Ops = []memory.Op{op}
		return err
	}
	if len(r.Ops) == 0 || len(r.Ops) > maxOps {
		return memory.Errorf(memory.KindInvalid, r.Action, "ops: a batch has 1 to %d operations", maxOps)
	}
	for i := range r.Ops {
		op, err := r.Ops[i].partOp(ch.At)
		if err != nil {
			return memory.Errorf(memory.KindOf(err), r.Action, "%s: %s", part(i), memory.ReasonOf(err))
		}
		ch.Ops = append(ch.Ops, op)
	}
	return nil
}

// part is the name of a batch's operation in messages.
func part(i int) string { return "ops[" + strconv.Itoa(i) + "]" }

// part is the request of operation i.
func (r *Request) part(i int) Request {
	if r.Action == actionBatch {
		return r.Ops[i]
	}
	return *r
}

// partOp turns a request that is a part of a batch into an operation.
func (r *Request) partOp(at time.Time) (op memory.Op, err error) {
	if r.Target != "" || r.Project != "" || r.Asker != (Asker{}) || r.IdempotencyKey != "" {
		return op, memory.Errorf(memory.KindInvalid, r.Action, "target, project, agent, road, client and idempotency_key belong to the batch")
	}
	if len(r.Also) > 0 || r.Action == string(memory.ActionClear) {
		return op, memory.Errorf(memory.KindInvalid, r.Action, "also and clear can't be part of a batch")
	}
	if err := r.checkFields(); err != nil {
		return op, err
	}
	return r.op(at)
}

// op turns a changing request into an operation; at is the time of the change.
func (r *Request) op(at time.Time) (memory.Op, error) {
	op := memory.Op{Action: memory.Action(r.Action), OnKey: r.OnKey, Outcome: r.Outcome}
	err := r.checkWords()
	if err != nil {
		return op, err
	}
	if op.ExpectedRevision, err = r.counted("expected_revision", r.ExpectedRevision); err != nil {
		return op, err
	}
	if _, err = r.counted("revision", r.Revision); err != nil {
		return op, err
	}
	switch op.Action {
	case memory.ActionAdd, memory.ActionPut:
		switch {
		case r.Content == nil:
			return op, memory.Errorf(memory.KindInvalid, r.Action, "content is required")
		case r.Key == nil && op.Action == memory.ActionPut:
			return op, memory.Errorf(memory.KindInvalid, r.Action, "key is required: it says which entry the text belongs to")
		}
		op.Entry.Importance = memory.DefaultImportance
		err = r.fill(&op, at)
	case memory.ActionReplace:
		if op.Match, err = r.match(); err != nil {
			return op, err
		}
		if err = r.fill(&op, at); err == nil && len(op.Set) == 0 && !op.Merge && op.Outcome == "" {
			err = memory.Errorf(memory.KindInvalid, r.Action, "nothing to replace it with: give new, or another field to set")
		}
	case memory.ActionRemove, memory.ActionRestore:
		op.Match, err = r.match()
	case memory.ActionClear:
	default:
		err = memory.Errorf(memory.KindInvalid, r.Action, "%s can't be part of a batch", r.Action)
	}
	return op, err
}

// checkWords refuses values of on_key and outcome that are none.
func (r *Request) checkWords() error {
	switch r.OnKey {
	case "", memory.KeyRefuse, memory.KeyReplace, memory.KeyAppend:
	default:
		return memory.Errorf(memory.KindInvalid, r.Action, "on_key is refuse, replace or append, not %s", memory.QuoteName(string(r.OnKey)))
	}
	switch r.Outcome {
	case "", memory.OutcomeSuccess, memory.OutcomeFailure:
		return nil
	}
	return memory.Errorf(memory.KindInvalid, r.Action, "outcome is success or failure, not %s", memory.QuoteName(string(r.Outcome)))
}

// counted returns a revision that a request names, 0 where it names none: the first
// is 1.
func (r *Request) counted(field string, revision *int64) (int64, error) {
	switch {
	case revision == nil:
		return 0, nil
	case *revision < 1:
		return 0, memory.Errorf(memory.KindInvalid, r.Action, "%s is %d; an entry's revisions begin with 1", field, *revision)
	}
	return *revision, nil
}

// match says which entry a request means: by id, by key, or by its whole text,
// in old or (where that is not the new text) in content.
func (r *Request) match() (memory.Match, error) {
	m := memory.Match{ID: r.ID}
	named := 0
	if r.ID != "" {
		named++
	}
	if r.Key != nil {
		m.Key = *r.Key
		named++
	}
	text := r.Old
	if text == nil && r.Action != string(memory.ActionReplace) {
		text = r.Content
	}
	if text != nil {
		m.Content = *text
		named++
	}
	if named != 1 || m.IsZero() {
		return m, memory.Errorf(memory.KindInvalid, r.Action, "say which entry: one of %s", strings.Join(r.names(), ", "))
	}
	return m, nil
}

// names are the fields by which the action names an entry.
func (r *Request) names() []string {
	switch r.Action {
	case string(memory.ActionRestore), actionUndo:
		return []string{"id", "key"}
	case actionGet, actionHistory:
		return []string{"id", "key", "content (its whole text)"}
	}
	return []string{"id", "key", "old (its whole text)"}
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
