package file

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxNew bounds the bytes of files that are taken in at once, each with what is kept of
// it meanwhile.
const (
	maxNew  = 32 << 20
	perFile = 4 << 10
)

// maxLooks bounds how often a folder is looked at again because files were moved
// meanwhile.
const maxLooks = 5

// observed is what a person did to files, as one picture: which entry a file is
// depends on where the other files' entries are.
type observed struct {
	f     *openFolder
	files map[string]*observation
	lost  []string // known names of entries that no file is any more
	size  int      // of the files that are new
}

// observation is a file as it was found.
type observation struct {
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

// observe looks at files, and at all others that differ from what is known where
// a file is gone, or is not the entry that it was: its entry may have moved.
func (f *openFolder) observe(ctx context.Context, names []string) (*observed, error) {
	s := &observed{f: f, files: map[string]*observation{}}
	wide := false
	for _, name := range names {
		if err := errors.Join(ctx.Err(), s.look(name)); err != nil {
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
	for name := range f.catalog.files {
		all[name] = nil
	}
	owners := s.assign(slices.Sorted(maps.Keys(all)))
	for name, id := range owners { // a copy that is the only one now
		if s.files[name] != nil || f.catalog.files[name].id == id {
			continue
		}
		if err := s.look(name); err != nil {
			return nil, err
		}
		if o := s.files[name]; !o.same {
			return nil, errEdited{name}
		}
		s.files[name].id = id
	}
	return s, nil
}

// lookAround looks at all that differs until nothing moves.
func (s *observed) lookAround() error {
	for range maxLooks {
		names, err := s.f.catalog.allDiffering()
		if err != nil {
			return err
		}
		calm := true
		for _, name := range slices.AppendSeq(names, maps.Keys(s.files)) {
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

// still reports whether a file is as it was observed.
func (s *observed) still(name string) bool {
	o := s.files[name]
	if o == nil {
		return false
	}
	info, err := s.f.dir.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return o.gone
	}
	return err == nil && !o.gone && (o.blocked || info == o.info)
}

// moved reports whether a file is not the entry that it was.
func (s *observed) moved(o *observation) bool {
	k := s.f.catalog.files[o.name]
	switch {
	case k == nil:
		return !o.gone && s.f.alive(o.says) || o.legacy
	case o.gone:
		return s.f.alive(k.id)
	}
	return o.says != k.says || o.says != k.id && s.f.alive(o.says)
}

// look reads one file.
func (s *observed) look(name string) error {
	c := s.f.catalog
	o := &observation{handEdit: handEdit{name: name}}
	s.files[name] = o
	data, info, err := s.f.dir.read(name)
	var not errNotEntry
	switch {
	case errors.Is(err, os.ErrNotExist):
		o.gone = true
		delete(c.blocked, name)
		return nil
	case errors.As(err, &not):
		s.block(o, not.problem.Code, not.problem.Reason)
		return nil
	case err != nil:
		return err
	}
	delete(c.blocked, name)
	k := c.files[name]
	if k == nil {
		s.size += len(data) + perFile
	}
	if k == nil && s.size > maxNew {
		o.blocked = true
		c.blocked[name] = memory.Problem{Path: name, Code: "over_limit", Reason: "not read yet: too much is new at once", Mend: runRepair}
		return nil
	}
	o.data, o.hash, o.info = data, hashOf(data), info
	o.same = k != nil && k.hash == o.hash
	switch {
	case len(data) == 0 && !o.same: // touched, or about to be written
		s.block(o, "empty", "an empty file is no entry")
	case k == nil && isLegacy(name, data):
		o.legacy = true
	default:
		s.read(o)
	}
	return nil
}

func (s *observed) read(o *observation) {
	o.entry, o.err = decode(o.data)
	k := s.f.catalog.files[o.name]
	switch {
	case errors.Is(o.err, errNotText):
		s.block(o, "not_text", o.err.Error())
	case o.err == nil:
		o.says = o.entry.ID
		complete(o.entry, o.name, o.info.ModTime)
	case k != nil:
		o.says = k.id
	}
}

// block leaves a file alone. It may say anything, so it is taken to be what it was.
func (s *observed) block(o *observation, code, reason string) {
	s.f.catalog.blocked[o.name] = memory.Problem{Path: o.name, Code: code, Reason: reason}
	o.blocked, o.entry = true, nil
	if k := s.f.catalog.files[o.name]; k != nil {
		o.says = k.id
	}
}

// assign says which entry each file is. An id belongs to the one file that names
// it; of several to the one that it was, as the others are copies. A file that
// names no known id stays what it was, unless that entry is elsewhere now.
func (s *observed) assign(names []string) map[string]string {
	files := s.f.catalog.files
	claims := map[string][]string{}
	for _, name := range names {
		if id := s.says(name); id != "" {
			claims[id] = append(claims[id], name)
		}
	}
	owner, held := map[string]string{}, map[string]bool{}
	settle := func(name, id string) {
		owner[name], held[id] = id, true
		if o := s.files[name]; o != nil {
			o.id = id
		}
	}
	for id, claimants := range claims {
		if !s.f.alive(id) {
			claimants = slices.DeleteFunc(claimants, func(name string) bool { return !s.back(name) })
		}
		if len(claimants) > 0 {
			settle(s.chosen(id, claimants), id)
		}
	}
	var rest []string
	for _, name := range names {
		k := files[name]
		switch {
		case owner[name] != "" || !s.there(name):
		case k != nil && s.f.alive(k.id) && !held[k.id]:
			settle(name, k.id)
		default:
			rest = append(rest, name)
		}
	}
	for _, name := range rest {
		settle(name, s.fresh(name, held))
	}
	for _, name := range names {
		if k := files[name]; k != nil && s.f.alive(k.id) && !held[k.id] {
			s.lost = append(s.lost, name)
		}
	}
	return owner
}

// back reports whether a file was moved over another, and is an entry that was
// there once: it was taken for removed while it lay elsewhere.
func (s *observed) back(name string) bool {
	o, k := s.files[name], s.f.catalog.files[name]
	if o == nil || k == nil || o.says == k.says {
		return false
	}
	return s.f.anew && o.entry != nil && s.f.written(o.entry, o.data) || s.f.told(`"id":"`+o.says+`"`)
}

// says is the id that a file names.
func (s *observed) says(name string) string {
	if o := s.files[name]; o != nil {
		return o.says
	}
	return s.f.catalog.files[name].says
}

// there reports whether a file holds what can be an entry.
func (s *observed) there(name string) bool {
	o := s.files[name]
	return o == nil || !o.gone && !o.legacy && (!o.blocked || s.f.catalog.files[name] != nil)
}

// chosen is which of several files an entry is: the one that it was, or the very
// file under a new name.
func (s *observed) chosen(id string, claimants []string) string {
	at := s.f.catalog.names[id]
	if len(claimants) > 1 && slices.Contains(claimants, at) {
		return at
	}
	k := s.f.catalog.files[at]
	for _, name := range claimants {
		if o := s.files[name]; k != nil && o != nil && o.info.Inode == k.info.Inode {
			return name
		}
	}
	return claimants[0]
}

// fresh is the id of a file that is no known entry: the one that it names, or one
// of its own.
func (s *observed) fresh(name string, held map[string]bool) string {
	for _, id := range []string{s.says(name), derivedID(name)} {
		if id != "" && !s.f.alive(id) && !held[id] {
			return id
		}
	}
	return s.f.opts.NewID()
}

// copied reports whether another file names the id that a file got by naming it.
func (s *observed) copied(o *observation) bool {
	for _, other := range s.present() {
		if other != o && o.says == o.id && other.says == o.id {
			return true
		}
	}
	return false
}

// present are the files to take in.
func (s *observed) present() []*observation {
	var out []*observation
	for _, o := range s.files {
		if !o.gone && !o.blocked {
			out = append(out, o)
		}
	}
	return out
}
