package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// classify gives new entries what the rows of their categories say and their requests do
// not. What is learned has its fields already, and is not pinned for its category: the
// text of a conversation would decide what stays.
func classify(ch *memory.Change, table memory.Categories) {
	learned := ch.Actor.Trust == memory.TrustExtracted
	for i := range ch.Ops {
		op := &ch.Ops[i]
		if op.Action != memory.ActionAdd && op.Action != memory.ActionPut {
			continue
		}
		row, e := table.Of(op.Entry.Category), &op.Entry
		said := func(field string) bool { return slices.Contains(op.Set, field) }
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
}

// shape puts the texts of a change into the form that the rows say. The category is the
// request's, or that of the entry which it changes: that is looked up where some row
// could matter.
func (j *job) shape(ctx context.Context, ch *memory.Change, table memory.Categories) error {
	counts := j.policy.Text != ""
	for _, row := range table {
		counts = counts || row.Text != ""
	}
	if !counts {
		return nil
	}
	v, _, _, err := j.s.Reader(j.id).whole(ctx)
	if err != nil {
		return err
	}
	for i := range ch.Ops {
		op := &ch.Ops[i]
		if !slices.Contains(op.Set, "content") {
			continue
		}
		category, old := op.Entry.Category, ""
		if j.imported { // its reader made the sections
			old = op.Entry.Content
		}
		if m := op.Names(); !m.IsZero() {
			if e, err := FindIn(v.Entries, m); err == nil {
				old = e.Content
				if !slices.Contains(op.Set, "category") {
					category = e.Category
				}
			}
		}
		row := table.Of(category)
		form := cmp.Or(row.Text, j.policy.Text)
		if op.Entry.Content = form.Of(op.Entry.Content, old); strings.TrimSpace(op.Entry.Content) == "" {
			return ch.OpError(i, memory.Errorf(memory.KindInvalid, string(op.Action), "content is empty"))
		}
		if form == memory.FormLine && cmp.Or(op.OnKey, row.OnKey) == memory.KeyAppend && op.Action == memory.ActionPut {
			return ch.OpError(i, memory.Errorf(memory.KindInvalid, string(op.Action), "on_key is append, but the texts of this scope or category are one line"))
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
		if part.Category != nil && (part.Action == string(memory.ActionAdd) || part.Action == string(memory.ActionPut) || part.Action == actionList) {
			its = table.Of(*part.Category).Scope
		}
		if i > 0 && its != scope {
			return "", memory.Errorf(memory.KindInvalid, "decode request", "the operations of the batch go to different targets by their categories; name one")
		}
		scope = its
	}
	return scope, nil
}
