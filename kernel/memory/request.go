package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a request's small fields, in runes unless said otherwise.
const (
	MaxContentBytes = 384 << 10 // of one entry: the most that one request can carry
	maxWordRunes    = 100       // of a category, a type, a tag
	maxTags         = 64
	maxMetaBytes    = 16 << 10 // of metadata as JSON
	maxOps          = 1000     // operations of a batch
	maxIdempotency  = 200      // bytes of an idempotency key
)

// Request is one request to the commit or profile device. Which fields an
// action takes is documented in docs/protocol.md; a field that an action can't
// use is an error. Pointers tell "absent" from "empty".
type Request struct {
	Action           string          `json:"action"`
	Target           string          `json:"target,omitempty"`
	Project          string          `json:"project,omitempty"`
	ID               string          `json:"id,omitempty"`
	Key              *string         `json:"key,omitempty"`
	Content          *string         `json:"content,omitempty"`
	Old              *string         `json:"old,omitempty"`
	New              *string         `json:"new,omitempty"`
	Category         *string         `json:"category,omitempty"`
	Type             *string         `json:"type,omitempty"`
	Tags             *[]string       `json:"tags,omitempty"`
	Importance       *float64        `json:"importance,omitempty"`
	Pinned           *bool           `json:"pinned,omitempty"`
	Expires          *string         `json:"expires,omitempty"` // RFC 3339, or "never"
	TTL              *string         `json:"ttl,omitempty"`     // 90m, 12h, 30d
	Metadata         *map[string]any `json:"metadata,omitempty"`
	ExpectedRevision int64           `json:"expected_revision,omitempty"`
	IdempotencyKey   string          `json:"idempotency_key,omitempty"`
	Revision         int64           `json:"revision,omitempty"`    // restore: the state to go back to
	MaxResults       int             `json:"max_results,omitempty"` // list, history: at most so many
	Ops              []Request       `json:"ops,omitempty"`         // batch
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
	string(ActionAdd):     {"content", "key", "category", "type", "tags", "importance", "pinned", "expires", "ttl", "metadata", "idempotency_key"},
	string(ActionReplace): {"id", "key", "old", "new", "content", "category", "type", "tags", "importance", "pinned", "expires", "ttl", "metadata", "expected_revision", "idempotency_key"},
	string(ActionRemove):  {"id", "key", "old", "content", "expected_revision", "idempotency_key"},
	string(ActionRestore): {"id", "key", "revision", "expected_revision", "idempotency_key"},
	actionSnapshot:        {},
	actionCapacity:        {},
	actionGet:             {"id", "key", "content"},
	actionList:            {"tags", "category", "type", "max_results"},
	actionHistory:         {"id", "key", "content", "max_results"},
	actionBatch:           {"ops", "idempotency_key"},
}

// Actions returns the actions that [Store.Do] knows, in the order in which a
// device's help shows them.
func Actions() []string {
	return []string{"add", "replace", "remove", "snapshot", "capacity", "get", "list", "history", "restore", "batch"}
}

