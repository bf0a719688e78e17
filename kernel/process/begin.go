package process

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const opBegin = "begin conversation"

// Begin makes a process, durably, or returns the one that is there: the same
// Agent and External name the same process, in whichever project it was begun, and
// so does the same UUID. What the store did not know of it yet is filled in; a
// Title that is not empty and a later End replace the old ones. Use UUID and
// Project of the result from then on.
//
// Its error wraps [ErrRemoved] when the conversation was removed.
func (s *Store) Begin(ctx context.Context, p Conversation) (Conversation, error) {
	out, err := s.begin(ctx, p)
	return out, failure(opBegin, err)
}

func (s *Store) begin(ctx context.Context, p Conversation) (Conversation, error) {
	if err := s.admit(&p); err != nil {
		return Conversation{}, err
	}
	if err := s.cleanProcess(ctx, &p); err != nil {
		return Conversation{}, err
	}
	trim(&p)
	root, err := s.makeRoot()
	if err != nil {
		return Conversation{}, err
	}
	defer root.close()
	// It is there nearly always: then no lock of all is needed.
	if old, found, err := s.known(ctx, root, p); found || err != nil {
		return old, err
	}
	unlock, err := s.lockRoot(ctx, root)
	if err != nil {
		return Conversation{}, err
	}
	defer unlock()
	if old, found, err := s.known(ctx, root, p); found || err != nil {
		return old, err
	}
	if err := s.create(root, p); err != nil {
		return Conversation{}, err
	}
	s.forgetCount()
	s.changed(p.Project, p.UUID)
	for _, o := range s.opts.Observers {
		o.Appended(p, nil)
	}
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
		p.UUID = s.opts.NewID()
	}
	if p.Parent != "" {
		if err := checkUUID(p.Parent); err != nil {
			return err
		}
	}
	p.Start, p.End = utc(p.Start), utc(p.End)
	return checkUUID(p.UUID)
}

// utc brings a time to the form that is kept, and one that JSON can't hold (RFC
// 3339 has four digits for the year) to none.
func utc(t time.Time) time.Time {
	t = t.UTC().Round(0)
	if y := t.Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return t
}

// maxField bounds the texts of a description, in bytes.
const maxField = 1000

func trim(p *Conversation) {
	for _, field := range []*string{&p.Agent, &p.External, &p.Title, &p.Branch, &p.Model, &p.ExitReason} {
		if len(*field) > maxField {
			*field = strings.ToValidUTF8((*field)[:maxField], "")
		}
	}
}

const maxTries = 3

// known finds a process that is there, and completes its description.
func (s *Store) known(ctx context.Context, root dir, p Conversation) (Conversation, bool, error) {
	for try := 0; ; try++ {
		folder, err := s.find(root, p.UUID, folderName(p.Project))
		if err != nil || folder == "" {
			return Conversation{}, false, err
		}
		if p.External == "" && folder != folderName(p.Project) {
			return Conversation{}, false, memory.Errorf(memory.KindConflict, opBegin, "a conversation of another project has this uuid")
		}
		old, err := s.complete(ctx, root, folder, p)
		if errors.Is(err, os.ErrNotExist) && try < maxTries {
			continue // removed meanwhile, which find will say
		}
		return old, err == nil, err
	}
}

// find returns the project's folder that a process lies in, "" when it is not
// there. The layout is the index: a process is looked for in the folder named
// first, then in all.
func (s *Store) find(root dir, uuid, first string) (string, error) {
	if has(root, first, uuid) {
		return first, nil
	}
	names, err := root.names()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, ".") && name != first && has(root, name, uuid) {
			return name, nil
		}
	}
	// In this order: a removal goes from the trash to the tombstone.
	for _, gone := range []string{trashName, removedName} {
		if _, err := root.stat(gone + "/" + uuid); err == nil {
			return "", memory.Errorf(memory.KindNotFound, "find conversation", "%w", ErrRemoved)
		}
	}
	return "", nil
}

func has(root dir, folder, uuid string) bool {
	return isFolder(root, folder+"/"+processesName+"/"+uuid)
}

func isFolder(at dir, name string) bool {
	st, err := at.stat(name)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

// complete fills in what was not known of a process.
func (s *Store) complete(ctx context.Context, root dir, folder string, p Conversation) (Conversation, error) {
	at, err := root.sub(folder, processesName, p.UUID)
	if err != nil {
		return Conversation{}, err
	}
	defer at.close()
	old, err := readProcess(at)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Conversation{}, err
	}
	if err == nil && same(merge(old, p), old) && folderName(old.Project) == folder && old.UUID == p.UUID {
		return old, nil
	}
	var merged Conversation
	err = s.withLog(ctx, root, folder, p.UUID, func(l *log, at dir, _ *os.File) error {
		old, err := readProcess(at)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // somebody deleted it
			return err
		}
		merged = merge(old, p)
		if err != nil {
			merged = p
		}
		merged.UUID = p.UUID
		if merged.Project, err = projectOf(root, folder); err != nil {
			return err
		}
		if err := at.replace(processFile, merged); err != nil {
			return err
		}
		s.changed(merged.Project, merged.UUID)
		s.tell(merged, old)
		return nil
	})
	return merged, err
}

func (s *Store) tell(p, old Conversation) {
	for _, o := range s.opts.Observers {
		if p.End.Equal(old.End) {
			o.Appended(p, nil)
		} else {
			o.Ended(p)
		}
	}
}

// create makes a process by one rename. The root's lock is held.
func (s *Store) create(root dir, p Conversation) error {
	project, err := s.makeProject(root, p.Project)
	if err != nil {
		return err
	}
	defer project.close()
	to, err := project.make(processesName)
	if err != nil {
		return err
	}
	defer to.close()
	tmp, err := root.make(tmpName)
	if err != nil {
		return err
	}
	defer tmp.close()
	if err := s.fill(tmp, p); err != nil {
		return errors.Join(err, s.discard(tmpName, p.UUID))
	}
	if err := tmp.rename(p.UUID, to, p.UUID); err != nil {
		return errors.Join(err, s.discard(tmpName, p.UUID))
	}
	return to.sync()
}

func (s *Store) fill(tmp dir, p Conversation) error {
	if err := s.discard(tmpName, p.UUID); err != nil {
		return err
	}
	at, err := tmp.make(p.UUID)
	if err != nil {
		return err
	}
	defer at.close()
	if err := at.write(turnsFile, nil); err != nil {
		return err
	}
	return at.replace(processFile, p)
}
