package memory

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind classifies an error for a caller who has to act differently by it. The
// set is closed and append-only: front ends keep tables over it.
type Kind uint8

// The kinds, in the order of the protocol's table.
const (
	KindInternal    Kind = iota // disk, bug
	KindInvalid                 // not JSON, unknown action, target or field, wrong type, ambiguous match
	KindTooBig                  // over the limit of one request
	KindRejected                // the scanner said no
	KindOverLimit               // the scope's character limit
	KindNotFound                // replace, remove, get, history, restore: no such entry
	KindExists                  // the key is taken
	KindConflict                // expected_revision is not the current one; too much in flight
	KindReadOnly                // this device or scope takes no writes
	KindDenied                  // this caller may not do this
	KindTimeout                 // the server's deadline passed
	KindUnavailable             // a provider or the scanner can't be reached
	KindRemoved                 // the text was removed, and stays away until a person brings it back
	kindCount
)

var kindCodes = [kindCount]string{
	KindInternal:    "internal",
	KindInvalid:     "invalid",
	KindTooBig:      "too_big",
	KindRejected:    "rejected",
	KindOverLimit:   "over_limit",
	KindNotFound:    "not_found",
	KindExists:      "exists",
	KindConflict:    "conflict",
	KindReadOnly:    "read_only",
	KindDenied:      "denied",
	KindTimeout:     "timeout",
	KindUnavailable: "unavailable",
	KindRemoved:     "removed",
}

// Kinds returns every kind, for tables that must be exhaustive.
func Kinds() []Kind {
	ks := make([]Kind, kindCount)
	for i := range ks {
		ks[i] = Kind(i)
	}
	return ks
}

// Code is the kind's stable name in JSON: "invalid", "over_limit", ...
func (k Kind) Code() string {
	if int(k) < len(kindCodes) {
		return kindCodes[k]
	}
	return kindCodes[KindInternal]
}

// String returns the code.
func (k Kind) String() string { return k.Code() }

// Error is the one error type of the kernel. Its text never holds a secret and
// is fit to be shown to the caller.
type Error struct {
	Op       string    // what was tried: "add", "load", "decode request"
	Scope    Scope     // which scope, if any
	Kind     Kind      // what kind of failure
	Err      error     // why; may be nil when the kind says it all
	Findings []Finding // with KindRejected: what the scanner saw, masked
	Hint     string    // what to do about it, where more is known than the kind says
}

// Error returns "op: reason". The scope is not part of the text: replies carry it
// in a field of its own.
func (e *Error) Error() string {
	var parts []string
	if e.Op != "" {
		parts = append(parts, e.Op)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	} else {
		parts = append(parts, strings.ReplaceAll(e.Kind.Code(), "_", " "))
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reason is the error's text without the operation, as a reply's "error" field
// has it.
func (e *Error) Reason() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return strings.ReplaceAll(e.Kind.Code(), "_", " ")
}

// Errorf makes an *Error of the kind. A %w in the format keeps its cause.
func Errorf(kind Kind, op, format string, args ...any) *Error {
	return &Error{Op: op, Kind: kind, Err: fmt.Errorf(format, args...)}
}

// KindOf returns the kind of the outermost *Error in err's chain, or
// KindInternal for an error of any other type.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// ReasonOf returns what to tell the caller of err: [Error.Reason] of the
// outermost *Error, or "internal error" for any other type, whose text may name
// paths or data that are not the caller's to see.
func ReasonOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason()
	}
	return "internal error"
}

// HintOf returns what to do about err, or "".
func HintOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Hint
	}
	return ""
}

// QuoteName quotes an unknown name (an action, a field, a target) for an error
// text when it looks like a word that was mistyped, and tells its length when it
// does not: what is no word may be a secret in the wrong place.
func QuoteName(s string) string {
	letters, word := 0, len(s) <= 32
	for _, r := range s {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			letters = 0
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			letters++
		default:
			word = false
		}
		word = word && letters <= 15 // keys of some vendors are nothing but letters
	}
	if word {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("(%d characters, not shown)", utf8.RuneCountInString(s))
}
