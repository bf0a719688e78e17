package store

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

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
	NewKey  *string `json:"new_key,omitempty"`
	Asker
	Values
	Filter
	Past
	Care
	TTL              *string         `json:"ttl,omitempty"`          // 90m, 12h, 30d
	SetMetadata      *map[string]any `json:"set_metadata,omitempty"` // merged into the metadata; null takes a name out
	Outcome          memory.Outcome  `json:"outcome,omitempty"`      // replace, put: counted in the metadata
	OnKey            memory.OnKey    `json:"on_key,omitempty"`       // put: what a taken key means
	Also             []memory.Scope  `json:"also,omitempty"`         // add, replace, put: further targets
	ExpectedRevision *int64          `json:"expected_revision,omitempty"`
	IdempotencyKey   string          `json:"idempotency_key,omitempty"`
	Ops              []Request       `json:"ops,omitempty"` // batch
}

// Asker is what a request says of who asks. It gives no rights: what a caller may do is
// the operating system's to say.
type Asker struct {
	Agent  string `json:"agent,omitempty"`  // whose scope it is, where an agent owns it
	Road   string `json:"road,omitempty"`   // the front end that asks for another program, one of roads
	Client string `json:"client,omitempty"` // what that program calls itself
}

// roads are the front ends that ask for a program that they can't attest. What comes by
// one is never a person's.
var roads = []string{"mcp"}

// By is the caller of a request that came by its road, or else by the device.
func (a *Asker) By(caller memory.Caller, device string) memory.Caller {
	caller.Agent, caller.Client, caller.Road = a.Agent, memory.Cut(a.Client, memory.MaxWordRunes), cmp.Or(a.Road, device)
	if a.Road != "" && caller.Trust == memory.TrustHuman {
		caller.Trust = memory.TrustAgent
	}
	return caller
}

// Past says which state, or which change, of the past a request means.
type Past struct {
	Revision *int64 `json:"revision,omitempty"` // restore: the state to go back to
	Sequence *int64 `json:"sequence,omitempty"` // undo: which change
}

// Care is how a request is made sure of that takes much away.
type Care struct {
	Confirm *bool `json:"confirm,omitempty"` // clear
	DryRun  bool  `json:"dry_run,omitempty"` // sweep: only say what it would do
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
	actionReject   = "reject" // remove, in the name of a person
	actionBatch    = "batch"
	actionLog      = "log"
	actionUndo     = "undo"
	actionSweep    = "sweep"
)

// actionFields lists what each action takes besides addressFields.
var actionFields = map[string][]string{
	string(memory.ActionAdd):     append(settable(), "ttl", "also", "idempotency_key"),
	string(memory.ActionPut):     append(settable(), "ttl", "set_metadata", "outcome", "on_key", "also", "expected_revision", "idempotency_key"),
	string(memory.ActionReplace): append(settable(), "id", "old", "new", "new_key", "ttl", "set_metadata", "outcome", "also", "expected_revision", "idempotency_key"),
	string(memory.ActionClear):   {"confirm", "idempotency_key"},
	string(memory.ActionRemove):  {"id", "key", "old", "content", "expected_revision", "idempotency_key"},
	actionReject:                 {"id", "key", "old", "content", "expected_revision", "idempotency_key"},
	string(memory.ActionRestore): {"id", "key", "revision", "expected_revision", "idempotency_key"},
	actionSnapshot:               {},
	actionCapacity:               {},
	actionGet:                    {"id", "key", "content"},
	actionList:                   {"where", "category", "type", "tags", "any_tags", "min_importance", "since", "until", "sort", "max_results", "cursor"},
	actionHistory:                {"id", "key", "content", "max_results"},
	actionBatch:                  {"ops", "idempotency_key"},
	actionLog:                    {"max_results", "since"},
	actionUndo:                   {"id", "key", "sequence"},
	actionSweep:                  {"dry_run"},
}

// aliases are second names of fields, for those who know a list by them.
var aliases = map[string]string{"all_tags": "tags", "limit": "max_results"}

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
	return []string{"add", "put", "replace", "remove", "reject", "clear", "snapshot", "capacity", "get", "list", "history", "log", "restore", "undo", "batch", "sweep"}
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
	if r.Road != "" && !slices.Contains(roads, r.Road) {
		return memory.Errorf(memory.KindInvalid, "decode request", "unknown road: %s; it is %s", memory.QuoteName(r.Road), strings.Join(roads, ", "))
	}
	if r.MaxResults < 0 || r.Limit < 0 {
		return memory.Errorf(memory.KindInvalid, r.Action, "max_results must be 0, for all, or more")
	}
	for alias, name := range aliases {
		if given, ok := r.value(alias); ok {
			to, taken := r.value(name)
			if taken {
				return memory.Errorf(memory.KindInvalid, r.Action, "give %s or %s, not both: they are the same", name, alias)
			}
			to.Set(given)
			given.SetZero()
		}
	}
	return memory.CheckFields(r.Action, r, slices.Concat(addressFields, allowed))
}

// addressFields are those that every action takes.
var addressFields = []string{"action", "target", "project", "agent", "road", "client"}

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

func checkContent(action, s string) error {
	if strings.TrimSpace(s) == "" {
		return memory.Errorf(memory.KindInvalid, action, "content is empty")
	}
	if len(s) > MaxContentBytes {
		return memory.Errorf(memory.KindTooBig, action, "content is %d bytes; an entry holds at most %d", len(s), MaxContentBytes)
	}
	return nil
}
