package process

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Begin makes a conversation, durably, or returns the one that is there: the same
// Agent and External name the same conversation, in whichever project it was begun,
// and so does the same UUID. What the store did not know of it yet is filled in; a
// Title that is not empty and a later End replace the old ones. Use UUID and
// Project of the result from then on.
//
// Its error wraps [ErrRemoved] when the conversation was removed.
func (s *Store) Begin(ctx context.Context, p Conversation) (_ Conversation, err error) {
	defer wrap(opBegin, &err)
	if err := s.admit(&p); err != nil {
		return Conversation{}, err
	}
	if err := s.cleaner.cleanDescription(ctx, &p); err != nil {
		return Conversation{}, err
	}
	if r, err := s.cleaner.cleanSmall(ctx, p.Project); err != nil || r.masked {
		return Conversation{}, cmp.Or(err, error(memory.Errorf(memory.KindRejected, opBegin,
			"the path of the project's directory is what the scanner does not let be stored; give the directory another name")))
	}
	trim(&p)
	root, err := s.makeRoot()
	if err != nil {
		return Conversation{}, err
	}
	defer root.Close()
	// Most conversations exist already, and need no lock of the root.
	if old, found, err := s.known(ctx, root, p); found || err != nil {
		return old, err
	}
	unlock, err := lockRoot(ctx, root)
	if err != nil {
		return Conversation{}, err
	}
	defer unlock()
	if old, found, err := s.known(ctx, root, p); found || err != nil {
		return old, err
	}
	if err := create(root, p); err != nil {
		return Conversation{}, err
	}
	s.counts.forget()
	s.changed(p.Project, p.UUID)
	return p, nil
}

// admit checks a description and gives it its uuid.
func (s *Store) admit(p *Conversation) error {
	if err := checkProject(p.Project); err != nil {
		return err
	}
	if p.UID != s.opts.UID {
		return memory.Errorf(memory.KindDenied, opBegin, "these are the conversations of another user")
	}
	switch {
	case p.External != "":
		p.UUID = ID(p.UID, p.Agent, p.External)
	case p.UUID == "":
		p.UUID = newUUID()
	}
	if p.Parent != "" {
		if err := checkUUID(p.Parent); err != nil {
			return err
		}
	}
	p.Start, p.End = utc(p.Start), utc(p.End)
	return checkUUID(p.UUID)
}

const maxTries = 3

// known finds a conversation that is there, and completes its description.
func (s *Store) known(ctx context.Context, root *os.Root, p Conversation) (Conversation, bool, error) {
	for try := 0; ; try++ {
		at, err := find(root, p.UUID, folderName(p.Project))
		if err != nil || at == (place{}) {
			return Conversation{}, false, err
		}
		if p.External == "" && at.folder != folderName(p.Project) {
			return Conversation{}, false, memory.Errorf(memory.KindConflict, opBegin, "a conversation of another project has this uuid")
		}
		old, err := s.complete(ctx, root, at, p)
		if errors.Is(err, os.ErrNotExist) && try < maxTries {
			continue // removed meanwhile, which find will say
		}
		return old, err == nil, err
	}
}

// find returns where a conversation lies, and a zero place where it is not there.
// The layout is the index: a conversation is looked for in the folder named first,
// then in all.
func find(root *os.Root, uuid, first string) (place, error) {
	if at := (place{first, uuid}); isDir(root, at.of("")) {
		return at, nil
	}
	folders, err := names(root, ".")
	if err != nil {
		return place{}, err
	}
	for _, folder := range folders {
		if at := (place{folder, uuid}); !strings.HasPrefix(folder, ".") && isDir(root, at.of("")) {
			return at, nil
		}
	}
	// In this order: a removal goes from the trash to the tombstone.
	for _, gone := range []string{trashName, removedName} {
		if _, err := root.Lstat(path.Join(gone, uuid)); err == nil {
			return place{}, memory.Errorf(memory.KindNotFound, "find conversation", "%w", ErrRemoved)
		}
	}
	return place{}, nil
}

// complete fills in what was not known of a conversation.
func (s *Store) complete(ctx context.Context, root *os.Root, at place, p Conversation) (Conversation, error) {
	project, err := projectOf(root, at.folder)
	if err != nil {
		return Conversation{}, err
	}
	return s.describe(ctx, root, at, func(old Conversation, err error) (Conversation, error) {
		merged := merge(old, p)
		if errors.Is(err, os.ErrNotExist) { // somebody deleted it
			merged, err = p, nil
		}
		merged.UUID, merged.Project = at.uuid, project
		return merged, err
	})
}

// create makes a conversation by one rename. The root's lock is held.
func create(root *os.Root, p Conversation) (err error) {
	to := place{folderName(p.Project), p.UUID}
	tmp := path.Join(tmpName, p.UUID)
	if err := errors.Join(makeProject(root, p.Project), makeDir(root, path.Dir(to.of(""))), makeDir(root, tmpName), root.RemoveAll(tmp)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.RemoveAll(tmp))
		}
	}()
	if err := makeDir(root, tmp); err != nil {
		return err
	}
	if err := writeFile(root, path.Join(tmp, turnsFile), nil); err != nil {
		return err
	}
	if err := replace(root, path.Join(tmp, processFile), p); err != nil {
		return err
	}
	if err := root.Rename(tmp, to.of("")); err != nil {
		return err
	}
	return syncDir(root, path.Dir(to.of("")))
}
