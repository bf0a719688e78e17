package process

import (
	"context"
	"errors"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// ErrRemoved is what Begin returns of a conversation that was removed: it does
// not come back.
var ErrRemoved = errors.New("the conversation was removed")

// The operations, as errors name them.
const (
	opOpen   = "open conversations"
	opBegin  = "begin conversation"
	opAppend = "append turns"
	opRead   = "read conversation"
	opList   = "list conversations"
)

// failure makes an error of this package's own kind of any other.
func failure(op string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*memory.Error)), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, os.ErrNotExist):
		return memory.Errorf(memory.KindNotFound, op, "no such conversation")
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}

// wrap is failure for a named result: it is deferred.
func wrap(op string, err *error) { *err = failure(op, *err) }
