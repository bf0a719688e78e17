package file

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/text/unicode/norm"

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

func (d *dir) tombstone(text string, at time.Time, binds int64) (t tombstone) {
	copy(t[:], d.key().mac([]byte(removedName+"\n"+compared(text))))
	binary.LittleEndian.PutUint64(t[macSize:], uint64(at.UnixNano()&^3|binds))
	return t
}

func (t tombstone) when() int64  { return int64(binary.LittleEndian.Uint64(t[macSize:])) }
func (t tombstone) binds() int64 { return t.when() & 3 }

// compared is the part of a text in which case, spacing and form (UAX #15) do not
// count.
func compared(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), ".,;!\"'` ")
}

// head is the first tombstone.
func (d *dir) head() (t tombstone) {
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
	if _, err = f.ReadAt(first[:], 0); err == nil && first == d.head() {
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
	if head := d.head(); err == nil {
		err = errors.Join(d.writeNew(removedName, head[:]), d.SyncDir("."))
	}
	if err != nil {
		return nil, err
	}
	return d.Open(removedName, unix.O_RDWR, 0)
}

// find returns the tombstone of the same text, and where it stands, or would.
func (t tombstone) find(f File) (found tombstone, at int64, err error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	for ; err == nil; at += int64(len(found)) {
		if _, err = io.ReadFull(in, found[:]); err == nil && [macSize]byte(found[:]) == [macSize]byte(t[:]) {
			return found, at, nil
		}
	}
	return tombstone{}, at - int64(len(found)), unless(err, io.EOF, io.ErrUnexpectedEOF)
}

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

// tombstoneOf returns the tombstone that a text has, or gets with the batch or with
// more.
func (b *batch) tombstoneOf(text string, more []tombstone) (t tombstone, err error) {
	want := b.f.dir.tombstone(text, time.Time{}, bindsNobody)
	for _, t := range slices.Backward(slices.Concat(b.tombstones, more)) {
		if [macSize]byte(t[:]) == [macSize]byte(want[:]) {
			return t, nil
		}
	}
	f, err := b.f.dir.openTombstones()
	if f == nil {
		return t, err
	}
	t, _, err = want.find(f)
	return t, errors.Join(err, f.Close())
}

// weigh returns the tombstones that a change makes, and makes void; file: it is one of
// files. It refuses a change that brings back what was removed.
func (b *batch) weigh(ch *memory.Change, steps []memory.Step, file bool) (out []tombstone, err error) {
	op := 0
	for _, s := range steps {
		if b.f.anew || leaves(s) {
			continue
		}
		op++
		changed := s.Before == nil || s.After == nil || s.Before.Content != s.After.Content
		if changed && s.Before != nil && b.f.state.Count(s.Before.Content) == 1 {
			at, binds := ch.At, int64(bindsLearning)
			switch {
			case s.After != nil:
			case !ch.Said.IsZero():
				at, binds = ch.Said, bindsFiles
			case file:
				binds = bindsRequests
			}
			out = append(out, b.f.dir.tombstone(s.Before.Content, at, binds))
		}
		if !changed || s.After == nil {
			continue
		}
		t, err := b.tombstoneOf(s.After.Content, out)
		if err != nil {
			return nil, wrap(string(s.Action), err)
		}
		if t.forbids(ch, file) {
			return nil, ch.OpError(op-1, &memory.Error{
				Op: string(s.Action), Kind: memory.KindRemoved,
				Err:  errors.New("this text was removed; a person brings it back, at a terminal: rnixfs commit add TEXT, or rnixfs commit restore KEY"),
				Hint: "leave it out, and don't rephrase it",
			})
		}
		if t.binds() != bindsNobody {
			out = append(out, b.f.dir.tombstone(s.After.Content, ch.At, bindsNobody))
		}
	}
	return out, nil
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
