package transcript

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
)

// walk returns the regular files below root whose path from it fits, sorted. No
// root, or a folder that may not be read, is no error.
func walk(root string, fits func(rel string) bool) ([]string, error) {
	target, err := filepath.EvalSymlinks(root) // a home's dot folder is often a link
	if err != nil {
		return nil, missing(err)
	}
	var paths []string
	err = filepath.WalkDir(target, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() && missing(err) == nil {
				return fs.SkipDir
			}
			return missing(err)
		}
		rel, err := filepath.Rel(target, path)
		if err == nil && d.Type().IsRegular() && fits(rel) {
			paths = append(paths, filepath.Join(root, rel))
		}
		return nil
	})
	slices.Sort(paths)
	if err != nil {
		return paths, fileError("find histories", err)
	}
	return paths, nil
}

// missing keeps an error that is neither of a file that is not there nor of one
// that is not ours to read.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
