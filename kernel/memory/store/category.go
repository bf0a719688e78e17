package store

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// classify gives new entries what the rows of their categories say and their requests do
// not. What is learned has its fields already, and is not pinned for its category: the
// text of a conversation would decide what stays.
func classify(ch *memory.Change, table memory.Categories) error {
	learned := ch.Actor.Trust == memory.TrustExtracted
	for i := range ch.Ops {
		op := &ch.Ops[i]
		if op.Action != memory.ActionAdd {
			continue
		}
		row, e := table.Of(op.Entry.Category), &op.Entry
		said := func(field string) bool { return slices.Contains(op.Set, field) }
		if missing := row.Missing(e.Metadata); len(missing) > 0 && !learned {
			return ch.OpError(i, memory.Errorf(memory.KindInvalid, "add", "an entry of the category %s needs metadata that is missing: %s",
				strings.ToLower(e.Category), strings.Join(missing, ", ")))
		}
		if !said("type") {
			e.Type = row.Type
		}
		if !said("importance") && row.Importance != nil {
			e.Importance = *row.Importance
		}
		if !said("pinned") {
			e.Pinned = row.Pinned && !learned
		}
	}
	return nil
}

// Scope is the scope that the request goes to by its category, where it names no target:
// what a category's row says is found there again by the category. "" is the device's.
func (r *Request) Scope(table memory.Categories) (memory.Scope, error) {
	parts := []Request{*r}
	if r.Action == actionBatch {
		parts = r.Ops
	}
	var scope memory.Scope
	for i, part := range parts {
		var its memory.Scope
		if part.Category != nil && (part.Action == string(memory.ActionAdd) || part.Action == actionList) {
			its = table.Of(*part.Category).Scope
		}
		if i > 0 && its != scope {
			return "", memory.Errorf(memory.KindInvalid, "decode request", "the operations of the batch go to different targets by their categories; name one")
		}
		scope = its
	}
	return scope, nil
}
