package file

import (
	"errors"
	"os"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// batch is changes that become durable together. It is planned on the state, to
// which it commits as it goes; undo takes that back.
type batch struct {
	f       *openFolder
	view    memory.View // before
	done    []planned
	lines   []byte
	ops     map[string]*fileOp // net effect, by file name
	order   []string           // of ops
	names   map[string]string  // by entry id, over those of the catalog; "" for gone
	keys    map[string]bool    // idempotency keys of done
	stage   stage
	at      position        // that it was to leave
	changed map[string]bool // of a batch that reconciles: files that a person did something to
	moved   bool            // files were moved by hand

	tombstones []tombstone // that it makes, or makes void
	unburied   []tombstone // of them, those that found no room before the change
}

// stage is how far the writing of a batch came, for undoing it.
type stage uint8

const (
	staged    stage = iota // temporary files at most
	journaled              // the journal may have grown
	logged                 // .wal may have the frames
)

type planned struct {
	change memory.Change
	record *record
	result memory.Result
	line   []byte
}

// fileOp is what a batch does to one file.
type fileOp struct {
	id      string
	data    []byte // to write; nil: the file goes
	hash    string
	old     *known // the file before the batch, nil when there was none
	says    string // the id that the file names
	keep    bool   // somebody else did it already: an edit by hand
	info    Info   // of the new file
	tmp     string // holds the new file, and the old one after the swap
	swapped bool
}

// handEdit is an edit that was read: the file's name and bytes are given.
type handEdit struct {
	name string
	hash string
	info Info
	says string // the id in its front matter, if any
	gone bool   // the entry's file is gone, or another entry's now
}

func (e handEdit) known(id string) *known {
	return &known{id: id, says: e.says, hash: e.hash, info: e.info}
}

func (f *openFolder) newBatch() *batch {
	return &batch{
		f: f, view: f.state.View(),
		ops: map[string]*fileOp{}, names: map[string]string{}, keys: map[string]bool{}, changed: map[string]bool{},
	}
}

// errEdited says that a file which the change touches is not as we know it.
type errEdited struct{ name string }

func (e errEdited) Error() string { return "file was edited: " + e.name }

// untouched makes sure that the files of the steps are as we know them.
func (b *batch) untouched(steps []memory.Step, edit *handEdit) error {
	c := b.f.catalog
	for _, s := range steps {
		if s.Before == nil {
			continue
		}
		name, ok := b.nameOf(s.Before.ID)
		if !ok || b.ops[name] != nil || edit != nil && (edit.name == name || s.Action == memory.ActionEdit || b.changed[name]) {
			continue
		}
		if problem, blocked := c.blocked[name]; blocked {
			if err := b.inTheWay(name, problem, s); err != nil {
				return err
			}
			continue
		}
		same, err := c.unchanged(name)
		if err != nil {
			return wrap(string(s.Action), err)
		}
		if !same {
			return errEdited{name}
		}
	}
	return nil
}

// blocked looks again at a file that could not be read. An empty one may be
// overwritten; what is expired or evicted goes without its file.
func (b *batch) inTheWay(name string, problem memory.Problem, s memory.Step) error {
	data, _, err := b.f.dir.read(name)
	switch {
	case err == nil && len(data) > 0 && problem.Code != "not_text", errors.Is(err, os.ErrNotExist):
		delete(b.f.catalog.blocked, name)
		return errEdited{name}
	case err == nil && len(data) == 0 || leaves(s):
		return nil
	}
	return memory.Errorf(memory.KindInternal, string(s.Action), "the file of this entry can't be read: %s", problem.Reason)
}

// leaves reports whether an entry goes without anybody having asked for it.
func leaves(s memory.Step) bool {
	return s.After == nil && (s.Action == memory.ActionExpire || s.Action == memory.ActionEvict)
}

func (b *batch) nameOf(id string) (string, bool) {
	if name, ok := b.names[id]; ok {
		return name, name != ""
	}
	name, ok := b.f.catalog.names[id]
	return name, ok
}

// logSize is what the batch takes in the redo log.
func (b *batch) logSize() int { return len(b.lines) + walFrame*len(b.done) }

// undo takes the batch back from the state.
func (b *batch) undo() { b.f.state.Rewind(b.view) }

// adopt makes the batch part of what is known, once it is durable and in place.
func (b *batch) adopt() {
	c := b.f.catalog
	for _, name := range b.order {
		op := b.ops[name]
		if op.data == nil {
			delete(c.files, name)
			continue
		}
		c.files[name] = &known{id: op.id, says: op.says, hash: op.hash, info: op.info}
	}
	for id, name := range b.names {
		c.names[id] = name
		if name == "" {
			delete(c.names, id)
		}
	}
	for _, d := range b.done {
		if key := d.change.IdempotencyKey; key != "" {
			b.f.state.Remember(key, d.change.Digest, d.result)
		}
		for _, s := range d.record.Steps {
			b.f.logs.dirty[s.File] = d.record.Seq
		}
	}
}

// changes are the steps of each change, for the observers.
func (b *batch) changes() [][]memory.Step {
	out := make([][]memory.Step, len(b.done))
	for i, d := range b.done {
		out[i] = d.result.Steps
	}
	return out
}

// has reports whether a change with the idempotency key is in the batch.
func (b *batch) has(key string) bool { return key != "" && b.keys[key] }

// files are the names of the files that the batch changes itself.
func (b *batch) touches() []string {
	return slices.DeleteFunc(slices.Clone(b.order), func(name string) bool { return b.ops[name].keep })
}
