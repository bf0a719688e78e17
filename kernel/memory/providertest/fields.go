package providertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// sample sets a field of an entry to a value of its type.
func sample(t *testing.T, f memory.FieldSpec[memory.Entry], e *memory.Entry) {
	t.Helper()
	switch p := f.Pointer(e).(type) {
	case *string:
		*p = "a value of " + f.Name
	case *[]string:
		*p = []string{"one", "a b", "2024"}
	case *float64:
		*p = 0.25
	case *bool:
		*p = true
	case **time.Time:
		at := Start.Add(time.Hour)
		*p = &at
	case *map[string]any:
		*p = map[string]any{"n": 1.5, "s": "x", "list": []any{true, nil, "y"}, "map": map[string]any{"k": "v"}}
	default:
		t.Fatalf("%s: no sample of a %T", f.Name, p)
	}
}

// testFields adds an entry with each field that a request may set, and sets each
// alone in another that has none.
func testFields(t *testing.T, f Fixture) {
	for _, field := range memory.EntryFields {
		if !field.Request {
			continue
		}
		for _, replace := range []bool{false, true} {
			ch := Add("the field " + field.Name)
			want := &ch.Ops[0].Entry
			if replace {
				must(t, f.Provider, ch)
				op := memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: want.ID}, Set: []string{field.Name}}
				sample(t, field, &op.Entry)
				if field.Name == "key" {
					op.Entry.Key += " replaced"
				}
				ch.Ops[0], want = op, &op.Entry
			} else {
				sample(t, field, want)
			}
			got := must(t, f.Provider, ch).Steps[0].After
			if d := cmp.Diff(field.Pointer(want), field.Pointer(got)); d != "" {
				t.Errorf("%s, replaced %t:\n%s", field.Name, replace, d)
			}
		}
	}
	reopened(t, f, load(t, f.Provider))
}
