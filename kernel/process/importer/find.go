package importer

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// source is one thing to read.
type source struct {
	path   string
	format transcript.Format
}

// find lists what there is to read, each path once.
func (s *session) find(ctx context.Context) ([]source, error) {
	var all []source
	for _, path := range s.Paths {
		found, err := s.below(ctx, path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if s.All {
		for _, format := range s.known() {
			paths, err := format.Find(s.Home, os.Getenv)
			if err != nil {
				s.failed(format.Name(), err) // what was found is imported all the same
			}
			for _, path := range paths {
				all = append(all, source{path, format})
			}
		}
	}
	seen := map[string]bool{}
	var once []source
	for _, src := range all {
		if !seen[src.path] {
			seen[src.path] = true
			once = append(once, src)
		}
	}
	return once, nil
}

// below lists what is to be read at a path: a file, or the known files of a folder.
// A file of no known kind is a failure if the path names it, and passed over if it
// lies in the folder.
func (s *session) below(ctx context.Context, path string) ([]source, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, "import", "%w", err)
	}
	fi, err := os.Stat(path)
	if err != nil {
		s.failed(path, err)
		return nil, nil
	}
	format, err := s.formatOf(path)
	switch {
	case err == nil:
		return []source{{path, format}}, nil
	case !fi.IsDir():
		s.failed(path, err)
		return nil, nil
	}
	var out []source
	err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll // Import says that it was interrupted
		case err != nil:
			s.failed(path, err)
			return nil
		case !d.Type().IsRegular(): // links are not followed: they may lead in circles
			return nil
		}
		if format, err := s.formatOf(path); err == nil {
			out = append(out, source{path, format})
		} else {
			s.sum.Files.Unknown++
			s.sum.Unknown = append(s.sum.Unknown, s.name(path))
		}
		return nil
	})
	return out, err
}
