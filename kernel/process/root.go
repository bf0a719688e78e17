package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// projects is the path of the folder of all projects.
type projects string

// root opens the folder.
func (p projects) root() (*os.Root, error) { return os.OpenRoot(string(p)) }

// makeRoot is root for those who are about to write.
func (p projects) makeRoot() (*os.Root, error) {
	if root, err := p.root(); !errors.Is(err, os.ErrNotExist) {
		return root, err
	}
	if err := durable.MkdirAll(string(p)); err != nil {
		return nil, err
	}
	return p.root()
}

// makeDir makes a folder durably where it is not there.
func makeDir(root *os.Root, name string) error {
	err := root.Mkdir(name, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(root, path.Dir(name))
}

func syncDir(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func isDir(root *os.Root, name string) bool {
	fi, err := root.Lstat(name)
	return err == nil && fi.IsDir()
}

// names lists a folder; none is in one that is not there.
func names(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, unlessGone(err)
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// openFile opens a regular file. O_NONBLOCK: a fifo in its place must not hang us.
func openFile(root *os.Root, name string, flags int) (*os.File, error) {
	f, err := root.OpenFile(name, flags|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", name), f.Close())
	}
	return f, nil
}

// readFile returns a whole small file.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := openFile(root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", name, limit)
	}
	return raw, err
}

// writeFile makes a new file, durable but for its name.
func writeFile(root *os.Root, name string, text []byte) error {
	f, err := openFile(root, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// replaceFile puts a file in the place of another, durably, whole or not at all. Its
// caller holds a lock under which no one else replaces the same file.
func replaceFile(root *os.Root, name string, text []byte) error {
	tmp := name + ".tmp"
	if err := writeFile(root, tmp, text); err != nil {
		return errors.Join(err, unlessGone(root.Remove(tmp)))
	}
	if err := root.Rename(tmp, name); err != nil {
		return err
	}
	return syncDir(root, path.Dir(name))
}

// replace is replaceFile with the JSON of a value.
func replace(root *os.Root, name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(root, name, append(raw, '\n'))
}

func unlessGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
