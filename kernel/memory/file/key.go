package file

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

const keySize = 32

// errKey is why nothing can be believed, or written.
var errKey = errors.New("the key of the memory folders can't be used")

// loadKey reads the key of a project's folder, and makes it where it is missing. On an
// error the folder has a key of its own, so that nothing is believed.
func (d *dir) loadKey(opts Options) (err error) {
	var k key
	if opts.Within != "" && opts.KeyFile != "" {
		if k, err = findKey(opts); err != nil {
			k = newKey()
			err = &memory.Error{
				Op: "open", Kind: memory.KindDenied, Err: fmt.Errorf("%w: %w", errKey, err),
				Hint: "restore that file from a backup with mode 600; where there is none, remove it: history begins anew, and what projects remember counts as imported",
			}
		}
	}
	d.keyed.Store(&k)
	return err
}

// findKey finds the key. The one in the usual place comes first, as soon as it is
// there: the user's other programs find it, too.
func findKey(opts Options) (key, error) {
	k, err := readKey(opts.UsualKey, opts.User)
	if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		return k, err
	}
	k, err = readKey(opts.KeyFile, nil)
	if errors.Is(err, os.ErrNotExist) {
		if err = makeKey(opts.KeyFile); err == nil {
			k, err = readKey(opts.KeyFile, nil)
		}
	}
	return k, err
}

func newKey() key {
	k := make(key, keySize)
	rand.Read(k) // never fails (crypto/rand)
	return k
}

// readKey reads a key, which its owner alone may read. What is no key stays as it
// is: with another in its place, all that was sealed would be nobody's.
func readKey(path string, user *User) (key, error) {
	d, err := openPath(filepath.Dir(path), user)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // nothing was written
	f, err := d.Open(filepath.Base(path), unix.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	var st unix.Stat_t
	if err := unix.Fstat(f.(osFile).fd(), &st); err != nil {
		return nil, err
	}
	if st.Mode&^0o600 != unix.S_IFREG || st.Size != keySize || user != nil && int(st.Uid) != user.UID {
		return nil, fmt.Errorf("%s is not a file of %d bytes that its owner alone can read", path, keySize)
	}
	k := make(key, keySize)
	_, err = f.ReadAt(k, 0)
	return k, err
}

// makeKey makes a key unless somebody else does so first.
func makeKey(path string) error {
	d, err := reach(filepath.Dir(path), "", nil, true)
	if err != nil {
		return err
	}
	tmp := path + "." + rand.Text()
	if err = durable.Replace(tmp, newKey(), 0o600); err == nil {
		err = os.Link(tmp, path)
	}
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(tmp), d.SyncDir("."), d.Close())
}
