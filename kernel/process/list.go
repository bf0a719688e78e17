package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const opList = "list conversations"

// Projects returns the projects that have conversations or an index, sorted; "" is
// the home project.
func (s *Store) Projects(ctx context.Context) ([]string, error) {
	var out []string
	err := s.eachFolder(ctx, func(at dir, _ string) error {
		info, err := readProject(at)
		if err == nil {
			out = append(out, info.Project)
		}
		return unlessGone(err)
	})
	slices.Sort(out)
	return out, failure(opList, err)
}

// eachFolder calls fn with the folder of each project.
func (s *Store) eachFolder(ctx context.Context, fn func(at dir, name string) error) error {
	root, err := s.root()
	if err != nil {
		return unlessGone(err)
	}
	defer root.close()
	names, err := root.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at, err := root.sub(name)
		if err != nil {
			continue // not a folder, or gone
		}
		err = fn(at, name)
		at.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// Conversations yields the conversations of a project, sorted by uuid. An error in the
// place of one does not end it: that process can't be read; its UUID and Project
// are there.
func (s *Store) Conversations(ctx context.Context, project string) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		at, uuids, err := s.uuids(project)
		if err != nil {
			yield(Conversation{}, failure(opList, err))
			return
		}
		defer at.close()
		for _, uuid := range uuids {
			if err := ctx.Err(); err != nil {
				yield(Conversation{}, err)
				return
			}
			p, err := processAt(at, uuid)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			p.UUID, p.Project = uuid, project // by where it lies, whatever the file says
			if !yield(p, failure(opList, err)) {
				return
			}
		}
	}
}

// uuids opens the folder of a project's processes and lists it. The folder is
// invalid, and the list empty, where there is none.
func (s *Store) uuids(project string) (dir, []string, error) {
	if err := checkProject(project); err != nil {
		return dir{-1}, nil, err
	}
	root, err := s.root()
	if err != nil {
		return dir{-1}, nil, unlessGone(err)
	}
	defer root.close()
	return processFolders(root, folderName(project))
}

func processFolders(at dir, names ...string) (dir, []string, error) {
	at, err := at.sub(append(names, processesName)...)
	if err != nil {
		return dir{-1}, nil, unlessGone(err)
	}
	list, err := at.names()
	if err != nil {
		at.close()
		return dir{-1}, nil, err
	}
	list = slices.DeleteFunc(list, func(name string) bool { return checkUUID(name) != nil })
	slices.Sort(list)
	return at, list, nil
}

func processAt(at dir, uuid string) (Conversation, error) {
	own, err := at.sub(uuid)
	if err != nil {
		return Conversation{}, err
	}
	defer own.close()
	return readProcess(own)
}

// Conversation returns one conversation.
func (s *Store) Conversation(ctx context.Context, project, uuid string) (Conversation, error) {
	root, folder, err := s.place(project, uuid)
	if err != nil {
		return Conversation{}, failure(opRead, err)
	}
	defer root.close()
	if err := ctx.Err(); err != nil {
		return Conversation{}, err
	}
	at, err := root.sub(folder, processesName)
	if err != nil {
		return Conversation{}, failure(opRead, err)
	}
	defer at.close()
	p, err := processAt(at, uuid)
	if err != nil {
		return Conversation{}, failure(opRead, err)
	}
	p.UUID, p.Project = uuid, project
	return p, nil
}

// Find returns the project that a process lies in, of all of them. A removed one
// is of KindNotFound and wraps [ErrRemoved].
func (s *Store) Find(ctx context.Context, uuid string) (project string, err error) {
	if err := checkUUID(uuid); err != nil {
		return "", err
	}
	root, err := s.root()
	if err != nil {
		return "", failure(opRead, err)
	}
	defer root.close()
	folder, err := s.find(root, uuid, homeName)
	if err == nil && folder == "" {
		err = memory.Errorf(memory.KindNotFound, opRead, "no such conversation")
	}
	if err != nil {
		return "", failure(opRead, err)
	}
	project, err = projectOf(root, folder)
	return project, failure(opRead, err)
}

// Size is how far a process has come, found out without reading it: who keeps a
// [Position] of it sees whether there is more.
type Size struct {
	UUID     string
	Bytes    int64     // of turns.jsonl; a last line that is not whole included
	Turns    int       // number of the last turn
	Modified time.Time // of turns.jsonl
}

// Sizes yields the sizes of a project's processes, sorted by uuid.
func (s *Store) Sizes(ctx context.Context, project string) iter.Seq2[Size, error] {
	return func(yield func(Size, error) bool) {
		at, uuids, err := s.uuids(project)
		if err != nil {
			yield(Size{}, failure(opList, err))
			return
		}
		defer at.close()
		for _, uuid := range uuids {
			if err := ctx.Err(); err != nil {
				yield(Size{}, err)
				return
			}
			size, err := sizeAt(at, uuid)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if !yield(size, failure(opList, err)) {
				return
			}
		}
	}
}

// Size returns how far one process has come.
func (s *Store) Size(ctx context.Context, project, uuid string) (Size, error) {
	root, folder, err := s.place(project, uuid)
	if err != nil {
		return Size{}, failure(opRead, err)
	}
	defer root.close()
	if err := ctx.Err(); err != nil {
		return Size{}, err
	}
	at, err := root.sub(folder, processesName)
	if err != nil {
		return Size{}, failure(opRead, err)
	}
	defer at.close()
	size, err := sizeAt(at, uuid)
	return size, failure(opRead, err)
}

func sizeAt(at dir, uuid string) (Size, error) {
	own, err := at.sub(uuid)
	if err != nil {
		return Size{}, err
	}
	defer own.close()
	f, err := own.open(turnsFile, unix.O_RDONLY)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Size{}, err
	}
	n, err := lastNumber(f, fi.Size())
	return Size{UUID: uuid, Bytes: fi.Size(), Turns: n, Modified: fi.ModTime()}, err
}

// lastNumber finds the number of the last turn from the end of the file: each
// line carries its own. Lines that a person wrote may not; then all are counted.
func lastNumber(f *os.File, size int64) (int, error) {
	for window := int64(16 << 10); ; window *= 8 {
		from := max(size-window, 0)
		buf := make([]byte, min(window, size))
		if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if n, ok := lastIn(buf, from == 0); ok {
			return n, nil
		}
		if from == 0 || window > maxLine {
			return countTurns(f, size)
		}
	}
}

// lastIn looks for the last numbered turn among the whole lines of a file's end.
func lastIn(buf []byte, all bool) (int, bool) {
	lines := bytes.Split(buf, []byte{'\n'})
	lines = lines[:len(lines)-1] // behind the last newline
	if !all && len(lines) > 0 {
		lines = lines[1:] // may have begun before
	}
	for _, line := range slices.Backward(lines) {
		if r, ok := parse(line); ok {
			return r.N, r.N > 0
		}
	}
	return 0, all
}

func countTurns(f *os.File, size int64) (int, error) {
	in := newLineReader(io.NewSectionReader(f, 0, size), 0)
	for n := 0; ; {
		line, _, err := in.line()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if r, ok := parse(line); ok {
			n = numberAfter(n, r)
		}
	}
}