// DecodeStrict decodes one JSON value into v: unknown fields, wrong types,
// trailing data, invalid UTF-8 and half surrogate pairs are KindInvalid errors
// that say where. Numbers in untyped places become int64 or float64.
func DecodeStrict(data []byte, v any) error {
	if !utf8.Valid(data) {
		return Errorf(KindInvalid, "decode request", "invalid JSON: not valid UTF-8")
	}
	if loneSurrogate(data) {
		return Errorf(KindInvalid, "decode request", `invalid JSON: half of a surrogate pair (\ud800 to \udfff) stands alone`)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return Errorf(KindInvalid, "decode request", "%s", describeJSON(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Errorf(KindInvalid, "decode request", "invalid JSON: more than one value")
	}
	return nil
}

// describeJSON says what is wrong without quoting values, which may be secrets:
// encoding/json names fields and types only, except for the offending character
// of a syntax error.
func describeJSON(err error) string {
	var typ *json.UnmarshalTypeError
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		if typ.Field == "" {
			return fmt.Sprintf("invalid JSON: a request is an object, not %s", article(typ.Value))
		}
		return fmt.Sprintf("field %q: must be %s, not %s", typ.Field, article(typ.Type.Kind().String()), article(strings.Fields(typ.Value)[0]))
	case errors.As(err, &syn):
		return fmt.Sprintf("invalid JSON: %s (at byte %d)", syn.Error(), syn.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "invalid JSON: cut off"
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return "unknown field: " + strings.TrimPrefix(err.Error(), "json: unknown field ")
	}
	return "invalid JSON"
}

func article(kind string) string {
	switch kind {
	case "slice", "array":
		return "an array"
	case "map", "struct", "object":
		return "an object"
	case "ptr", "interface", "value":
		return "a value"
	case "int", "int64":
		return "an integer"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// loneSurrogate reports an escape of half a surrogate pair, which encoding/json
// would replace by U+FFFD without a word.
func loneSurrogate(data []byte) bool {
	hex := func(i int) (rune, bool) {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(string(data[i+2:i+6]), 16, 16)
		return rune(v), err == nil
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		r, ok := hex(i)
		switch {
		case !ok:
			i++ // an escape of two characters: \\ must not be taken for a start
		case r >= 0xD800 && r < 0xDC00:
			if low, ok := hex(i + 6); !ok || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		case r >= 0xDC00 && r <= 0xDFFF:
			return true
		default:
			i += 5
		}
	}
	return false
}

// checkFields refuses fields that the action can't use.
func (r *Request) checkFields() error {
	allowed, ok := actionFields[r.Action]
	if !ok {
		if r.Action == "" {
			return Errorf(KindInvalid, "decode request", "action is required: one of %s", strings.Join(Actions(), ", "))
		}
		return Errorf(KindInvalid, "decode request", "unknown action: %q; the actions are %s", cut(r.Action, 40), strings.Join(Actions(), ", "))
	}
	for _, f := range r.present() {
		if !slices.Contains(allowed, f) {
			return Errorf(KindInvalid, r.Action, "field %q has no meaning for %s", f, r.Action)
		}
	}
	return nil
}

// present lists the fields that the request carries.
func (r *Request) present() []string {
	var fs []string
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"id", r.ID != ""},
		{"key", r.Key != nil},
		{"content", r.Content != nil},
		{"old", r.Old != nil},
		{"new", r.New != nil},
		{"category", r.Category != nil},
		{"type", r.Type != nil},
		{"tags", r.Tags != nil},
		{"importance", r.Importance != nil},
		{"pinned", r.Pinned != nil},
		{"expires", r.Expires != nil},
		{"ttl", r.TTL != nil},
		{"metadata", r.Metadata != nil},
		{"expected_revision", r.ExpectedRevision != 0},
		{"idempotency_key", r.IdempotencyKey != ""},
		{"revision", r.Revision != 0},
		{"max_results", r.MaxResults != 0},
		{"ops", r.Ops != nil},
	} {
		if f.is {
			fs = append(fs, f.name)
		}
	}
	return fs
}

// op turns a changing request into an operation; at is the time of the change.
func (r *Request) op(at time.Time) (Op, error) {
	op := Op{Action: Action(r.Action), ExpectedRevision: r.ExpectedRevision}
	var err error
	switch op.Action {
	case ActionAdd:
		if r.Content == nil {
			return op, Errorf(KindInvalid, r.Action, "content is required")
		}
		op.Entry.Importance = DefaultImportance
		err = r.fill(&op, at)
	case ActionReplace:
		if op.Match, err = r.match(); err != nil {
			return op, err
		}
		if err = r.fill(&op, at); err == nil && len(op.Set) == 0 {
			err = Errorf(KindInvalid, r.Action, "nothing to replace it with: give new, or another field to set")
		}
	case ActionRemove, ActionRestore:
		op.Match, err = r.match()
	default:
		err = Errorf(KindInvalid, r.Action, "%s can't be part of a batch", r.Action)
	}
	return op, err
}

// match says which entry a request means: by id, by key, or by its whole text,
// in old or (where that is not the new text) in content.
func (r *Request) match() (Match, error) {
	m := Match{ID: r.ID}
	named := 0
	if r.ID != "" {
		named++
	}
	if r.Key != nil {
		m.Key = *r.Key
		named++
	}
	text := r.Old
	if text == nil && r.Action != string(ActionReplace) {
		text = r.Content
	}
	if text != nil {
		m.Content = *text
		named++
	}
	if named != 1 || m.IsZero() {
		return m, Errorf(KindInvalid, r.Action, "say which entry: one of id, key or old (its whole text)")
	}
	return m, nil
}

// fill copies the request's fields to op.Entry and names them in op.Set.
func (r *Request) fill(op *Op, at time.Time) error {
	e := &op.Entry
	content := r.Content
	if op.Action == ActionReplace && r.New != nil {
		if content != nil {
			return Errorf(KindInvalid, r.Action, "give the new text once: in new or in content")
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
	if r.Key != nil && op.Action == ActionAdd {
		if err := checkWord(r.Action, "key", *r.Key, MaxKeyRunes); err != nil {
			return err
		}
		e.Key = *r.Key
	}
	if err := r.fillWords(op); err != nil {
		return err
	}
	if r.Importance != nil {
		if v := *r.Importance; math.IsNaN(v) || v < 0 || v > 1 {
			return Errorf(KindInvalid, r.Action, "importance must be from 0 to 1")
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

func (r *Request) fillWords(op *Op) error {
	for _, f := range []struct {
		name string
		from *string
		to   *string
	}{{"category", r.Category, &op.Entry.Category}, {"type", r.Type, &op.Entry.Type}} {
		if f.from == nil {
			continue
		}
		if *f.from != "" || op.Action == ActionAdd { // a replace clears it with ""
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
		return Errorf(KindInvalid, r.Action, "tags: at most %d", maxTags)
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

func (r *Request) fillExpiry(op *Op, at time.Time) error {
	switch {
	case r.Expires != nil && r.TTL != nil:
		return Errorf(KindInvalid, r.Action, "give expires or ttl, not both")
	case r.Expires != nil && (*r.Expires == "never" || *r.Expires == ""):
		op.Set = append(op.Set, "expires")
	case r.Expires != nil:
		t, err := time.Parse(time.RFC3339, *r.Expires)
		if err != nil {
			return Errorf(KindInvalid, r.Action, `expires must be a time such as "2027-01-31T00:00:00Z", or "never"`)
		}
		return setExpiry(op, t, at)
	case r.TTL != nil:
		d, err := parseTTL(*r.TTL)
		if err != nil {
			return Errorf(KindInvalid, r.Action, `ttl must be a duration such as "90m", "12h" or "30d"`)
		}
		return setExpiry(op, at.Add(d), at)
	}
	return nil
}

func setExpiry(op *Op, t, at time.Time) error {
	t = t.UTC()
	if !t.After(at) {
		return Errorf(KindInvalid, string(op.Action), "it would have expired already")
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
	return time.ParseDuration(s)
}

func (r *Request) fillMetadata(op *Op) error {
	if r.Metadata == nil {
		return nil
	}
	raw, err := json.Marshal(*r.Metadata)
	if err != nil || len(raw) > maxMetaBytes {
		return Errorf(KindInvalid, r.Action, "metadata: at most %d bytes of JSON", maxMetaBytes)
	}
	if len(*r.Metadata) > 0 {
		op.Entry.Metadata = wholeNumbers(*r.Metadata).(map[string]any)
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

func checkContent(action, s string) error {
	if strings.TrimSpace(s) == "" {
		return Errorf(KindInvalid, action, "content is empty")
	}
	if len(s) > MaxContentBytes {
		return Errorf(KindTooBig, action, "content is %d bytes; an entry holds at most %d", len(s), MaxContentBytes)
	}
	return nil
}

// checkWord bounds a short field and keeps control characters out of it.
func checkWord(action, field, s string, maxRunes int) error {
	switch {
	case strings.TrimSpace(s) == "":
		return Errorf(KindInvalid, action, "%s is empty", field)
	case utf8.RuneCountInString(s) > maxRunes:
		return Errorf(KindInvalid, action, "%s is longer than %d characters", field, maxRunes)
	case strings.ContainsFunc(s, unicode.IsControl):
		return Errorf(KindInvalid, action, "%s has a control character", field)
	}
	return nil
}

func cut(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "..."
	}
	return s
}
