package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// maxFile bounds an entry's file in bytes.
const maxFile = 1 << 20

// maxRevision is what JSON's readers hold exactly.
const maxRevision = 1 << 53

// encode writes an entry as its file has it. An error says why the file could
// not be read back: such an entry must not be stored.
func encode(e *memory.Entry) ([]byte, error) {
	if err := encodable(e); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 512+len(e.Content))
	b = append(b, "---\n"...)
	b = appendText(b, "id", e.ID)
	b = appendText(b, "key", e.Key)
	if e.KeyStale {
		b = append(b, "key_stale: true\n"...)
	}
	b = appendOptional(b, "category", e.Category)
	b = appendOptional(b, "type", e.Type)
	b = appendList(b, "tags", e.Tags)
	b = append(b, "importance: "...)
	b = append(strconv.AppendFloat(b, e.Importance, 'f', -1, 64), '\n')
	if e.Pinned {
		b = append(b, "pinned: true\n"...)
	}
	b = appendTime(b, "created", e.Created)
	b = appendTime(b, "updated", e.Updated)
	if e.Expires != nil {
		b = appendTime(b, "expires", *e.Expires)
	}
	b = append(b, "revision: "...)
	b = append(strconv.AppendInt(b, e.Revision, 10), '\n')
	b = appendSource(b, &e.Source)
	b, err := appendMaps(b, e)
	if err != nil {
		return nil, err
	}
	if len(b)+len(e.Content) > maxFile {
		return nil, fmt.Errorf("the entry is larger than %d bytes", maxFile)
	}
	b = append(b, "---\n"...)
	b = append(b, e.Content...)
	return append(b, '\n'), nil
}

func encodable(e *memory.Entry) error {
	texts := append([]string{
		e.ID, e.Key, e.Category, e.Type, e.Content, string(e.Source.Trust), e.Source.Road,
		e.Source.Exe, e.Source.Session, e.Source.Cgroup, e.Source.Process, e.Source.Job,
	}, e.Tags...)
	for _, s := range append(texts, e.Source.Turns...) {
		if !utf8.ValidString(s) {
			return errors.New("a text is not valid UTF-8")
		}
	}
	switch {
	case e.Key == "" || e.ID == "" || !validID(e.ID):
		return errors.New("an entry needs a key and an id of letters, digits and hyphens")
	case !(e.Importance >= 0 && e.Importance <= 1):
		return errors.New("importance must be from 0 to 1")
	case utf8.RuneCountInString(e.Key) > memory.MaxKeyRunes || strings.ContainsAny(e.Key, "\n\x00"):
		return fmt.Errorf("a key is one line of at most %d characters", memory.MaxKeyRunes)
	case e.Revision < 1 || e.Revision > maxRevision:
		return errors.New("the revision is out of range")
	}
	for _, t := range []*time.Time{&e.Created, &e.Updated, e.Expires} {
		if t != nil && (t.UTC().Year() < 1 || t.UTC().Year() > 9999) {
			return errors.New("a time is out of range")
		}
	}
	for k := range e.Extra {
		if isField(k) {
			return fmt.Errorf("the extra field %q has the name of another", k)
		}
	}
	return nil
}

func appendText(b []byte, name, value string) []byte {
	b = append(append(b, name...), ": "...)
	return append(append(b, yamldoc.Quote(value)...), '\n')
}

func appendOptional(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendText(b, name, value)
}

func appendTime(b []byte, name string, t time.Time) []byte {
	b = append(append(b, name...), ": "...)
	return append(t.UTC().AppendFormat(b, time.RFC3339Nano), '\n')
}

func appendList(b []byte, name string, items []string) []byte {
	if len(items) == 0 {
		return b
	}
	b = append(append(b, name...), ": ["...)
	for i, s := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, yamldoc.Quote(s)...)
	}
	return append(b, "]\n"...)
}

func appendSource(b []byte, s *memory.Source) []byte {
	start := len(b)
	b = append(b, "source:\n"...)
	empty := len(b)
	b = appendOptional(b, "  trust", string(s.Trust))
	b = appendOptional(b, "  road", s.Road)
	if s.UID != nil {
		b = append(b, "  uid: "...)
		b = append(strconv.AppendUint(b, uint64(*s.UID), 10), '\n')
	}
	if s.PID != 0 {
		b = append(b, "  pid: "...)
		b = append(strconv.AppendInt(b, int64(s.PID), 10), '\n')
	}
	b = appendOptional(b, "  exe", s.Exe)
	b = appendOptional(b, "  session", s.Session)
	b = appendOptional(b, "  cgroup", s.Cgroup)
	b = appendOptional(b, "  process", s.Process)
	b = appendList(b, "  turns", s.Turns)
	b = appendOptional(b, "  job", s.Job)
	if len(b) == empty {
		return b[:start]
	}
	return b
}

func appendMaps(b []byte, e *memory.Entry) ([]byte, error) {
	var err error
	if len(e.Metadata) > 0 {
		b, err = yamldoc.Append(append(b, "metadata:\n"...), e.Metadata, 1)
		if err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
	}
	if len(e.Extra) > 0 {
		b, err = yamldoc.Append(b, e.Extra, 0)
		if err != nil {
			return nil, fmt.Errorf("extra fields: %w", err)
		}
	}
	if len(e.Metadata)+len(e.Extra) > 0 { // bounds of count and depth are the reader's
		if _, ps := yamldoc.Parse(b[len("---\n"):]); len(ps) > 0 {
			return nil, errors.New(ps[0].Reason)
		}
	}
	return b, nil
}

// hashOf identifies a file's bytes: the first half of SHA-256 in hexadecimal.
func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:16])
}

func validID(id string) bool {
	if len(id) > 128 {
		return false
	}
	for _, r := range id {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' || r == ':') {
			return false
		}
	}
	return id != ""
}
