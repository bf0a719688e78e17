package file

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// decode reads an entry's file. Zero fields are those that the file does not
// name; [complete] fills them in.
func decode(data []byte) (*memory.Entry, error) {
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
	if len(problems) == 0 && !doc.Mapping() && !doc.Empty() || len(problems) > 0 && doc.Empty() && !looksLikeMapping(matter) {
		return plainEntry(data), nil // a rule of Markdown, not front matter
	}
	e := &memory.Entry{Importance: memory.DefaultImportance, Content: trimNewline(body, crlf)}
	if len(problems) == 0 {
		fields := frontMatter(e)
		problems = doc.Decode(&fields)
	}
	problems = append(problems, checkFields(doc, e)...)
	if len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = p
		}
		return nil, fmt.Errorf("front matter: %w", errors.Join(errs...))
	}
	if len(e.Tags) == 0 {
		e.Tags = nil
	}
	if len(e.Metadata) == 0 {
		e.Metadata = nil
	}
	return e, nil
}

// frontMatter is where the fields of a file go.
func frontMatter(e *memory.Entry) yamldoc.Fields {
	fields := yamldoc.Fields{At: map[string]any{}, Rest: &e.Extra}
	for _, f := range matterFields {
		fields.At[f.Name] = f.Pointer(e)
	}
	source := yamldoc.Fields{At: map[string]any{}, Rest: new(map[string]any)} // a later version's, or a person's
	for _, f := range memory.SourceFields {
		source.At[f.Name] = f.Pointer(&e.Source)
	}
	fields.At["source"] = &source
	return fields
}

// checkFields says which values are out of range, and where they stand.
func checkFields(doc *yamldoc.Document, e *memory.Entry) []yamldoc.Problem {
	var ps []yamldoc.Problem
	for _, r := range ranges {
		if doc.Has(r.field) && !doc.Null(r.field) && !r.ok(e) {
			ps = append(ps, doc.At(r.field, "%s", r.must))
		}
	}
	return ps
}

func plainEntry(data []byte) *memory.Entry {
	return &memory.Entry{Importance: memory.DefaultImportance, Content: trimNewline(data, true)}
}

// complete fills in what the file does not say.
func complete(e *memory.Entry, name string, modTime int64) {
	if e.Key == "" {
		e.Key = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) { // no key of a request has one
				return '-'
			}
			return r
		}, keyOf(name))
	}
	if e.Created.IsZero() {
		e.Created = time.Unix(0, modTime).UTC()
	}
	if e.Updated.IsZero() {
		e.Updated = time.Unix(0, modTime).UTC()
	}
	e.Revision = max(e.Revision, 1)
}

// idIn is the id that a file's text names, if any.
func idIn(data []byte) string {
	if e, err := decode(data); err == nil {
		return e.ID
	}
	return ""
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
