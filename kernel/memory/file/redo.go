package file

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// redoAfter makes the files agree with the records after done, which a crash
// may have left without. A file that holds neither what a record before left nor
// a torn piece of that is an edit by hand, and left alone; after a loss of power it
// may as well be of the disk's old blocks, and is set aside.
func (r *logRecovery) redoAfter(done int64) error {
	targets := map[string]*target{}
	var order []string
	for _, rec := range r.index.recent {
		if rec.Seq <= done {
			continue
		}
		for _, s := range rec.Steps {
			for _, name := range []string{s.File, s.From} {
				if name != "" && targets[name] == nil {
					targets[name] = &target{older: map[string][]byte{}}
					order = append(order, name)
				}
			}
			if s.Action == memory.ActionEdit && s.From+s.Left != "" {
				// It was moved there by hand before the record was made, and stayed
				// there through a crash. What else stood there is not to be overwritten.
				*targets[s.File] = target{older: map[string][]byte{}}
			}
			targets[s.File].set(s)
			if s.From != "" {
				targets[s.From].set(recordStep{Before: s.Before})
			}
		}
	}
	for _, name := range order {
		if err := r.redoFile(name, targets); err != nil {
			return err
		}
	}
	return nil
}

// target is what a file should hold after the records.
type target struct {
	want  *memory.Entry // nil: the file should be gone
	hash  string
	older map[string][]byte // by their hashes, what it may have held; nil for a person's bytes
}

func (t *target) set(s recordStep) {
	t.want, t.hash = s.After, s.Hash
	for _, e := range []*memory.Entry{s.Before, s.After} {
		if e == nil {
			continue
		}
		if data, err := encode(e); err == nil {
			t.older[hashOf(data)] = data
		}
	}
	if _, known := t.older[s.Hash]; !known && s.Hash != "" {
		t.older[s.Hash] = nil
	}
}

// ours reports whether a file holds what it held once, whole or torn.
func (t *target) ours(data []byte) bool {
	if _, known := t.older[hashOf(data)]; known {
		return true
	}
	for _, good := range t.older {
		if torn(data, good) {
			return true
		}
	}
	return false
}

func (r *logRecovery) redoFile(name string, targets map[string]*target) error {
	d, t := r.f.dir, targets[name]
	data, _, err := d.read(name)
	missing := errors.Is(err, os.ErrNotExist)
	var not errNotEntry
	if errors.As(err, &not) {
		return not.fault // without one it stays where it is, and is reported
	}
	if err != nil && !missing {
		return err
	}
	r.f.logs.dirty[name] = r.seq
	switch {
	case missing && t.want == nil, !missing && t.want != nil && hashOf(data) == t.hash:
		return nil
	case missing || t.ours(data):
	case !r.boot || r.movedHere(hashOf(data), targets):
		return nil
	case !r.anothers(name, hashOf(data)):
		if err := r.f.aside.setAside(context.Background(), name, data, errInTheWay); err != nil {
			return err
		}
	}
	r.redo = true
	if t.want == nil {
		return d.remove(name)
	}
	good, err := encode(t.want)
	if err != nil {
		return err
	}
	tmp := d.tmpName()
	if _, err := d.writeTemp(tmp, good); err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	return d.Rename(tmp, name, Replace)
}

// anothers reports whether bytes are what the file of another entry held. What this
// one held long ago a person put back.
func (r *logRecovery) anothers(name, hash string) bool {
	held := `"hash":"` + hash + `"`
	return r.f.told(held) && !r.f.told(`"file":"`+name+`",`+held)
}

// movedHere reports whether a file is that of an entry that the records do not
// tell of, and whose own file is not there: a person moved it.
func (r *logRecovery) movedHere(hash string, targets map[string]*target) bool {
	for name, s := range r.index.files {
		if s.Hash == hash && targets[name] == nil {
			data, _, _ := r.f.dir.read(name) // none where it can't be read
			return hashOf(data) != hash
		}
	}
	return false
}

var errInTheWay = memory.Errorf(memory.KindConflict, "recover", "after a loss of power this stood in the place of what was acknowledged")

// sector is what a disk writes whole or not at all, and a file system at least.
const sector = 512

// torn reports whether data is what a loss of power may leave of good: nothing, or
// zeros in the place of some of it, cut off between sectors.
func torn(data, good []byte) bool {
	if len(data) > len(good) || len(data) < len(good) && len(data)%sector != 0 {
		return len(bytes.Trim(data, "\x00")) == 0
	}
	for at := 0; at < len(data); at += sector {
		piece := bytes.TrimRight(data[at:min(at+sector, len(data))], "\x00")
		if !bytes.HasPrefix(good[at:], piece) {
			return false
		}
	}
	return true
}
