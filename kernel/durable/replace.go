package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace puts data in place of the file at path, or makes it, with the mode. A
// reader sees the old file or the new one, whole; so does whoever comes after a
// crash. The new file is durable when Replace returns nil (rename(2), and fsync(2)
// of the folder: https://lwn.net/Articles/457667/).
func Replace(path string, data []byte, mode os.FileMode) error {
	return ReplaceWith(path, mode, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// ReplaceWith is Replace for what write puts into the file. The mode is given to
// the file whatever the umask says. Where write fails, the old file stays.
func ReplaceWith(path string, mode os.FileMode, write func(*os.File) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = errors.Join(f.Chmod(mode), write(f))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
