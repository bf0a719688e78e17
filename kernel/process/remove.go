package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Remove deletes a conversation with all its text, durably. A tombstone that holds
// nothing but the uuid keeps it from coming back. A crash on the way leaves the
// conversation whole, or gone.
func (s *Store) Remove(ctx context.Context, project, uuid string) error {
	return failure("remove conversation", s.remove(ctx, project, uuid))
}

func (s *Store) remove(ctx context.Context, project, uuid string) error {
	root, folder, err := s.place(project, uuid)
	if err != nil {
		return err
	}
	defer root.close()
	trash, err := root.make(trashName)
	if err != nil {
		return err
	}
	defer trash.close()
	err = s.withLog(ctx, root, folder, uuid, func(l *log, at dir, f *os.File) error {
		p, err := readProcess(at)
		if err != nil {
			p = Conversation{UID: s.opts.UID} // a damaged one can be removed, too
		}
		p.UUID, p.Project = uuid, project
		from, err := root.sub(folder, processesName)
		if err != nil {
			return err
		}
		defer from.close()
		// From here on it is gone; sweep finishes what a crash cuts off.
		if err := from.rename(uuid, trash, uuid); err != nil {
			return err
		}
		if err := errors.Join(from.sync(), trash.sync()); err != nil {
			return err
		}
		// The text first: on a full disk that makes room for the tombstone.
		if err := errors.Join(f.Truncate(0), s.finish(root, trash, uuid)); err != nil {
			return err
		}
		s.forgetCount()
		s.changed(project, uuid)
		l.ids = nil
		l.kept.Store(0)
		for _, o := range s.opts.Observers {
			o.Removed(p)
		}
		return nil
	})
	if errors.Is(err, os.ErrNotExist) && isFolder(trash, uuid) {
		return s.finish(root, trash, uuid) // begun before, and cut off
	}
	return err
}

// finish ends a removal whose process is in the trash.
func (s *Store) finish(root, trash dir, uuid string) error {
	if err := s.bury(root, uuid); err != nil {
		return err
	}
	return errors.Join(s.discard(trashName, uuid), trash.sync())
}

// bury leaves the tombstone of a process, durably.
func (s *Store) bury(root dir, uuid string) error {
	graves, err := root.make(removedName)
	if err != nil {
		return err
	}
	defer graves.close()
	f, err := graves.open(uuid, unix.O_WRONLY|unix.O_CREAT)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), graves.sync())
}

// discard deletes a folder of the store's own, with what is in it. It follows no
// links (os.RemoveAll).
func (s *Store) discard(in, name string) error {
	return os.RemoveAll(filepath.Join(s.folder, projectsName, in, name))
}

// empty deletes what is in a folder of the store's own, after first was called
// with each name.
func (s *Store) empty(at dir, in string, first func(name string) error) error {
	names, err := at.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if first != nil {
			if err := first(name); err != nil {
				return err
			}
		}
		if err := s.discard(in, name); err != nil {
			return err
		}
	}
	return nil
}
