package file

import (
	"bytes"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// follow takes over what other processes did, from the journal, up to the position
// that they left. An error means that the folder must be read anew.
func (f *openFolder) follow(at position) error {
	lock := f.logs.lock
	if at.Inode != lock.at.Inode || at.Journal < lock.at.Journal {
		return errFollow
	}
	if err := f.logs.follow(at); err != nil {
		return err
	}
	data := make([]byte, at.Journal-lock.at.Journal)
	if _, err := f.logs.journal.ReadAt(data, lock.at.Journal); err != nil {
		return err
	}
	var records []*record
	seq := lock.at.Done
	for line := range bytes.Lines(data) {
		rec, err := parseRecord(f.dir.key(), line)
		if err != nil || rec.Seq != seq+1 {
			return errFollow
		}
		seq = rec.Seq
		records = append(records, rec)
	}
	if seq != at.Done {
		return errFollow
	}
	var changes [][]memory.Step
	for _, rec := range records {
		if !f.fitting(rec) {
			return errFollow
		}
		f.followRecord(rec)
		changes = append(changes, rec.steps())
	}
	lock.take(at)
	f.announce(changes...)
	return nil
}

// fitting reports whether a record's steps continue the state.
func (f *openFolder) fitting(rec *record) bool {
	here := map[string]bool{}
	for _, s := range rec.Steps {
		if s.Before != nil {
			live, touched := here[s.Before.ID]
			if touched && !live || !touched && !f.alive(s.Before.ID) {
				return false
			}
			here[s.Before.ID] = false
		}
		if s.After != nil {
			here[s.After.ID] = true
		}
	}
	return true
}

func (f *openFolder) followRecord(rec *record) {
	c := f.catalog
	f.state.Commit(memory.Change{IdempotencyKey: rec.IdempotencyKey, Digest: rec.Digest}, rec.steps(), rec.Seq)
	for _, s := range rec.Steps {
		f.logs.dirty[s.File] = rec.Seq
		if s.From != "" {
			delete(c.files, s.From)
		}
		if s.After == nil {
			delete(c.files, s.File)
			delete(c.names, s.Before.ID)
			continue
		}
		c.files[s.File] = &known{id: s.After.ID, says: s.named(), hash: s.Hash}
		c.names[s.After.ID] = s.File
	}
}
