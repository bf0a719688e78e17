package memory

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// OnKey says what a put does to the entry that has its key already.
type OnKey string

// What a put does.
const (
	KeyRefuse  OnKey = "refuse"  // KindExists
	KeyReplace OnKey = "replace" // a new revision of it; the default
	KeyAppend  OnKey = "append"  // a dated section below its text
)

// put adds an entry, or changes the one that has its key.
func (d *draft) put(op Op) error {
	op.Match = op.Names()
	old := d.byKey(op.Entry.Key)
	category := op.Entry.Category
	if old != nil && !slices.Contains(op.Set, "category") {
		category = old.Category
	}
	op.OnKey = cmp.Or(op.OnKey, d.ch.Limit.Categories.Of(category).OnKey)
	switch {
	case old == nil && op.ExpectedRevision == 0:
		if op.OnKey == KeyAppend {
			op.Entry.Content = FormPage.Of(op.Entry.Content, "")
		}
		return d.add(op)
	case old != nil && op.OnKey == KeyRefuse:
		return Errorf(KindExists, "put", "an entry with the key %q exists; on_key is refuse", op.Entry.Key)
	case old != nil && op.OnKey == KeyAppend:
		op.Entry.Content = Append(old.Content, op.Entry.Content, d.ch.At)
		return d.update(ActionAppend, op)
	}
	return d.update(ActionReplace, op)
}

// Outcome is how something that an entry tells of went when it was used.
type Outcome string

// The outcomes.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
)

// The metadata in which outcomes are counted.
const (
	usesKey        = "uses"
	successRateKey = "success_rate" // 0 to 1: the mean of the outcomes
)

// note makes what an operation says of the metadata part of e: names that are merged,
// and an outcome that counts. Who asks for an entry gives it what its category requires,
// and leaves that there; what was learned is not asked for.
func (d *draft) note(op Op, old, e *Entry) error {
	if op.Merge || op.Outcome != "" {
		if err := op.merge(e); err != nil {
			return err
		}
	}
	if old != nil && !op.Merge && !slices.Contains(op.Set, "metadata") && !slices.Contains(op.Set, "category") || d.ch.Actor.Trust == TrustExtracted {
		return nil
	}
	if missing := d.ch.Limit.Categories.Of(e.Category).Missing(e.Metadata); len(missing) > 0 {
		return Errorf(KindInvalid, string(op.Action), "an entry of the category %s needs metadata that is missing: %s",
			strings.ToLower(e.Category), strings.Join(missing, ", "))
	}
	return nil
}

func (op *Op) merge(e *Entry) error {
	noted := maps.Clone(e.Metadata)
	if noted == nil {
		noted = map[string]any{}
	}
	if op.Merge {
		for name, v := range op.Entry.Metadata {
			if noted[name] = v; v == nil {
				delete(noted, name)
			}
		}
	}
	if op.Outcome != "" {
		uses, count := number(noted[usesKey])
		rate, share := number(noted[successRateKey])
		if !count || !share || uses < 0 || uses != math.Trunc(uses) || rate < 0 || rate > 1 {
			return Errorf(KindInvalid, string(op.Action), "outcome: metadata.%s must be a count, and metadata.%s from 0 to 1", usesKey, successRateKey)
		}
		won := 0.0
		if op.Outcome == OutcomeSuccess {
			won = 1
		}
		noted[usesKey], noted[successRateKey] = wholeNumbers(uses+1), wholeNumbers((rate*uses+won)/(uses+1))
	}
	e.Metadata = noted
	if len(noted) == 0 {
		e.Metadata = nil
	}
	if err := checkMetadata(noted); err != nil {
		return Errorf(KindInvalid, string(op.Action), "metadata %w", err)
	}
	return nil
}

// number is a number of metadata, 0 where there is none.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}
