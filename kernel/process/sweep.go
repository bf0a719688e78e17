package process

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// sweep finishes what a crash cut off: the making of conversations that never came
// to be, and removals.
func sweep(root *os.Root) error {
	lock, err := openFile(root, lockName, os.O_RDWR)
	if errors.Is(err, unix.EROFS) || errors.Is(err, os.ErrPermission) {
		return nil // it can be read all the same
	}
	if err != nil {
		return unlessGone(err)
	}
	defer lock.Close()
	if got, err := durable.TryLock(lock, durable.Exclusive); !got || err != nil {
		return nil // somebody is at work; a later Open sweeps
	}
	if err := root.RemoveAll(tmpName); err != nil {
		return err
	}
	trash, err := names(root, trashName)
	for _, uuid := range trash {
		err = errors.Join(err, finish(root, uuid))
	}
	return err
}

// finish ends a removal whose conversation is in the trash.
func finish(root *os.Root, uuid string) error {
	if err := makeDir(root, removedName); err != nil {
		return err
	}
	tombstone, err := openFile(root, path.Join(removedName, uuid), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := errors.Join(tombstone.Close(), syncDir(root, removedName)); err != nil {
		return err
	}
	return errors.Join(root.RemoveAll(path.Join(trashName, uuid)), syncDir(root, trashName))
}
