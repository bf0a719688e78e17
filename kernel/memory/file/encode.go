package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// errNotText is the reason for a text that no reader of text understands.
var errNotText = errors.New("not valid UTF-8")

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
	var err error
	for i := range matterFields {
		if b, err = appendField(b, matterFields[i].Name, matterFields[i].Pointer(e)); err != nil {
			return nil, err
		}
	}
	if b, err = yamldoc.Append(b, e.Extra, 0); err != nil {
		return nil, fmt.Errorf("extra fields: %w", err)
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
	if !utf8.ValidString(e.Content) {
		return errNotText
	}
	for k := range e.Extra {
		if slices.ContainsFunc(matterFields, func(f memory.FieldSpec[memory.Entry]) bool { return f.Name == k }) {
			return fmt.Errorf("the extra field %q has the name of another", k)
		}
	}
	return nil
}

// appendField appends a field, none that an entry need not have and has not.
func appendField(b []byte, name string, field any) ([]byte, error) {
	text, err := valueOf(field)
	switch {
	case err != nil:
		return b, fmt.Errorf("%s: %w", name, err)
	case text == "":
		return b, nil
	case text[0] != '\n':
		text = " " + text
	}
	return append(b, name+":"+text+"\n"...), nil
}

// valueOf is what stands behind a field's name; "" where there is no value.
func valueOf(field any) (string, error) {
	switch v := field.(type) {
	case *string:
		return textOf(*v)
	case *memory.Trust:
		return textOf(string(*v))
	case *[]string:
		return listOf(*v)
	case *bool:
		if *v {
			return "true", nil
		}
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64), nil
	case *int64:
		return strconv.FormatInt(*v, 10), nil
	case *int:
		if *v != 0 {
			return strconv.Itoa(*v), nil
		}
	case **uint32:
		if *v != nil {
			return strconv.FormatUint(uint64(**v), 10), nil
		}
	case *time.Time:
		return timeOf(*v)
	case **time.Time:
		if *v != nil {
			return timeOf(**v)
		}
	case *map[string]any:
		b, err := yamldoc.Append([]byte("\n"), *v, 1)
		return strings.TrimSuffix(string(b), "\n"), err
	case *memory.Source:
		b := []byte("\n")
		for i := range memory.SourceFields {
			f := &memory.SourceFields[i]
			var err error
			if b, err = appendField(b, "  "+f.Name, f.Pointer(v)); err != nil {
				return "", err
			}
		}
		return strings.TrimSuffix(string(b), "\n"), nil
	}
	return "", nil
}

func textOf(s string) (string, error) {
	switch {
	case s == "":
		return "", nil
	case !utf8.ValidString(s):
		return "", errNotText
	}
	return yamldoc.Quote(s), nil
}

func listOf(items []string) (string, error) {
	if len(items) == 0 {
		return "", nil
	}
	quoted := make([]string, len(items))
	for i, s := range items {
		if !utf8.ValidString(s) {
			return "", errNotText
		}
		quoted[i] = yamldoc.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]", nil
}

func timeOf(t time.Time) (string, error) {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return "", errors.New("a time is out of range")
	}
	return t.Format(time.RFC3339Nano), nil
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
	b = b.Clone()
	b.Updated, b.Revision, b.Source, b.KeyStale = a.Updated, a.Revision, a.Source, a.KeyStale
	x, err := encode(a)
	y, bad := encode(b)
	return err == nil && bad == nil && bytes.Equal(x, y)
}
