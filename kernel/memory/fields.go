package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of an entry's short fields.
const (
	MaxKeyRunes  = 200 // of a key that a caller chose
	MaxWordRunes = 100 // of a category, a type, a tag
	MaxTags      = 64
	maxMetadata  = 16 << 10 // bytes of metadata as JSON
)

// FieldSpec describes one field of S, an [Entry] or a [Source]. Requests, front
// matter, edits, help, the command line and the conformance suite are made from
// the tables [EntryFields] and [SourceFields].
type FieldSpec[S any] struct {
	Name string // in JSON and in front matter
	Help string // for a device's help and the command line; "" where no request sets it
	// Request says that a request may set the field.
	Request bool
	// Scan says that the field may hold text from outside, which must be scanned.
	Scan bool
	// Accept puts a request's value into the form that is stored, or says why it
	// must not be stored. It may be nil.
	Accept func(*S) error
	// Pointer points to the field in s: its type is the field's.
	Pointer func(s *S) any
	// Copy sets the field of dst to that of src. Lists and maps are shared.
	Copy func(dst, src *S)
}

// field makes the row of a field of type T.
func field[S, T any](name string, at func(*S) *T) FieldSpec[S] {
	return FieldSpec[S]{
		Name:    name,
		Pointer: func(s *S) any { return at(s) },
		Copy:    func(dst, src *S) { *at(dst) = *at(src) },
	}
}

// asked makes the row of a field that a request may set.
func asked[T any](name, help string, accept func(*Entry) error, at func(*Entry) *T) FieldSpec[Entry] {
	f := scanned(field(name, at))
	f.Request, f.Help, f.Accept = true, help, accept
	return f
}

func scanned(f FieldSpec[Entry]) FieldSpec[Entry] {
	f.Scan = true
	return f
}

// EntryFields are the fields of an entry, in the order of front matter. The last
// two are not named there: extra is the fields that are not ours, and the content
// is the body of the file.
var EntryFields = []FieldSpec[Entry]{
	field("id", func(e *Entry) *string { return &e.ID }),
	asked("key", "add, put: a key of your choice, which names the file; else it names the entry", func(e *Entry) error { return checkWord(e.Key, MaxKeyRunes) },
		func(e *Entry) *string { return &e.Key }),
	field("key_stale", func(e *Entry) *bool { return &e.KeyStale }),
	asked("category", "a word such as convention, decision, preference", func(e *Entry) error { return checkWord(e.Category, MaxWordRunes) },
		func(e *Entry) *string { return &e.Category }),
	asked("type", "a word such as semantic, episodic, procedural", func(e *Entry) error { return checkWord(e.Type, MaxWordRunes) },
		func(e *Entry) *string { return &e.Type }),
	asked("tags", "words to find it by", acceptTags,
		func(e *Entry) *[]string { return &e.Tags }),
	asked("importance", "0 to 1", acceptImportance,
		func(e *Entry) *float64 { return &e.Importance }),
	asked("pinned", "never evict it", nil,
		func(e *Entry) *bool { return &e.Pinned }),
	field("created", func(e *Entry) *time.Time { return &e.Created }),
	field("updated", func(e *Entry) *time.Time { return &e.Updated }),
	asked("expires", `a time to forget it at, such as "2027-01-31T00:00:00Z", or "never"`, nil,
		func(e *Entry) **time.Time { return &e.Expires }),
	field("archived", func(e *Entry) *bool { return &e.Archived }),
	field("revision", func(e *Entry) *int64 { return &e.Revision }),
	field("source", func(e *Entry) *Source { return &e.Source }),
	asked("metadata", "an object of your own; a put merges it", acceptMetadata,
		func(e *Entry) *map[string]any { return &e.Metadata }),
	scanned(field("extra", func(e *Entry) *map[string]any { return &e.Extra })),
	asked("content", "add, put: the text to remember; replace: the new text; remove, get, history: the entry's whole text", nil,
		func(e *Entry) *string { return &e.Content }),
}

// SourceFields are the fields of a source, in the order of front matter.
var SourceFields = []FieldSpec[Source]{
	field("trust", func(s *Source) *Trust { return &s.Trust }),
	field("road", func(s *Source) *string { return &s.Road }),
	field("uid", func(s *Source) **uint32 { return &s.UID }),
	field("pid", func(s *Source) *int { return &s.PID }),
	field("exe", func(s *Source) *string { return &s.Exe }),
	field("session", func(s *Source) *string { return &s.Session }),
	field("container", func(s *Source) *string { return &s.Container }),
	field("client", func(s *Source) *string { return &s.Client }),
	field("process", func(s *Source) *string { return &s.Process }),
	field("turns", func(s *Source) *[]string { return &s.Turns }),
	field("job", func(s *Source) *string { return &s.Job }),
}

// EntryField returns the row of an entry's field, or nil.
func EntryField(name string) *FieldSpec[Entry] {
	i := slices.IndexFunc(EntryFields, func(f FieldSpec[Entry]) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &EntryFields[i]
}

// checkWord bounds a short field and keeps control characters out of it.
func checkWord(s string, most int) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("is empty")
	case utf8.RuneCountInString(s) > most:
		return fmt.Errorf("is longer than %d characters", most)
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("has a control character")
	}
	return nil
}

func acceptTags(e *Entry) error {
	if len(e.Tags) > MaxTags {
		return fmt.Errorf("are more than %d", MaxTags)
	}
	var tags []string
	for _, t := range e.Tags {
		if err := checkWord(t, MaxWordRunes); err != nil {
			return err
		}
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	e.Tags = tags
	return nil
}

func acceptImportance(e *Entry) error {
	if math.IsNaN(e.Importance) || e.Importance < 0 || e.Importance > 1 {
		return errors.New("must be from 0 to 1")
	}
	return nil
}

func acceptMetadata(e *Entry) error {
	if err := checkMetadata(e.Metadata); err != nil {
		return err
	}
	if len(e.Metadata) == 0 {
		e.Metadata = nil
	}
	for k, v := range e.Metadata {
		e.Metadata[k] = wholeNumbers(v)
	}
	return nil
}

func checkMetadata(m map[string]any) error {
	raw, err := json.Marshal(m)
	if err != nil || len(raw) > maxMetadata {
		return fmt.Errorf("is more than %d bytes of JSON", maxMetadata)
	}
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
