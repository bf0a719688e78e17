package file

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
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

// loadKey reads the key of a project's folder, and makes it where it is missing. After
// an error the folder has a key of nobody's, so that nothing is believed.
func (d *dir) loadKey(opts Options) (err error) {
	var k key
	if opts.Within != "" && opts.KeyFile != "" {
		k = make(key, keySize)
		rand.Read(k) // never fails (crypto/rand)
		if err = k.agree(opts); err != nil && !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE) {
			e := &memory.Error{
				Op: "open", Kind: memory.KindDenied, Err: fmt.Errorf("%w: %w", errKey, err),
				Hint: "restore that file from a backup with mode 600; where there is none, remove it: history begins anew, and what projects remember counts as imported",
			}
			if errors.Is(err, unix.EROFS) { // it was to be made
				e.Kind, e.Hint = memory.KindReadOnly, "run rnixfs once where "+filepath.Dir(opts.KeyFile)+" can be written, as outside an agent's sandbox: that makes the key"
			}
			err = e
		}
	}
	d.keyed.Store(&k)
	return err
}

// Key returns what is derived for a purpose from the user's key, which is made where
// there is none; see [Options].
func Key(keyFile, usual, purpose string) ([]byte, error) {
	k := make(key, keySize)
	rand.Read(k)
	if err := k.agree(Options{KeyFile: keyFile, UsualKey: usual}); err != nil {
		return nil, fmt.Errorf("%w: %w", errKey, err)
	}
	return hkdf.Expand(sha256.New, k, purpose, keySize)
}

// agree makes a new key the one that there is, or writes it. One in the usual place
// comes first, as soon as it is there: the user's other programs find it, too.
func (k key) agree(opts Options) error {
	missing := func(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }
	err := k.read(opts.UsualKey, opts.User)
	if missing(err) {
		err = k.read(opts.KeyFile, nil)
	}
	if !missing(err) {
		return err
	}
	tmp := opts.KeyFile + "." + rand.Text()
	if err = durable.MkdirAll(filepath.Dir(tmp)); err == nil {
		err = durable.Replace(tmp, k, 0o600)
	}
	if err == nil { // link(2) replaces nothing: of several who make one, all have the first
		made := unless(os.Link(tmp, opts.KeyFile), os.ErrExist)
		err = errors.Join(made, os.Remove(tmp), durable.SyncDir(filepath.Dir(tmp)), k.read(opts.KeyFile, nil))
	}
	return err
}

// read reads a key, which its owner alone may read. What is no key stays as it is:
// with another in its place, all that was sealed would be nobody's.
func (k key) read(path string, user *User) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	d, err := openPath(filepath.Dir(path), user)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // nothing was written
	fd, err := d.openat(filepath.Base(path), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil && (st.Mode&^0o600 != unix.S_IFREG || st.Size != keySize || user != nil && int(st.Uid) != user.UID) {
		return fmt.Errorf("is not a file of %d bytes that its owner alone can read", keySize)
	}
	if err == nil {
		_, err = unix.Pread(fd, k, 0)
	}
	return err
}
