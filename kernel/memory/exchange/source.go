package exchange

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// maxFile bounds a file that is read whole.
const maxFile = 16 << 20

// source is what is imported, and what was read of it.
type source struct {
	path    string // a file or a folder
	project string // the root of the caller's project
	all     bool   // everything goes to one scope, whatever the files say
	items   []*item
	unread  []Note

	federated bool // there is a scope of that name
}

// add keeps an entry. Nothing in its text passes for the marks of a page.
func (s *source) add(at, content, category string) *item {
	content = inert(strings.TrimSpace(content))
	it := &item{at: at}
	it.Content = &content
	if category = memory.Cut(strings.TrimSpace(category), memory.MaxWordRunes); category != "" {
		it.Category = &category
	}
	s.items = append(s.items, it)
	return it
}

// tag sets the tags of an entry, if there are any.
func (it *item) tag(tags []string) {
	if tags = slices.DeleteFunc(tags, func(t string) bool { return strings.TrimSpace(t) == "" }); len(tags) > 0 {
		it.Tags = &tags
	}
}

// skip notes what can't be taken in.
func (s *source) skip(at, reason string) { s.unread = append(s.unread, Note{At: at, Reason: reason}) }

// each calls read with the path below the source, and the text, of each file whose name
// ends so. Links are not followed.
func (s *source) each(endings []string, read func(rel, text string) error) error {
	return filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		rel := filepath.Base(path)
		if path != s.path {
			rel, _ = filepath.Rel(s.path, path) // it lies below
		}
		wanted := slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(rel, end) })
		switch {
		case err != nil && path == s.path:
			return err
		case err != nil:
			s.skip(rel, "can't be read")
		case d.IsDir() && path != s.path && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !wanted:
		case !d.Type().IsRegular():
			s.skip(rel, "is not a regular file")
		default:
			text, err := textOf(path)
			if err == nil {
				err = read(rel, text)
			}
			if err != nil {
				s.skip(rel, err.Error())
			}
		}
		return nil
	})
}

func textOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", errors.New("can't be opened")
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil || len(raw) > maxFile:
		return "", errors.New("can't be read, or is larger than 16 MiB")
	case !utf8.Valid(raw):
		return "", errors.New("is not UTF-8")
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), nil
}

// decode decodes JSON, whose fault it tells without the text.
func decode(text string, into any) error {
	if json.Unmarshal([]byte(text), into) != nil {
		return errors.New("is not the JSON that is expected here")
	}
	return nil
}

// clock is a time as other systems write it: RFC 3339, one without a zone, or seconds
// since 1970. Zero: none of these.
func clock(v any) time.Time {
	switch v := v.(type) {
	case int64:
		if v > 0 {
			return time.Unix(v, 0)
		}
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime} {
			if at, err := time.Parse(layout, v); err == nil {
				return at
			}
		}
	}
	return time.Time{}
}

var forgedFields = regexp.MustCompile(`<!--(\s*id\s*:)`)

// inert returns a text in which nothing passes for the heading of a dated section, or for
// the fields of a page.
func inert(text string) string {
	return memory.FormPage.Of(forgedFields.ReplaceAllString(text, `<\!--$1`), "")
}

// matter splits a page into its front matter and its body, which is the whole page where
// it has none that can be read.
func matter(page string) (fields map[string]any, body string) {
	rest, has := strings.CutPrefix(page, "---\n")
	head, body, closed := strings.Cut("\n"+rest, "\n---\n")
	if !has || !closed || len(yamldoc.Decode([]byte(head), &fields)) > 0 {
		return nil, page
	}
	return fields, body
}
