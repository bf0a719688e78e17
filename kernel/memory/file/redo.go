package file

import (
	"bytes"
	"errors"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// redoAfter makes the files agree with the records after done, which a crash
// may have left without. A file that holds neither what a record before left nor
// a torn piece of what it should is an edit by hand, and left alone.
func (r *recovery) redoAfter(done int64) error {
	targets := map[string]*target{}
	var order []string
	for _, at := range r.index.recent {
		if at.seq <= done {
			continue
		}
		rec, err := r.index.record(at.span)
		if err != nil {
			continue // the index judged it a line; its entry can't be read
		}
		for _, s := range rec.Steps {
			for _, name := range []string{s.File, s.From} {
				if name != "" && targets[name] == nil {
					targets[name] = &target{older: map[string]bool{}}
					order = append(order, name)
				}
			}
			if s.Action == memory.ActionEdit && s.From+s.Left != "" {
				// It was moved there by hand before the record was made, and stayed
				// there through a crash. What else stood there is not to be overwritten.
				*targets[s.File] = target{older: map[string]bool{}}
			}
			targets[s.File].set(s)
			if s.From != "" {
				targets[s.From].set(recordStep{Before: s.Before})
			}
		}
	}
	for _, name := range order {
		if err := r.redoFile(name, targets[name]); err != nil {
			return err
		}
	}
	return nil
}

// target is what a file should hold after the records.
type target struct {
	want  *memory.Entry // nil: the file should be gone
	hash  string
	older map[string]bool // hashes of what it may have held before
}

func (t *target) set(s recordStep) {
	if t.hash != "" {
		t.older[t.hash] = true
	}
	if s.Before != nil {
		if data, err := encode(s.Before); err == nil {
			t.older[hashOf(data)] = true
		}
	}
	t.want, t.hash = s.After, s.Hash
}

func (r *recovery) redoFile(name string, t *target) error {
	p := r.p
	data, _, err := p.readEntry(name)
	missing := errors.Is(err, os.ErrNotExist)
	var not errNotEntry
	if errors.As(err, &not) {
		return not.fault // without one it stays where it is, and is reported
	}
	if err != nil && !missing {
		return err
	}
	hash := hashOf(data)
	p.dirty[name] = r.seq
	switch {
	case t.want == nil && (missing || !t.older[hash]):
		return nil
	case t.want == nil:
		r.redo = true
		return p.removeTemp(name)
	case !missing && hash == t.hash:
		return nil
	}
	good, err := encode(t.want)
	if err != nil {
		return err
	}
	if !missing && !t.older[hash] && !torn(data, good) {
		return nil
	}
	r.redo = true
	tmp := p.tmpName()
	if _, err := p.writeTemp(tmp, good); err != nil {
		return errors.Join(err, p.removeTemp(tmp))
	}
	return p.fs.Rename(tmp, name, Replace)
}

// torn reports whether data is what a crash of the machine may leave of good:
// nothing, a beginning, or zeros in the place of some of it.
func torn(data, good []byte) bool {
	whole := bytes.TrimRight(data, "\x00")
	return len(data) <= len(good) && bytes.HasPrefix(good, whole)
}
