package store

import (
	"errors"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Reply is the answer to a [Request]. Used, Limit and Remaining are always
// there, in runes of the target's content.
type Reply struct {
	OK        bool             `json:"ok"`
	Message   string           `json:"message,omitempty"`
	Code      string           `json:"code,omitempty"`  // Kind.Code, when OK is false
	Error     string           `json:"error,omitempty"` // why, when OK is false
	Hint      string           `json:"hint,omitempty"`  // what to do about it
	Findings  []memory.Finding `json:"findings,omitempty"`
	Warnings  []memory.Finding `json:"warnings,omitempty"` // what was masked, or let through with a warning
	Target    memory.Scope     `json:"target,omitempty"`
	ID        string           `json:"id,omitempty"`
	Key       string           `json:"key,omitempty"`
	Revision  int64            `json:"revision,omitempty"`
	Duplicate string           `json:"duplicate_of,omitempty"` // add: id of an older entry with the same content
	Evicted   []string         `json:"evicted,omitempty"`      // ids that made room
	Replayed  bool             `json:"replayed,omitempty"`     // answered from an earlier request with this idempotency key
	Snapshot  *string          `json:"snapshot,omitempty"`
	Entry     *memory.Entry    `json:"entry,omitempty"`
	Entries   *[]*memory.Entry `json:"entries,omitempty"`
	Count     *int             `json:"count,omitempty"` // list, history: how many there are in all
	History   *[]memory.Record `json:"history,omitempty"`
	Results   []Applied        `json:"results,omitempty"` // batch, in the order of its ops
	Used      int              `json:"used"`
	Limit     int              `json:"limit"`
	Remaining int              `json:"remaining"`
}

// Applied is what one operation of a batch did.
type Applied struct {
	Action   memory.Action `json:"action"`
	ID       string        `json:"id"`
	Key      string        `json:"key"`
	Revision int64         `json:"revision"`
}

// numbers sets the numbers that every reply has.
func (r *Reply) numbers(used, limit int) {
	r.Used, r.Limit, r.Remaining = used, limit, max(limit-used, 0)
}

// fail makes r the reply to a request that failed.
func (r *Reply) fail(err error) {
	k := memory.KindOf(err)
	r.OK, r.Code, r.Error = false, k.Code(), memory.ReasonOf(err)
	var e *memory.Error
	if errors.As(err, &e) {
		r.Findings, r.Hint = e.Findings, e.Hint
	}
	switch k {
	case memory.KindRejected:
		r.Hint = "store where the secret lives (a vault path, the name of a variable), not the secret; for a false alarm, reword it"
		if len(r.Findings) > 0 && r.Findings[0].Hint != "" {
			r.Hint = r.Findings[0].Hint + "; for a false alarm, reword it, or have it allowed in memory.yaml (scanner.allow)"
		}
	case memory.KindOverLimit:
		r.Hint = "remove or shorten entries (action list shows them), or raise the limit in memory.yaml"
	case memory.KindConflict:
		if strings.Contains(r.Error, "expected_revision") {
			r.Hint = "read the entry again (action get) and decide on its newest revision"
		}
	case memory.KindNotFound:
		r.Hint = "action list shows the entries of this target with their ids and keys; old must equal a whole text"
	}
}
