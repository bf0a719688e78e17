package file

import (
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxSurveys bounds how often a folder is looked at again because files were
// moved meanwhile.
const maxSurveys = 5

// survey is what a person did to files, as one picture: which entry a file is
// depends on where the other files' entries are.
type survey struct {
	p     *Provider
	files map[string]*sighting
	lost  []string // known names of entries that no file is any more
}

// sighting is a file as it was found.
type sighting struct {
	handEdit
	data    []byte
	entry   *memory.Entry // nil: it can't be decoded, or is not one
	err     error         // of decoding
	legacy  bool
	blocked bool   // it can't be read: it stays, and is what it was
	same    bool   // the bytes are those that are known
	id      string // of the entry that it is
	taken   bool   // an edit of it was planned
}

// survey looks at files, and at all others that differ from what is known where
// a file is gone, or is not the entry that it was: its entry may have moved.
func (p *Provider) survey(names []string) (*survey, error) {
	s := &survey{p: p, files: map[string]*sighting{}}
	wide := false
	for _, name := range names {
		if err := s.look(name); err != nil {
			return nil, err
		}
		wide = wide || s.moved(s.files[name])
	}
	if !wide {
		s.assign(slices.Sorted(maps.Keys(s.files)))
		return s, nil
	}
	if err := s.lookAround(); err != nil {
		return nil, err
	}
	all := maps.Clone(s.files)
	for name := range p.files {
		all[name] = nil
	}
	owners := s.assign(slices.Sorted(maps.Keys(all)))
	for name, id := range owners { // a copy that is the only one now
		if s.files[name] != nil {
			continue
		}
		if k := p.files[name]; k.id != id {
			if err := s.look(name); err != nil {
				return nil, err
			}
			if f := s.files[name]; !f.same {
				return nil, errEdited{name}
			}
			s.files[name].id = id
		}
	}
	return s, nil
}

// lookAround looks at all that differs until nothing moves.
func (s *survey) lookAround() error {
	for range maxSurveys {
		names, err := s.p.differing()
		if err != nil {
			return err
		}
		for name := range s.files {
			names = append(names, name)
		}
		calm := true
		for _, name := range names {
			if s.still(name) {
				continue
			}
			calm = false
			if err := s.look(name); err != nil {
				return err
			}
		}
		if calm {
			return nil
		}
	}
	return nil
}

// still reports whether a file is as it was sighted.
func (s *survey) still(name string) bool {
	f := s.files[name]
	if f == nil {
		return false
	}
	info, err := s.p.fs.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return f.gone
	}
	return err == nil && !f.gone && (f.blocked || info == f.info)
}

// moved reports whether a file is not the entry that it was.
func (s *survey) moved(f *sighting) bool {
	k := s.p.files[f.name]
	switch {
	case k == nil:
		return !f.gone && s.alive(f.says) || f.legacy
	case f.gone:
		return s.alive(k.id)
	}
	return f.says != k.says || f.says != k.id && s.alive(f.says)
}

func (s *survey) alive(id string) bool { return id != "" && s.p.state.ByID(id) != nil }

// look reads one file.
func (s *survey) look(name string) error {
	p := s.p
	f := &sighting{handEdit: handEdit{name: name}}
	s.files[name] = f
	data, info, err := p.readEntry(name)
	var not errNotEntry
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.gone = true
		delete(p.blocked, name)
		return nil
	case errors.As(err, &not):
		s.block(f, not.problem.Code, not.problem.Reason)
		return nil
	case err != nil:
		return err
	}
	delete(p.blocked, name)
	k := p.files[name]
	f.data, f.hash, f.info = data, hashOf(data), info
	f.same = k != nil && k.hash == f.hash
	switch {
	case len(data) == 0 && !f.same: // touched, or about to be written
		s.block(f, "empty", "an empty file is no entry")
	case k == nil && isLegacy(name, data):
		f.legacy = true
	default:
		s.read(f)
	}
	return nil
}

