package file

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

const (
	lockName = ".lock"
	markSize = 60
	markTag  = 0x6b72616d78696e72 // "rnixmark"
)

// mark is what .lock holds: how far the last holder of the lock came. It is
// written before the lock is let go and never synced; after a crash of the
// machine the redo log decides. A process that finds its own last mark knows
// that nobody else was here.
type mark struct {
	Gen     uint64 // grows with each mark
	Done    int64  // every change up to this sequence number is in the files
	Epoch   uint64 // of .wal
	WALPos  int64  // end of .wal's frames
	Journal int64  // size of the journal
	Inode   uint64 // of the journal
}

func (m mark) bytes() []byte {
	b := make([]byte, 0, markSize)
	for _, v := range []uint64{markTag, m.Gen, uint64(m.Done), m.Epoch, uint64(m.WALPos), uint64(m.Journal), m.Inode} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readMark reads the mark; a zero mark when there is none or it is torn.
func readMark(f File) (mark, error) {
	var b [markSize]byte
	if _, err := f.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return mark{}, err
	}
	u := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if u(0) != markTag || binary.LittleEndian.Uint32(b[markSize-4:]) != crc32.Checksum(b[:markSize-4], castagnoli) {
		return mark{}, nil
	}
	return mark{Gen: u(1), Done: int64(u(2)), Epoch: u(3), WALPos: int64(u(4)), Journal: int64(u(5)), Inode: u(6)}, nil
}
