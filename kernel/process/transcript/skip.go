package transcript

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// ErrSkipped is what the errors that count skipped records are.
var ErrSkipped = errors.New("records skipped")

// Skip says how many records of one kind were left out of a file. It never ends a
// sequence.
type Skip struct {
	Kind  string // unparsable, too_long, abandoned, ..., or "record x" and "block x" for an unknown type x
	Count int
}

// Error names the kind and the count, never a record's content.
func (s *Skip) Error() string {
	if s.Count == 1 {
		return "1 record skipped: " + s.Kind
	}
	return fmt.Sprintf("%d records skipped: %s", s.Count, s.Kind)
}

// Is makes every Skip an ErrSkipped.
func (s *Skip) Is(target error) bool { return target == ErrSkipped }

// The kinds of Skip that more than one reader has.
const (
	skipUnparsable = "unparsable" // not of the format: no JSON, another shape
	skipTooLong    = "too_long"   // a line above maxLine
	skipTooBig     = "too_big"    // what comes after a limit on the whole file
	skipAbandoned  = "abandoned"  // taken back: a branch that was left, a rollback, a rewind
	skipSidechain  = "sidechain"  // a sub-agent's record in the file of its parent
	skipDuplicate  = "duplicate"  // a turn whose id was there
	skipNoAnswer   = "unanswered" // calls of tools whose result never came
)

// maxKinds bounds what a file of made-up record types can make us remember.
const maxKinds = 32

type skips map[string]int

func (s skips) add(kind string, n int) {
	if _, known := s[kind]; !known && len(s) >= maxKinds {
		kind = "other"
	}
	s[kind] += n
}

// unknown counts a record, block or part of a type that no reader knows. The type
// is shown when it looks like a name; it could be anything.
func (s skips) unknown(what, name string) {
	s.add(what+" "+plainName(name), 1)
}

func (s skips) errors() []error {
	var errs []error
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		errs = append(errs, &Skip{Kind: kind, Count: s[kind]})
	}
	return errs
}

var typeName = regexp.MustCompile(`^[\w.$/-]{1,40}$`)

func plainName(name string) string {
	switch {
	case name == "":
		return "untyped"
	case !typeName.MatchString(name):
		return "other"
	}
	return name
}
