package recall

import (
	"encoding/binary"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// rowSize is the length of a row: what the index keeps of a passage besides its
// terms.
const rowSize = 32

// turnRow says which passage of which turn a slot is.
type turnRow struct {
	process uint32 // ordinal
	turn    uint32 // number in its process, from 0
	offset  int64  // of the turn, as its store counts; 48 bits
	time    int64  // seconds since 1970, 0 when unknown; 48 bits
	start   uint32 // bytes of the content
	length  uint32
	passage uint16 // number in its turn, from 0; the highest stands for all behind it
	role    uint8
	// speaker tells the people of a chat apart: a number made of the name, 0
	// without one. Two may share it.
	speaker uint8
}

func (r *turnRow) encode() []byte {
	b := make([]byte, rowSize)
	binary.LittleEndian.PutUint32(b, r.process)
	binary.LittleEndian.PutUint32(b[4:], r.turn)
	put48(b[8:], uint64(r.offset))
	put48(b[14:], uint64(r.time))
	binary.LittleEndian.PutUint32(b[20:], r.start)
	binary.LittleEndian.PutUint32(b[24:], r.length)
	binary.LittleEndian.PutUint16(b[28:], r.passage)
	b[30], b[31] = r.role, r.speaker
	return b
}

func decodeRow(b []byte) turnRow {
	return turnRow{
		process: binary.LittleEndian.Uint32(b),
		turn:    binary.LittleEndian.Uint32(b[4:]),
		offset:  int64(get48(b[8:])),
		time:    int64(get48(b[14:])),
		start:   binary.LittleEndian.Uint32(b[20:]),
		length:  binary.LittleEndian.Uint32(b[24:]),
		passage: binary.LittleEndian.Uint16(b[28:]),
		role:    b[30],
		speaker: b[31],
	}
}

func put48(b []byte, x uint64) {
	binary.LittleEndian.PutUint32(b, uint32(x))
	binary.LittleEndian.PutUint16(b[4:], uint16(x>>32))
}

func get48(b []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
}

// clock is the row's time as a time; zero when unknown.
func (r *turnRow) clock() time.Time {
	if r.time == 0 {
		return time.Time{}
	}
	return time.Unix(r.time, 0).UTC()
}

// rowTime is a time as rows keep it. What lies before 1970 is unknown: no agent
// ran then.
func rowTime(t time.Time) int64 {
	if t.IsZero() || t.Unix() < 0 || t.Unix() >= 1<<48 {
		return 0
	}
	return t.Unix()
}

// roles are those of the rows, by number.
var roles = [...]process.Role{process.RoleUser, process.RoleAssistant, process.RoleTool, process.RoleSystem}

const userRole = 0 // its number

func roleNumber(r process.Role) uint8 {
	for i, known := range roles {
		if r == known {
			return uint8(i)
		}
	}
	return uint8(len(roles) - 1)
}
