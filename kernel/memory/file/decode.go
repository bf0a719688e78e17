package file

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// frontMatter is the fields of a file in their order. All are optional.
type frontMatter struct {
	ID         string         `yaml:"id"`
	Key        string         `yaml:"key"`
	KeyStale   bool           `yaml:"key_stale"`
	Category   string         `yaml:"category"`
	Type       string         `yaml:"type"`
	Tags       []string       `yaml:"tags"`
	Importance *float64       `yaml:"importance"`
	Pinned     bool           `yaml:"pinned"`
	Created    *time.Time     `yaml:"created"`
	Updated    *time.Time     `yaml:"updated"`
	Expires    *time.Time     `yaml:"expires"`
	Revision   int64          `yaml:"revision"`
	Source     sourceMatter   `yaml:"source"`
	Metadata   map[string]any `yaml:"metadata"`
	Extra      map[string]any `yaml:",inline"`
}

type sourceMatter struct {
	Trust   string         `yaml:"trust"`
	Road    string         `yaml:"road"`
	UID     *uint32        `yaml:"uid"`
	PID     int            `yaml:"pid"`
	Exe     string         `yaml:"exe"`
	Session string         `yaml:"session"`
	Cgroup  string         `yaml:"cgroup"`
	Process string         `yaml:"process"`
	Turns   []string       `yaml:"turns"`
	Job     string         `yaml:"job"`
	Rest    map[string]any `yaml:",inline"` // a later version's, or a person's
}

var fieldNames = []string{"id", "key", "key_stale", "category", "type", "tags", "importance", "pinned", "created", "updated", "expires", "revision", "source", "metadata"}

func isField(name string) bool {
	for _, f := range fieldNames {
		if f == name {
			return true
		}
	}
	return false
}

// decode reads an entry's file. Zero fields are those that the file does not
// name; [complete] fills them in.
func decode(data []byte) (*memory.Entry, error) {
	if e := decodeFast(data); e != nil {
		return e, nil
	}
	return decodeYAML(data)
}

func decodeYAML(data []byte) (*memory.Entry, error) {
	if !utf8.Valid(data) {
		return nil, errNotText
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	matter, body, crlf, ok := split(data)
	if !ok {
		return plainEntry(data), nil
	}
	// With an empty line in the opening delimiter's place, lines are the file's.
	doc, problems := yamldoc.Parse(append([]byte("\n"), matter...))
	if len(problems) == 0 && doc.Kind() != yamldoc.Mapping && doc.Kind() != yamldoc.Empty ||
		len(problems) > 0 && doc.Kind() == yamldoc.Empty && !looksLikeMapping(matter) {
		return plainEntry(data), nil // a rule of Markdown, not front matter
	}
	var fm frontMatter
	if len(problems) == 0 {
		problems = doc.Decode(&fm)
	}
	problems = append(problems, checkFields(doc, &fm)...)
	if len(problems) > 0 {
		return nil, frontMatterError(problems)
	}
	return fm.entry(trimNewline(body, crlf)), nil
}

// errNotText is the reason for a file that no reader of text understands.
var errNotText = errors.New("not valid UTF-8")

func frontMatterError(problems []yamldoc.Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return fmt.Errorf("front matter: %w", errors.Join(errs...))
}

func checkFields(doc *yamldoc.Document, fm *frontMatter) []yamldoc.Problem {
	var ps []yamldoc.Problem
	if fm.ID != "" && !validID(fm.ID) {
		ps = append(ps, doc.At("id", "must be letters, digits and hyphens"))
	}
	if fm.Importance != nil && !(*fm.Importance >= 0 && *fm.Importance <= 1) {
		ps = append(ps, doc.At("importance", "must be from 0 to 1"))
	}
	if fm.Revision < 0 || fm.Revision > maxRevision {
		ps = append(ps, doc.At("revision", "is out of range"))
	}
	if strings.ContainsFunc(fm.Key, func(r rune) bool { return r == '\n' || r == 0 }) || utf8.RuneCountInString(fm.Key) > memory.MaxKeyRunes {
		ps = append(ps, doc.At("key", "must be one line of at most %d characters", memory.MaxKeyRunes))
	}
	return ps
}

func (fm *frontMatter) entry(content string) *memory.Entry {
	e := &memory.Entry{
		ID: fm.ID, Key: fm.Key, KeyStale: fm.KeyStale, Category: fm.Category, Type: fm.Type, Tags: fm.Tags,
		Importance: memory.DefaultImportance, Pinned: fm.Pinned, Expires: fm.Expires, Revision: fm.Revision,
		Source: memory.Source{
			Trust: memory.Trust(fm.Source.Trust), Road: fm.Source.Road, UID: fm.Source.UID, PID: fm.Source.PID,
			Exe: fm.Source.Exe, Session: fm.Source.Session, Cgroup: fm.Source.Cgroup,
			Process: fm.Source.Process, Turns: fm.Source.Turns, Job: fm.Source.Job,
		},
		Metadata: fm.Metadata, Extra: fm.Extra, Content: content,
	}
	if fm.Importance != nil {
		e.Importance = *fm.Importance
	}
	if fm.Created != nil {
		e.Created = *fm.Created
	}
	if fm.Updated != nil {
		e.Updated = *fm.Updated
	}
	if len(e.Tags) == 0 {
		e.Tags = nil
	}
	if len(e.Metadata) == 0 {
		e.Metadata = nil
	}
	return e
}

func plainEntry(data []byte) *memory.Entry {
	return &memory.Entry{Importance: memory.DefaultImportance, Content: trimNewline(data, true)}
}

// complete fills in what the file does not say.
func complete(e *memory.Entry, name string, modTime time.Time) {
	if e.Key == "" {
		e.Key = keyOf(name)
	}
	if e.Created.IsZero() {
		e.Created = modTime.UTC()
	}
	if e.Updated.IsZero() {
		e.Updated = modTime.UTC()
	}
	e.Revision = max(e.Revision, 1)
}

// split takes the front matter off. ok is false for a text without: the first
// line is not ---, or no other is.
func split(data []byte) (matter, body []byte, crlf, ok bool) {
	first, rest, found := bytes.Cut(data, []byte("\n"))
	if !found || !isDelimiter(first) {
		return nil, nil, false, false
	}
	for at := 0; at <= len(rest); {
		line, after, more := bytes.Cut(rest[at:], []byte("\n"))
		if isDelimiter(line) {
			return rest[:at], after, bytes.HasSuffix(first, []byte("\r")), true
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return nil, nil, false, false
}

func isDelimiter(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r")) == 0
}

func trimNewline(b []byte, crlf bool) string {
	s, cut := strings.CutSuffix(string(b), "\n")
	if cut && crlf {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

// looksLikeMapping tells broken front matter from a text between two rules: its
// first line that says something is a word and a colon.
func looksLikeMapping(matter []byte) bool {
	for line := range bytes.Lines(matter) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, found := bytes.Cut(line, []byte(":"))
		return found && !bytes.ContainsAny(key, " \t")
	}
	return false
}
