package file

import (
	"bytes"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

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
