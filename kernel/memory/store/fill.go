package store

import (
	"reflect"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// fill copies the request's fields to op.Entry and names them in op.Set.
func (r *Request) fill(op *memory.Op, at time.Time) error {
	if op.Action == memory.ActionReplace && r.New != nil {
		if r.Content != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, "give the new text once: in new or in content")
		}
		c := *r
		c.Content = r.New
		r = &c
	}
	if r.Content != nil {
		if err := checkContent(r.Action, *r.Content); err != nil {
			return err
		}
	}
	for _, f := range memory.EntryFields {
		if f.Name == "expires" || f.Name == "key" && op.Action == memory.ActionReplace {
			continue // a time or a duration; the name of the entry
		}
		if err := r.fillField(op, f); err != nil {
			return err
		}
	}
	if err := r.fillMetadata(op); err != nil {
		return err
	}
	if r.NewKey != nil {
		op.Entry.Key, op.Set = *r.NewKey, append(op.Set, "key")
		if err := memory.EntryField("key").Accept(&op.Entry); err != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, "new_key %w", err)
		}
	}
	return r.fillExpiry(op, at)
}

// fillMetadata makes metadata that is merged of what the request sets. A put, which may
// meet an entry that its writer has not seen, always merges.
func (r *Request) fillMetadata(op *memory.Op) error {
	switch {
	case r.SetMetadata != nil && r.Metadata != nil:
		return memory.Errorf(memory.KindInvalid, r.Action, "give metadata or set_metadata, not both")
	case r.SetMetadata != nil:
		c := *r
		c.Metadata = r.SetMetadata
		if err := c.fillField(op, *memory.EntryField("metadata")); err != nil {
			return err
		}
	case r.Metadata == nil || op.Action != memory.ActionPut:
		return nil
	}
	op.Merge = true
	op.Set = slices.DeleteFunc(op.Set, func(field string) bool { return field == "metadata" })
	return nil
}

// fillField sets one field. In a replace, an empty value clears it.
func (r *Request) fillField(op *memory.Op, f memory.FieldSpec[memory.Entry]) error {
	if !f.Request {
		return nil
	}
	given, ok := r.value(f.Name)
	if !ok {
		return nil
	}
	reflect.ValueOf(f.Pointer(&op.Entry)).Elem().Set(given.Elem())
	op.Set = append(op.Set, f.Name)
	if f.Accept == nil || op.Action == memory.ActionReplace && given.Elem().IsZero() {
		return nil
	}
	if err := f.Accept(&op.Entry); err != nil {
		return memory.Errorf(memory.KindInvalid, r.Action, "%s %w", f.Name, err)
	}
	return nil
}

func (r *Request) fillExpiry(op *memory.Op, at time.Time) error {
	switch {
	case r.Expires != nil && r.TTL != nil:
		return memory.Errorf(memory.KindInvalid, r.Action, "give expires or ttl, not both")
	case r.Expires != nil && *r.Expires == "": // as the rows say
		op.Set = append(op.Set, "expires")
	case r.Expires != nil && *r.Expires == "never":
		return setExpiry(op, memory.Never, at)
	case r.Expires != nil:
		t, err := time.Parse(time.RFC3339, *r.Expires)
		if err != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, `expires must be a time such as "2027-01-31T00:00:00Z", or "never"`)
		}
		return setExpiry(op, t, at)
	case r.TTL != nil:
		d, err := memory.ParseTTL(*r.TTL)
		if err != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, `ttl must be a duration such as "90m", "12h" or "30d", of at most a hundred years`)
		}
		return setExpiry(op, at.Add(d), at)
	}
	return nil
}

func setExpiry(op *memory.Op, t, at time.Time) error {
	t = t.UTC()
	if !t.After(at) {
		return memory.Errorf(memory.KindInvalid, string(op.Action), "it would have expired already")
	}
	op.Entry.Expires = &t
	op.Set = append(op.Set, "expires")
	return nil
}
