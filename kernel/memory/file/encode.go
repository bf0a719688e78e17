package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// matterFields are the fields of an entry that its front matter names, in their
// order; extra has no name there, and the content is the file's body.
var matterFields = slices.DeleteFunc(slices.Clone(memory.EntryFields), func(f memory.FieldSpec[memory.Entry]) bool {
	return f.Name == "extra" || f.Name == "content"
})

// maxRevision is what JSON's readers hold exactly.
const maxRevision = 1 << 53

// ranges are what fields must be that a file gives.
var ranges = []struct {
	field, must string
	ok          func(*memory.Entry) bool
}{
	{"id", "must be letters, digits and hyphens", func(e *memory.Entry) bool { return e.ID == "" || validID(e.ID) }},
	{"importance", "must be from 0 to 1", func(e *memory.Entry) bool { return e.Importance >= 0 && e.Importance <= 1 }},
	{"revision", "is out of range", func(e *memory.Entry) bool { return e.Revision >= 0 && e.Revision <= maxRevision }},
	{"key", fmt.Sprintf("must be one line of at most %d characters", memory.MaxKeyRunes), func(e *memory.Entry) bool {
		return !strings.ContainsAny(e.Key, "\n\x00") && utf8.RuneCountInString(e.Key) <= memory.MaxKeyRunes
	}},
}

func validID(id string) bool {
	const more = "-_.:"
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r))
	}
	return id != "" && len(id) <= 128 && !strings.ContainsFunc(id, odd)
}

// encode writes an entry as its file has it. An error says why the file could
// not be read back: such an entry must not be stored.
func encode(e *memory.Entry) ([]byte, error) {
	if err := encodable(e); err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, 512+len(e.Content)), "---\n"...)
	for i := range matterFields {
		f := &matterFields[i]
		if s, ok := f.Pointer(e).(*memory.Source); ok {
			b = appendSource(b, s)
			continue
		}
		var err error
		if b, err = appendField(b, "", f.Name, f.Pointer(e)); err != nil {
			return nil, err
		}
	}
	if len(e.Extra) > 0 {
		var err error
		if b, err = yamldoc.Append(b, e.Extra, 0); err != nil {
			return nil, fmt.Errorf("extra fields: %w", err)
		}
	}
	if len(e.Metadata)+len(e.Extra) > 0 { // bounds of count and depth are the reader's
		if _, ps := yamldoc.Parse(b[len("---\n"):]); len(ps) > 0 {
			return nil, errors.New(ps[0].Reason)
		}
	}
	if len(b)+len(e.Content) > maxFile {
		return nil, fmt.Errorf("the entry is larger than %d bytes", maxFile)
	}
	b = append(b, "---\n"...)
	b = append(b, e.Content...)
	return append(b, '\n'), nil
}

// encodable reports why an entry could not be read back.
func encodable(e *memory.Entry) error {
	if e.Key == "" || e.ID == "" || e.Revision < 1 {
		return errors.New("an entry needs an id, a key and a revision")
	}
	for _, r := range ranges {
		if !r.ok(e) {
			return fmt.Errorf("%s %s", r.field, r.must)
		}
	}
	for i := range memory.EntryFields {
		if err := validText(memory.EntryFields[i].Pointer(e)); err != nil {
			return err
		}
	}
	for i := range memory.SourceFields {
		if err := validText(memory.SourceFields[i].Pointer(&e.Source)); err != nil {
			return err
		}
	}
	for k := range e.Extra {
		if slices.ContainsFunc(matterFields, func(f memory.FieldSpec[memory.Entry]) bool { return f.Name == k }) {
			return fmt.Errorf("the extra field %q has the name of another", k)
		}
	}
	return nil
}

// validText reports why a field's text or time can't be written.
func validText(field any) error {
	texts := []string{}
	switch v := field.(type) {
	case *string:
		texts = append(texts, *v)
	case *memory.Trust:
		texts = append(texts, string(*v))
	case *[]string:
		texts = *v
	case *time.Time:
		return validTime(*v)
	case **time.Time:
		if *v != nil {
			return validTime(**v)
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return errors.New("a text is not valid UTF-8")
		}
	}
	return nil
}

func validTime(t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return errors.New("a time is out of range")
	}
	return nil
}

// appendField appends the line of a field, none for one that an entry need not
// have and has not.
func appendField(b []byte, indent, name string, field any) ([]byte, error) {
	at := len(b)
	b = append(append(append(b, indent...), name...), ": "...)
	start := len(b)
	switch v := field.(type) {
	case *string:
		b = appendText(b, *v)
	case *memory.Trust:
		b = appendText(b, string(*v))
	case *[]string:
		b = appendList(b, *v)
	case *bool:
		if *v {
			b = append(b, "true"...)
		}
	case *float64:
		b = strconv.AppendFloat(b, *v, 'f', -1, 64)
	case *int64:
		b = strconv.AppendInt(b, *v, 10)
	case *int:
		if *v != 0 {
			b = strconv.AppendInt(b, int64(*v), 10)
		}
	case **uint32:
		if *v != nil {
			b = strconv.AppendUint(b, uint64(**v), 10)
		}
	case *time.Time:
		b = v.UTC().AppendFormat(b, time.RFC3339Nano)
	case **time.Time:
		if *v != nil {
			b = (*v).UTC().AppendFormat(b, time.RFC3339Nano)
		}
	case *map[string]any:
		if len(*v) > 0 {
			b, err := yamldoc.Append(append(b[:start-1], '\n'), *v, 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return b, nil
		}
	}
	if len(b) == start {
		return b[:at], nil
	}
	return append(b, '\n'), nil
}

func appendText(b []byte, s string) []byte {
	if s == "" {
		return b
	}
	return append(b, yamldoc.Quote(s)...)
}

func appendList(b []byte, items []string) []byte {
	if len(items) == 0 {
		return b
	}
	b = append(b, '[')
	for i, s := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, yamldoc.Quote(s)...)
	}
	return append(b, ']')
}

func appendSource(b []byte, s *memory.Source) []byte {
	start := len(b)
	b = append(b, "source:\n"...)
	empty := len(b)
	for i := range memory.SourceFields {
		f := &memory.SourceFields[i]
		b, _ = appendField(b, "  ", f.Name, f.Pointer(s)) // a source has no maps
	}
	if len(b) == empty {
		return b[:start]
	}
	return b
}

// hashOf identifies a file's bytes: the first half of SHA-256 in hexadecimal.
func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:16])
}

// saysSame reports whether a file says nothing that the entry is not already.
// What the kernel stamps (the time of the change, revision, source, key_stale) is
// not the file's to say.
func saysSame(a, b *memory.Entry) bool {
	for _, f := range memory.EntryFields {
		switch f.Name {
		case "updated", "revision", "source", "key_stale":
			continue
		}
		if !sameValue(f.Pointer(a), f.Pointer(b)) {
			return false
		}
	}
	return true
}

// sameValue compares two fields; times as moments, and empty lists and maps with
// those that are not there.
func sameValue(x, y any) bool {
	a, b := reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem()
	switch v := x.(type) {
	case *time.Time:
		return v.Equal(*y.(*time.Time))
	case **time.Time:
		other := *y.(**time.Time)
		return *v == nil && other == nil || *v != nil && other != nil && (*v).Equal(*other)
	case *[]string, *map[string]any:
		return a.Len() == 0 && b.Len() == 0 || reflect.DeepEqual(x, y)
	}
	return a.Equal(b)
}
