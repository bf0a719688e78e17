package store

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Bounds of a request; those of an entry's fields are in [memory.EntryFields].
const (
	MaxContentBytes = 384 << 10 // of one entry: the most that one request can carry
	maxOps          = 1000      // operations of a batch
	maxIdempotency  = 200       // bytes of an idempotency key
)

// Request is one request to the commit or profile device. Which fields an
// action takes is documented in docs/protocol.md; a field that an action can't
// use is an error. Pointers tell "absent" from "empty".
type Request struct {
	Action  string  `json:"action"`
	Target  string  `json:"target,omitempty"`
	Project string  `json:"project,omitempty"`
	ID      string  `json:"id,omitempty"`
	Old     *string `json:"old,omitempty"`
	New     *string `json:"new,omitempty"`
	Values
	TTL              *string   `json:"ttl,omitempty"` // 90m, 12h, 30d
	ExpectedRevision *int64    `json:"expected_revision,omitempty"`
	IdempotencyKey   string    `json:"idempotency_key,omitempty"`
	Revision         *int64    `json:"revision,omitempty"`    // restore: the state to go back to
	MaxResults       int       `json:"max_results,omitempty"` // list, history: at most so many
	Ops              []Request `json:"ops,omitempty"`         // batch
}

// Values are the fields of an entry in a request: those rows of
// [memory.EntryFields] that a request may set, by their names.
type Values struct {
	Key        *string         `json:"key,omitempty"`
	Content    *string         `json:"content,omitempty"`
	Category   *string         `json:"category,omitempty"`
	Type       *string         `json:"type,omitempty"`
	Tags       *[]string       `json:"tags,omitempty"`
	Importance *float64        `json:"importance,omitempty"`
	Pinned     *bool           `json:"pinned,omitempty"`
	Expires    *string         `json:"expires,omitempty"` // RFC 3339, or "never"
	Metadata   *map[string]any `json:"metadata,omitempty"`
}

// The actions of a request that change nothing, and the batch.
const (
	actionSnapshot = "snapshot"
	actionCapacity = "capacity"
	actionGet      = "get"
	actionList     = "list"
	actionHistory  = "history"
	actionBatch    = "batch"
)

// actionFields lists what each action takes besides action, target and project.
var actionFields = map[string][]string{
	string(memory.ActionAdd):     append(settable(), "ttl", "idempotency_key"),
	string(memory.ActionReplace): append(settable(), "id", "old", "new", "ttl", "expected_revision", "idempotency_key"),
	string(memory.ActionRemove):  {"id", "key", "old", "content", "expected_revision", "idempotency_key"},
	string(memory.ActionRestore): {"id", "key", "revision", "expected_revision", "idempotency_key"},
	actionSnapshot:               {},
	actionCapacity:               {},
	actionGet:                    {"id", "key", "content"},
	actionList:                   {"tags", "category", "type", "max_results"},
	actionHistory:                {"id", "key", "content", "max_results"},
	actionBatch:                  {"ops", "idempotency_key"},
}

// settable are the names of the fields of an entry that a request may set.
func settable() (names []string) {
	for _, f := range memory.EntryFields {
		if f.Request {
			names = append(names, f.Name)
		}
	}
	return names
}

// Actions returns the actions that [Store.Do] knows, in the order in which a
// device's help shows them.
func Actions() []string {
	return []string{"add", "replace", "remove", "snapshot", "capacity", "get", "list", "history", "restore", "batch"}
}

// checkFields refuses fields that the action can't use.
func (r *Request) checkFields() error {
	allowed, ok := actionFields[r.Action]
	if !ok {
		if r.Action == "" {
			return memory.Errorf(memory.KindInvalid, "decode request", "action is required: one of %s", strings.Join(Actions(), ", "))
		}
		return memory.Errorf(memory.KindInvalid, "decode request", "unknown action: %s; the actions are %s", memory.QuoteName(r.Action), strings.Join(Actions(), ", "))
	}
	for _, f := range r.present() {
		if !slices.Contains(allowed, f) {
			return memory.Errorf(memory.KindInvalid, r.Action, "field %q has no meaning for %s", f, r.Action)
		}
	}
	return nil
}

// requestFields are where the fields of a request are, by their JSON names.
var requestFields = fieldsOf(reflect.TypeFor[Request]())

func fieldsOf(t reflect.Type) map[string][]int {
	at := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			at[name] = f.Index
		}
	}
	return at
}

// value is the field with the JSON name; ok is false where the request has none.
func (r *Request) value(name string) (v reflect.Value, ok bool) {
	v = reflect.ValueOf(r).Elem().FieldByIndex(requestFields[name])
	return v, !v.IsZero()
}

// present lists the fields that the request carries, sorted.
func (r *Request) present() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(requestFields)) {
		if _, ok := r.value(name); ok && name != "action" && name != "target" && name != "project" {
			names = append(names, name)
		}
	}
	return names
}

// op turns a changing request into an operation; at is the time of the change.
func (r *Request) op(at time.Time) (memory.Op, error) {
	op := memory.Op{Action: memory.Action(r.Action)}
	var err error
	if op.ExpectedRevision, err = r.counted("expected_revision", r.ExpectedRevision); err != nil {
		return op, err
	}
	if _, err = r.counted("revision", r.Revision); err != nil {
		return op, err
	}
	switch op.Action {
	case memory.ActionAdd:
		if r.Content == nil {
			return op, memory.Errorf(memory.KindInvalid, r.Action, "content is required")
		}
		op.Entry.Importance = memory.DefaultImportance
		err = r.fill(&op, at)
	case memory.ActionReplace:
		if op.Match, err = r.match(); err != nil {
			return op, err
		}
		if err = r.fill(&op, at); err == nil && len(op.Set) == 0 {
			err = memory.Errorf(memory.KindInvalid, r.Action, "nothing to replace it with: give new, or another field to set")
		}
	case memory.ActionRemove, memory.ActionRestore:
		op.Match, err = r.match()
	default:
		err = memory.Errorf(memory.KindInvalid, r.Action, "%s can't be part of a batch", r.Action)
	}
	return op, err
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
	case string(memory.ActionRestore):
		return []string{"id", "key"}
	case actionGet, actionHistory:
		return []string{"id", "key", "content (its whole text)"}
	}
	return []string{"id", "key", "old (its whole text)"}
}

func checkContent(action, s string) error {
	if strings.TrimSpace(s) == "" {
		return memory.Errorf(memory.KindInvalid, action, "content is empty")
	}
	if len(s) > MaxContentBytes {
		return memory.Errorf(memory.KindTooBig, action, "content is %d bytes; an entry holds at most %d", len(s), MaxContentBytes)
	}
	return nil
}
