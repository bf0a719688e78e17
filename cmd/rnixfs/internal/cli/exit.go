package cli

import (
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The exit codes. They are documented in docs/cli.md and never reused.
const (
	exitOK       = 0
	exitFailure  = 1   // anything without a code of its own
	exitUsage    = 2   // unknown command or flag, wrong arguments
	exitConfig   = 3   // memory.yaml is invalid
	exitProblems = 4   // check, repair, doctor: something is wrong
	exitMount    = 5   // the mount could not be made
	exitBusy     = 6   // the mount is in use
	exitNotFound = 7   // umount: nothing is mounted there
	exitPartly   = 8   // import: some files could not be imported
	exitFound    = 9   // scan: something was found that would be rejected
	exitKind     = 10  // plus the kind of a refused request: see kindExit
	exitRun      = 125 // run: it failed itself, as in env(1); 126, 127: package child
	exitSignal   = 128 // plus the number of the signal that ended the command
)

// kindExit is the exit code of a request that was refused with the kind: 10 for
// internal, 11 invalid, 12 too_big, 13 rejected, 14 over_limit, 15 not_found,
// 16 exists, 17 conflict, 18 read_only, 19 denied, 20 timeout, 21 unavailable, 22
// removed.
// Kinds are append-only, so the sum is stable.
func kindExit(k memory.Kind) int { return exitKind + int(k) }

// exitError is an error with the exit code of its own. A nil err means that all
// was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func withExit(code int, err error) error { return &exitError{code, err} }

func exitCode(err error) int {
	var e *exitError
	var m *memory.Error
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &m):
		return kindExit(m.Kind)
	}
	return exitFailure
}
