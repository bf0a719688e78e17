package store

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// fill copies the request's fields to op.Entry and names them in op.Set.
func (r *Request) fill(op *memory.Op, at time.Time) error {
	e := &op.Entry
	content := r.Content
	if op.Action == memory.ActionReplace && r.New != nil {
		if content != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, "give the new text once: in new or in content")
		}
		content = r.New
	}
	if content != nil {
		if err := checkContent(r.Action, *content); err != nil {
			return err
		}
		e.Content = *content
		op.Set = append(op.Set, "content")
	}
	if r.Key != nil && op.Action == memory.ActionAdd {
		if err := checkWord(r.Action, "key", *r.Key, memory.MaxKeyRunes); err != nil {
			return err
		}
		e.Key = *r.Key
	}
	if err := r.fillWords(op); err != nil {
		return err
	}
	if r.Importance != nil {
		if v := *r.Importance; math.IsNaN(v) || v < 0 || v > 1 {
			return memory.Errorf(memory.KindInvalid, r.Action, "importance must be from 0 to 1")
		}
		e.Importance = *r.Importance
		op.Set = append(op.Set, "importance")
	}
	if r.Pinned != nil {
		e.Pinned = *r.Pinned
		op.Set = append(op.Set, "pinned")
	}
	if err := r.fillExpiry(op, at); err != nil {
		return err
	}
	return r.fillMetadata(op)
}

func (r *Request) fillWords(op *memory.Op) error {
	for _, f := range []struct {
		name string
		from *string
		to   *string
	}{{"category", r.Category, &op.Entry.Category}, {"type", r.Type, &op.Entry.Type}} {
		if f.from == nil {
			continue
		}
		if *f.from != "" || op.Action == memory.ActionAdd { // a replace clears it with ""
			if err := checkWord(r.Action, f.name, *f.from, maxWordRunes); err != nil {
				return err
			}
		}
		*f.to = *f.from
		op.Set = append(op.Set, f.name)
	}
	if r.Tags == nil {
		return nil
	}
	if len(*r.Tags) > maxTags {
		return memory.Errorf(memory.KindInvalid, r.Action, "tags: at most %d", maxTags)
	}
	for _, t := range *r.Tags {
		if err := checkWord(r.Action, "tags", t, maxWordRunes); err != nil {
			return err
		}
		if !slices.Contains(op.Entry.Tags, t) {
			op.Entry.Tags = append(op.Entry.Tags, t)
		}
	}
	op.Set = append(op.Set, "tags")
	return nil
}

func (r *Request) fillExpiry(op *memory.Op, at time.Time) error {
	switch {
	case r.Expires != nil && r.TTL != nil:
		return memory.Errorf(memory.KindInvalid, r.Action, "give expires or ttl, not both")
	case r.Expires != nil && (*r.Expires == "never" || *r.Expires == ""):
		op.Set = append(op.Set, "expires")
	case r.Expires != nil:
		t, err := time.Parse(time.RFC3339, *r.Expires)
		if err != nil {
			return memory.Errorf(memory.KindInvalid, r.Action, `expires must be a time such as "2027-01-31T00:00:00Z", or "never"`)
		}
		return setExpiry(op, t, at)
	case r.TTL != nil:
		d, err := parseTTL(*r.TTL)
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

// parseTTL reads a Go duration, or whole days as "30d".
func parseTTL(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n > 36500 {
			return 0, errors.New("not a number of days")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("not a duration")
	}
	return d, nil
}

func (r *Request) fillMetadata(op *memory.Op) error {
	if r.Metadata == nil {
		return nil
	}
	raw, err := json.Marshal(*r.Metadata)
	if err != nil || len(raw) > maxMetaBytes {
		return memory.Errorf(memory.KindInvalid, r.Action, "metadata: at most %d bytes of JSON", maxMetaBytes)
	}
	if len(*r.Metadata) > 0 {
		for k, v := range *r.Metadata {
			(*r.Metadata)[k] = wholeNumbers(v)
		}
		op.Entry.Metadata = *r.Metadata
	}
	op.Set = append(op.Set, "metadata")
	return nil
}

// wholeNumbers turns floats that are whole numbers into int64, such that they
// look the same in every format that keeps them.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case map[string]any:
		for k, x := range v {
			v[k] = wholeNumbers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = wholeNumbers(x)
		}
	}
	return v
}