func (s *survey) read(f *sighting) {
	f.entry, f.err = decode(f.data)
	k := s.p.files[f.name]
	switch {
	case errors.Is(f.err, errNotText):
		s.block(f, "not_text", f.err.Error())
	case f.err == nil:
		f.says = f.entry.ID
		complete(f.entry, f.name, time.Unix(0, f.info.ModTime))
	case k != nil:
		f.says = k.id
	}
}

// block leaves a file alone. It may say anything, so it is taken to be what it was.
func (s *survey) block(f *sighting, code, reason string) {
	s.p.blocked[f.name] = memory.Problem{Path: f.name, Code: code, Reason: reason}
	f.blocked, f.entry = true, nil
	if k := s.p.files[f.name]; k != nil {
		f.says = k.id
	}
}

// assign says which entry each file is. An id belongs to the one file that names
// it; of several to the one that it was, as the others are copies. What names no
// id that is known stays what it was, unless that entry is elsewhere now.
func (s *survey) assign(names []string) map[string]string {
	p := s.p
	claims := map[string][]string{}
	for _, name := range names {
		if id := s.says(name); id != "" {
			claims[id] = append(claims[id], name)
		}
	}
	owner, held := map[string]string{}, map[string]bool{}
	give := func(name, id string) {
		owner[name], held[id] = id, true
		if f := s.files[name]; f != nil {
			f.id = id
		}
	}
	for id, claimants := range claims {
		if s.alive(id) || len(claimants) == 1 && s.back(claimants[0]) {
			give(s.chosen(id, claimants), id)
		}
	}
	var rest []string
	for _, name := range names {
		k := p.files[name]
		switch {
		case owner[name] != "" || !s.there(name):
		case k != nil && s.alive(k.id) && !held[k.id]:
			give(name, k.id)
		default:
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		give(name, s.fresh(name, held))
	}
	for _, name := range names {
		if k := p.files[name]; k != nil && s.alive(k.id) && !held[k.id] {
			s.lost = append(s.lost, name)
		}
	}
	return owner
}

// back reports whether a file was moved over another, and is an entry that was
// there once: it was taken for removed while it lay elsewhere. Where changes are
// lost, it may have been written in the place of another, and never been known.
func (s *survey) back(name string) bool {
	f, k := s.files[name], s.p.files[name]
	if f == nil || k == nil || f.says == k.says {
		return false
	}
	return s.p.salvaged && f.entry != nil && s.p.written(f.entry, f.data) || s.p.wasKnown(f.says)
}

// says is the id that a file names.
func (s *survey) says(name string) string {
	if f := s.files[name]; f != nil {
		return f.says
	}
	return s.p.files[name].says
}

// there reports whether a file holds what can be an entry.
func (s *survey) there(name string) bool {
	f := s.files[name]
	return f == nil || !f.gone && !f.legacy && (!f.blocked || s.p.files[name] != nil)
}

// chosen is which of several files an entry is: the one that it was, or the very
// file under a new name.
func (s *survey) chosen(id string, claimants []string) string {
	at := s.p.names[id]
	if len(claimants) > 1 && slices.Contains(claimants, at) {
		return at
	}
	k := s.p.files[at]
	for _, name := range claimants {
		if f := s.files[name]; k != nil && f != nil && f.info.Inode == k.info.Inode {
			return name
		}
	}
	return claimants[0]
}

// fresh is the id of a file that is no known entry: the one that it names, or one
// of its own.
func (s *survey) fresh(name string, held map[string]bool) string {
	for _, id := range []string{s.says(name), derivedID(name)} {
		if id != "" && !s.alive(id) && !held[id] {
			return id
		}
	}
	return s.p.opts.NewID()
}

// present are the files to take in.
func (s *survey) present() []*sighting {
	var out []*sighting
	for _, f := range s.files {
		if !f.gone && !f.blocked {
			out = append(out, f)
		}
	}
	return out
}
