package process

import (
	"context"
	"errors"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Projects returns the projects that have conversations or an index, sorted; "" is
// the home project.
func (s *Store) Projects(ctx context.Context) ([]string, error) {
	var out []string
	err := s.eachFolder(ctx, func(root *os.Root, folder string) error {
		project, err := projectOf(root, folder)
		if err == nil {
			out = append(out, project)
		}
		return unlessGone(err)
	})
	slices.Sort(out)
	return out, failure(opList, err)
}

// eachFolder calls fn with the folder of each project.
func (s *Store) eachFolder(ctx context.Context, fn func(root *os.Root, folder string) error) error {
	root, err := s.root()
	if err != nil {
		return unlessGone(err)
	}
	defer root.Close()
	folders, err := names(root, ".")
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasPrefix(folder, ".") && isDir(root, folder) {
			if err := fn(root, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// uuids lists the conversations of a project's folder, sorted.
func uuids(root *os.Root, folder string) ([]string, error) {
	list, err := names(root, path.Join(folder, processesName))
	list = slices.DeleteFunc(list, func(name string) bool { return checkUUID(name) != nil })
	slices.Sort(list)
	return list, err
}

// each yields what read returns of each conversation of a project, in the order of
// the uuids. A conversation that is gone is left out.
func each[T any](ctx context.Context, s *Store, project string, read func(*os.Root, place) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		err := checkProject(project)
		if err != nil {
			yield(none, err)
			return
		}
		root, err := s.root()
		if err != nil {
			if err = unlessGone(err); err != nil {
				yield(none, failure(opList, err))
			}
			return
		}
		defer root.Close()
		list, err := uuids(root, folderName(project))
		if err != nil {
			yield(none, failure(opList, err))
			return
		}
		for _, uuid := range list {
			if err := ctx.Err(); err != nil {
				yield(none, err)
				return
			}
			v, err := read(root, place{folderName(project), uuid})
			if !errors.Is(err, os.ErrNotExist) && !yield(v, failure(opList, err)) {
				return
			}
		}
	}
}

// one is what read returns of one conversation.
func one[T any](ctx context.Context, s *Store, project, uuid string, read func(*os.Root, place) (T, error)) (v T, err error) {
	defer wrap(opRead, &err)
	root, at, err := s.lookup(project, uuid)
	if err != nil {
		return v, err
	}
	defer root.Close()
	if err := ctx.Err(); err != nil {
		return v, err
	}
	return read(root, at)
}

// Conversations yields the conversations of a project, sorted by uuid. An error in
// the place of one does not end it: that conversation can't be read; its UUID and
// Project are there.
func (s *Store) Conversations(ctx context.Context, project string) iter.Seq2[Conversation, error] {
	return each(ctx, s, project, described(project))
}

// Conversation returns one conversation.
func (s *Store) Conversation(ctx context.Context, project, uuid string) (Conversation, error) {
	return one(ctx, s, project, uuid, described(project))
}

// described reads a description whose uuid and project are by where it lies,
// whatever the file says.
func described(project string) func(*os.Root, place) (Conversation, error) {
	return func(root *os.Root, at place) (Conversation, error) {
		p, err := readDescription(root, at)
		p.UUID, p.Project = at.uuid, project
		return p, err
	}
}

// Find returns the project that a conversation lies in, of all of them. A removed
// conversation is of KindNotFound and wraps [ErrRemoved].
func (s *Store) Find(ctx context.Context, uuid string) (project string, err error) {
	return one(ctx, s, "", uuid, func(root *os.Root, _ place) (string, error) {
		at, err := find(root, uuid, homeName)
		if err == nil && at == (place{}) {
			err = memory.Errorf(memory.KindNotFound, opRead, "no such conversation")
		}
		if err != nil {
			return "", err
		}
		return projectOf(root, at.folder)
	})
}
