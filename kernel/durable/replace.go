package durable

import (
	"encoding/json"
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

// ReplaceJSON is Replace for the JSON of a value on a line, with the mode 0600. It
// makes the folder where that is missing.
func ReplaceJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return Replace(path, append(text, '\n'), 0o600)
}

// MkdirAll is os.MkdirAll with the mode 0700, whose names are durable.
func MkdirAll(dir string) error {
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return SyncDir(parent)
}

// SyncDir makes the names in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
