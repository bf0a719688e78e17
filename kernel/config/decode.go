package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// maxBytes bounds a memory.yaml: generous for its keys and comments.
const maxBytes = 64 << 10

// decode lays one file over c, and under it the presets that it names, and returns where
// in these the keys are, and the cells of tables. own says that the file is the user's,
// not a project's, of which some is ignored. With problems, c is not fit for use.
func decode(data []byte, c *Config, own bool) (origin map[string]Place, problems, ignored []yamldoc.Problem) {
	if len(data) > maxBytes {
		return nil, []yamldoc.Problem{{Reason: fmt.Sprintf("is larger than %d bytes", maxBytes)}}, nil
	}
	before, def := *c, Default()
	doc, problems := yamldoc.Parse(data)
	origin = map[string]Place{}
	if own {
		var disputed []yamldoc.Problem
		origin, disputed = under(doc, c)
		problems = append(problems, disputed...)
	}
	problems = append(problems, doc.Decode(c)...)
	if !own {
		ignored = foreign(doc, c.Scopes, &before)
	}
	for _, s := range settings {
		if !doc.Has(s.key) {
			continue
		}
		if s.scope != projects && !own {
			// A copy of the reference says nothing, and changes nothing.
			if is := s.show(c); is != s.show(&before) && is != s.show(&def) {
				ignored = append(ignored, doc.At(s.key, "counts only in your own memory.yaml or the file of --config: whoever wrote this one would decide for you"))
			}
			s.of(c).Set(s.of(&before))
			continue
		}
		origin[s.key] = Place{Line: doc.At(s.key, "").Line}
		if s.of(c).Kind() == reflect.Map {
			for cell := range cells(doc) {
				if strings.HasPrefix(cell, s.key+".") {
					origin[cell] = Place{Line: doc.At(cell, "").Line}
				}
			}
		}
		if doc.Null(s.key) {
			problems = append(problems, doc.At(s.key, "has no value; leave the line out for the default"))
		} else if s.check != nil {
			if at, reason := s.check(s.of(c).Interface()); reason != "" {
				if !doc.Has(s.key + at) { // a list of one that is written as a word
					at = ""
				}
				problems = append(problems, doc.At(s.key+at, "%s", reason))
			}
		}
	}
	if own {
		problems = append(problems, homeless(doc, c)...)
	}
	return origin, yamldoc.Sorted(problems), yamldoc.Sorted(ignored)
}
