package file

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	walName    = ".wal"
	walMagic   = "rnixwal1"
	walStart   = 4096 // of the records; the header has its page alone
	walFrame   = 20   // epoch 8, seq 8, length 4; then the line
	walDefault = 1 << 20
	walMost    = 32 << 20 // it is not ours
)

// wal is the redo log: a header, then frames of one epoch, one after the other.
// The file is written full of zeros once, so that overwriting it changes no
// metadata and fdatasync(2) commits no transaction of the file system.
//
// A frame is valid when its epoch is the header's, its sequence number follows the one
// before, and its line has its MAC: what an earlier epoch left behind, or a repository
// brought, is never taken for a record.
type wal struct {
	f    File
	key  key
	size int64
	head walHeader
	pos  int64 // where the next frame goes
	last int64 // sequence number of the last frame, or head.Base
	bad  bool  // which header the disk has is in doubt: an epoch must begin before the next frame
}

// walHeader begins an epoch.
type walHeader struct {
	Epoch   uint64   // random
	Base    int64    // sequence number before the epoch's first record
	Journal int64    // size of the journal then, all of it synced
	Boot    [16]byte // of the kernel that ran then
}

func parseWALHeader(k key, b []byte) (h walHeader, ok bool) {
	ok = k.unseal(walMagic, b, &h)
	return h, ok && h.Base >= 0 && h.Journal >= 0
}

// openWAL opens the log, or returns errNoWAL when there is none that can be
// read.
func openWAL(d *dir) (*wal, []walRecord, error) {
	f, err := d.Open(walName, unix.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, errNoWAL
	}
	if err != nil {
		return nil, nil, err
	}
	w := &wal{f: f, key: d.key()}
	records, err := w.read()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return w, records, nil
}

var errNoWAL = errors.New("no redo log")

type walRecord struct {
	seq  int64
	line []byte
}

// read reads the header and every valid frame.
func (w *wal) read() ([]walRecord, error) {
	info, err := w.f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Regular || info.Size < walStart || info.Size > walMost {
		return nil, errNoWAL
	}
	data := make([]byte, info.Size)
	if _, err := w.f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	h, ok := parseWALHeader(w.key, data)
	if !ok {
		return nil, errNoWAL
	}
	w.size, w.head, w.pos, w.last = info.Size, h, walStart, h.Base
	var records []walRecord
	for {
		r, n, ok := w.frameAt(data[w.pos:])
		if !ok {
			return records, nil
		}
		records = append(records, r)
		w.pos += n
		w.last = r.seq
	}
}

func (w *wal) frameAt(b []byte) (r walRecord, size int64, ok bool) {
	if len(b) < walFrame || binary.LittleEndian.Uint64(b) != w.head.Epoch {
		return r, 0, false
	}
	r.seq = int64(binary.LittleEndian.Uint64(b[8:]))
	size = walFrame + int64(binary.LittleEndian.Uint32(b[16:]))
	if r.seq != w.last+1 || size > int64(len(b)) {
		return r, 0, false
	}
	r.line = b[walFrame:size]
	return r, size, w.key.sealed(r.line)
}

// frame appends the frame of a line to b.
func (w *wal) frame(b []byte, seq int64, line []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, w.head.Epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(seq))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(line)))
	return append(b, line...)
}

// write makes frames durable. They end with the record last. A zero header
// after them is not needed: what follows is not valid in this epoch, but for
// what clear wiped.
func (w *wal) write(frames []byte) error {
	if _, err := w.f.WriteAt(frames, w.pos); err != nil {
		return err
	}
	return w.f.Datasync()
}

// clear wipes n bytes of frames that write may have written.
func (w *wal) clear(n int) error {
	n = min(n, int(w.size-w.pos))
	if _, err := w.f.WriteAt(make([]byte, n), w.pos); err != nil {
		return err
	}
	return w.f.Datasync()
}

// begin starts a new epoch after the change with the sequence number base. All
// that the old epoch holds must be durable elsewhere.
func (w *wal) begin(base, journal int64, boot [16]byte) error {
	h := walHeader{Epoch: randomEpoch(), Base: base, Journal: journal, Boot: boot}
	w.bad = true
	if _, err := w.f.WriteAt(w.key.seal(walMagic, h), 0); err != nil {
		return err
	}
	if err := w.f.Datasync(); err != nil {
		return err
	}
	w.head, w.pos, w.last, w.bad = h, walStart, base, false
	return nil
}

// refresh reads the header again, when another process began a new epoch.
func (w *wal) refresh() error {
	b := make([]byte, 64)
	if _, err := w.f.ReadAt(b, 0); err != nil {
		return err
	}
	h, ok := parseWALHeader(w.key, b)
	if !ok {
		return errNoWAL
	}
	w.head = h
	return nil
}

// createWAL writes a log full of zeros beside the old one and puts it in place.
func createWAL(d *dir, size, base, journal int64, boot [16]byte) (*wal, error) {
	tmp := d.tmpName()
	f, err := d.create(tmp)
	if err != nil {
		return nil, err
	}
	w := &wal{f: f, key: d.key(), size: size}
	_, err = f.WriteAt(bytes.Repeat([]byte{0}, int(size)), 0)
	for _, step := range []func() error{
		func() error { return w.begin(base, journal, boot) },
		f.Sync,
		func() error { return d.Rename(tmp, walName, Replace) },
		func() error { return d.SyncDir(".") },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), d.remove(tmp))
	}
	return w, nil
}

func randomEpoch() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return binary.LittleEndian.Uint64(b[:])
}
