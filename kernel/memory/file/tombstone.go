package file

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// removedName is the file of the tombstones. The first is that of no text, and shows
// that the file is this user's.
const removedName = ".removed"

// tombstone says that a text was removed: the MAC of the text, when it was, in
// nanoseconds since 1970, and in the last two bits of that whom it binds.
type tombstone [macSize + 8]byte

// Whom a tombstone keeps from bringing the text back. Each binds those of the one
// before, too.
const (
	bindsNobody   = iota // the text came back
	bindsLearning        // what is learned from conversations: the text was removed or replaced
	bindsRequests        // all requests but a person's: the text's file was deleted
	bindsFiles           // all but a person: a person removed the text
)

func (d *dir) tombstone(form string, at time.Time, binds int64) (t tombstone) {
	copy(t[:], d.key().mac([]byte(removedName+"\n"+form)))
	binary.LittleEndian.PutUint64(t[macSize:], uint64(at.UnixNano()&^3|binds))
	return t
}

func (t tombstone) when() int64  { return int64(binary.LittleEndian.Uint64(t[macSize:])) }
func (t tombstone) binds() int64 { return t.when() & 3 }

// void is the tombstone of a text that came back.
func (t tombstone) void(at time.Time) tombstone {
	binary.LittleEndian.PutUint64(t[macSize:], uint64(at.UnixNano()&^3)) // bindsNobody
	return t
}

// firstTombstone is that of no text.
func (d *dir) firstTombstone() (t tombstone) {
	copy(t[:], d.key().mac([]byte(removedName)))
	return t
}

// openTombstones opens this user's tombstones, nil where there are none.
func (d *dir) openTombstones() (File, error) {
	if info, err := d.Lstat(removedName); err != nil || !info.Regular {
		return nil, unless(err, os.ErrNotExist)
	}
	f, err := d.Open(removedName, unix.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	var first tombstone
	if _, err = f.ReadAt(first[:], 0); err == nil && first == d.firstTombstone() {
		return f, nil
	}
	return nil, errors.Join(unless(err, io.EOF), f.Close())
}

// makeTombstones makes the file of them. What stands in its place is put aside.
func (d *dir) makeTombstones() (File, error) {
	aside, err := d.free(removedName+".foreign", "")
	if err == nil {
		err = unless(d.Rename(removedName, aside, NoReplace), os.ErrNotExist)
	}
	if head := d.firstTombstone(); err == nil {
		err = errors.Join(d.writeNew(removedName, head[:]), d.SyncDir("."))
	}
	if err != nil {
		return nil, err
	}
	return d.Open(removedName, unix.O_RDWR, 0)
}

// find returns the tombstone of the same form of a text, and where it stands, or would.
func (t tombstone) find(f File) (found tombstone, at int64, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	for ; err == nil; at += int64(len(found)) {
		if _, err = io.ReadFull(in, found[:]); err == nil && found.same(t) {
			return found, at, nil
		}
	}
	return tombstone{}, at - int64(len(found)), unless(err, io.EOF, io.ErrUnexpectedEOF)
}

// same reports whether two tombstones are of the same form of a text.
func (t tombstone) same(u tombstone) bool { return [macSize]byte(t[:]) == [macSize]byte(u[:]) }

// bury makes tombstones durable, each in the place of the one that its text has.
func (d *dir) bury(tombstones []tombstone) error {
	if len(tombstones) == 0 {
		return nil
	}
	f, err := d.openTombstones()
	if f == nil && err == nil {
		f, err = d.makeTombstones()
	}
	if err != nil {
		return err
	}
	flush := false // a lost word of learning costs no more than it did to learn it
	for _, t := range tombstones {
		var at int64
		if _, at, err = t.find(f); err == nil {
			_, err = f.WriteAt(t[:], at)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		flush = flush || t.binds() > bindsLearning
	}
	if flush {
		err = f.Datasync()
	}
	return errors.Join(err, f.Close())
}

// forbids reports whether a tombstone keeps its text out of a change.
func (t tombstone) forbids(ch *memory.Change, file bool) bool {
	switch t.binds() {
	case bindsNobody:
		return false
	case bindsLearning:
		return ch.Actor.Trust == memory.TrustExtracted && ch.Said.IsZero()
	case bindsRequests:
		if file {
			return false
		}
	}
	// A person who is there is heard, whatever the clock said then.
	return !ch.Said.Equal(ch.At) && ch.Said.UnixNano() < t.when()
}
