package file

import (
	"context"
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var errClosed = &memory.Error{Kind: memory.KindUnavailable, Err: errors.New("the folder was closed")}

// errForeign is a journal of which no line is this user's. Whoever only looks leaves it.
var errForeign = &memory.Error{
	Kind: memory.KindConflict, Err: errors.New("the history of this project was written with another key: its entries count as imported"),
	Hint: "give both sides the same $XDG_DATA_HOME/rnix/key; else the first change from here sets that history aside, and history begins anew",
}

// unwritable tells a folder that can be read and not be written from one in trouble.
func unwritable(err error) bool {
	return errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || full(err)
}

// full reports whether there was no room on the disk, or none that this user may take.
func full(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// wrap makes any error a *memory.Error with an operation.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*memory.Error](err); ok {
		return err
	}
	kind, hint := memory.KindInternal, ""
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		kind = memory.KindTimeout
	case errors.Is(err, os.ErrPermission):
		kind = memory.KindDenied
	case errors.Is(err, unix.EROFS):
		kind = memory.KindReadOnly
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		kind, hint = memory.KindConflict, "too much is open at once: try again in a moment, or give the daemon more with ulimit -n"
	}
	return &memory.Error{Op: op, Kind: kind, Err: err, Hint: hint}
}

// problems are what is wrong in a folder.
type problems []memory.Problem

func (p *problems) add(path, code, reason, mend string) {
	*p = append(*p, memory.Problem{Path: path, Code: code, Reason: reason, Mend: mend})
}

// unless is err, or nil for one that is expected.
func unless(err error, expected ...error) error {
	if slices.ContainsFunc(expected, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	return err
}
