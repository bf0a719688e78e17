package process

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// lockTime is how long another program is waited for.
const lockTime = 10 * time.Second

// lock takes flock(2) on an open file; closing the file gives it back.
func lock(ctx context.Context, f *os.File, how int) error {
	bounded, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	err := durable.Lock(bounded, f, how)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return memory.Errorf(memory.KindTimeout, "lock", "another program holds the conversation")
	}
	return err
}

// lockRoot takes the lock under which conversations are made.
func lockRoot(ctx context.Context, root *os.Root) (unlock func(), err error) {
	f, err := openFile(root, lockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := lock(ctx, f, durable.Exclusive); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
