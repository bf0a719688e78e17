package process

import (
	"context"
	"errors"
	"os"
	"path"
)

// Remove deletes a conversation with all its text, durably. A tombstone that holds
// nothing but the uuid keeps it from coming back. A crash on the way leaves the
// conversation whole, or gone.
func (s *Store) Remove(ctx context.Context, project, uuid string) (err error) {
	defer wrap("remove conversation", &err)
	root, at, err := s.lookup(project, uuid)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := makeDir(root, trashName); err != nil {
		return err
	}
	trash := path.Join(trashName, uuid)
	err = s.withLog(ctx, root, at, func(l *log, f *os.File) error {
		// From here on it is gone; sweep finishes what a crash cuts off.
		if err := root.Rename(at.of(""), trash); err != nil {
			return err
		}
		if err := errors.Join(syncDir(root, path.Dir(at.of(""))), syncDir(root, trashName)); err != nil {
			return err
		}
		// The text first: on a full disk that makes room for the tombstone.
		if err := errors.Join(f.Truncate(0), finish(root, uuid)); err != nil {
			return err
		}
		s.counts.forget()
		s.changed(project, uuid)
		l.ids = nil
		l.kept.Store(0)
		return nil
	})
	if errors.Is(err, os.ErrNotExist) && isDir(root, trash) {
		return finish(root, uuid) // begun before, and cut off
	}
	return err
}
