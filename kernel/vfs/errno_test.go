package vfs

import (
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestEveryKindHasAnErrno(t *testing.T) {
	for _, k := range memory.Kinds() {
		e, ok := errnos[k]
		if !ok {
			t.Errorf("%s has no errno", k)
		}
		// Tools retry these for ever.
		if e == syscall.EINTR || e == syscall.EAGAIN {
			t.Errorf("%s is %v", k, e)
		}
	}
}
