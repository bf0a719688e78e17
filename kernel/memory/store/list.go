package store

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Filter says which entries a list has, in which order, and how many.
type Filter struct {
	Where         map[string]any `json:"where,omitempty"` // by field: a value, or several, of which an entry has one
	AnyTags       []string       `json:"any_tags,omitempty"`
	AllTags       *[]string      `json:"all_tags,omitempty"` // tags
	MinImportance *float64       `json:"min_importance,omitempty"`
	Since         string         `json:"since,omitempty"` // of the last change, RFC 3339
	Until         string         `json:"until,omitempty"`
	Sort          string         `json:"sort,omitempty"`        // a field, or relevance; -field turns it
	MaxResults    int            `json:"max_results,omitempty"` // list, history: at most so many
	Limit         int            `json:"limit,omitempty"`       // max_results
	Cursor        string         `json:"cursor,omitempty"`      // next of a reply: go on from there
}

// Page is the answer to a list.
type Page struct {
	Entries *[]*memory.Entry `json:"entries,omitempty"`
	Next    string           `json:"next,omitempty"` // where the next page begins, if there is one
}

// Bounds of what each entry is held against.
const (
	maxWhere  = 32   // fields of where
	maxWanted = 1000 // values of where and any_tags
)

func badList(format string, args ...any) error {
	return memory.Errorf(memory.KindInvalid, actionList, format, args...)
}

// list answers with the entries that the request asks for.
func list(j job, entries []*memory.Entry, now time.Time) error {
	tests, err := j.req.tests()
	if err != nil {
		return err
	}
	from, err := cursorOf(j)
	if err != nil {
		return err
	}
	if from.At.IsZero() {
		from.At = now
	}
	o, err := orderOf(j.req.Sort, j.policy.Score, from.At)
	if err != nil {
		return err
	}
	var found []place
	count := 0
	for _, e := range entries {
		if slices.ContainsFunc(tests, func(test entryTest) bool { return !test(e) }) {
			continue
		}
		count++
		if at := (place{o.value(e), e.ID, e}); from.ID == "" || o.compare(at, place{from.Value, from.ID, nil}) > 0 {
			found = append(found, at)
		}
	}
	slices.SortFunc(found, o.compare)
	if most := j.req.MaxResults; most > 0 && most < len(found) {
		found = found[:most]
		from.Value, from.ID = found[most-1].value, found[most-1].id
		raw, err := json.Marshal(from)
		if err != nil {
			return memory.Errorf(memory.KindInternal, actionList, "cursor: %w", err)
		}
		j.reply.Next = base64.RawURLEncoding.EncodeToString(raw)
	}
	if o.newest {
		slices.Reverse(found)
	}
	out := make([]*memory.Entry, len(found))
	for i, at := range found {
		out[i] = at.entry
	}
	j.reply.Entries, j.reply.Count = &out, &count
	return nil
}

type entryTest = func(*memory.Entry) bool

// tests are those that an entry of the list passes.
func (r *Request) tests() (tests []entryTest, err error) {
	values := len(r.AnyTags)
	for _, name := range slices.Sorted(maps.Keys(r.Where)) {
		list, several := r.Where[name].([]any)
		if !several {
			list = []any{r.Where[name]}
		}
		test, err := whereTest(name, list)
		if err != nil {
			return nil, err
		}
		tests, values = append(tests, test), values+len(list)
	}
	if len(r.Where) > maxWhere {
		return nil, badList("where has %d fields; at most %d", len(r.Where), maxWhere)
	}
	if values > maxWanted {
		return nil, badList("where and any_tags have %d values; at most %d", values, maxWanted)
	}
	for name, text := range map[string]*string{"category": r.Category, "type": r.Type} {
		if text != nil {
			tests = append(tests, pathOf(name).oneOf(*text))
		}
	}
	if r.Tags != nil {
		for _, tag := range *r.Tags {
			tests = append(tests, pathOf("tags").oneOf(tag))
		}
	}
	if len(r.AnyTags) > 0 {
		tests = append(tests, func(e *memory.Entry) bool {
			return slices.ContainsFunc(e.Tags, func(tag string) bool { return slices.Contains(r.AnyTags, tag) })
		})
	}
	if least := r.MinImportance; least != nil {
		if *least < 0 || *least > 1 {
			return nil, badList("min_importance must be from 0 to 1")
		}
		tests = append(tests, func(e *memory.Entry) bool { return e.Importance >= *least })
	}
	return r.timeTests(tests)
}

// timeTests adds those of since and until, of the last change, as those of a search.
func (r *Request) timeTests(tests []entryTest) ([]entryTest, error) {
	for name, text := range map[string]string{"since": r.Since, "until": r.Until} {
		if text == "" {
			continue
		}
		t, err := memory.ParseTime(actionList, name, text)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(e *memory.Entry) bool { return e.Updated.Before(t) == (name == "until") })
	}
	return tests, nil
}

// whereTest is whether a field is one of the values.
func whereTest(name string, values []any) (entryTest, error) {
	p := pathOf(name)
	if p == nil {
		return nil, unknown("where", name)
	}
	for _, v := range values {
		switch v.(type) {
		case map[string]any, []any:
			return nil, badList("where: a value is a text, a number, true, false or null, or a list of these")
		}
	}
	return p.oneOf(values...), nil
}

// oneOf tests for one of the values, in a list too; nothing counts as null and as the
// empty text.
func (p path) oneOf(values ...any) entryTest {
	if slices.Contains(values, any("")) {
		values = append(slices.Clone(values), nil)
	}
	return func(e *memory.Entry) bool {
		v := p(e)
		if list, ok := v.([]any); ok {
			return slices.ContainsFunc(list, func(v any) bool { return slices.Contains(values, v) })
		}
		return slices.Contains(values, v)
	}
}
