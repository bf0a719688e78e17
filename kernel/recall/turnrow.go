package recall

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// rowSize is the length of a row: what the index keeps of a passage besides its
// terms.
const rowSize = 32

// turnRow says which passage of which turn is meant. The file has its fields in
// their order, little-endian, offset and time with 48 bits.
type turnRow struct {
	conversation uint32 // its number in the table
	turn         uint32 // number in its conversation, from 0
	offset       int64  // of the turn, as its store counts
	time         int64  // seconds since 1970, 0 when unknown
	start        uint32 // bytes of the content
	length       uint32
	passage      uint16 // number in its turn, from 0; the highest stands for all behind it
	role         uint8
	// speaker tells the people of a chat apart: a number made of the name, 0
	// without one. Two may share it.
	speaker uint8
}

func (r *turnRow) encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(make([]byte, 0, rowSize+4), r.conversation)
	b = le.AppendUint32(b, r.turn)
	b = le.AppendUint64(b, uint64(r.offset))[:14]
	b = le.AppendUint64(b, uint64(r.time))[:20]
	b = le.AppendUint32(b, r.start)
	b = le.AppendUint32(b, r.length)
	b = le.AppendUint16(b, r.passage)
	return append(b, r.role, r.speaker)
}

func decodeRow(b []byte) turnRow {
	le := binary.LittleEndian
	return turnRow{
		conversation: le.Uint32(b),
		turn:         le.Uint32(b[4:]),
		offset:       int64(le.Uint64(b[8:]) & (1<<48 - 1)),
		time:         int64(le.Uint64(b[14:]) & (1<<48 - 1)),
		start:        le.Uint32(b[20:]),
		length:       le.Uint32(b[24:]),
		passage:      le.Uint16(b[28:]),
		role:         b[30],
		speaker:      b[31],
	}
}

// clock is the row's time as a time; zero when unknown.
func (r *turnRow) clock() time.Time {
	if r.time == 0 {
		return time.Time{}
	}
	return time.Unix(r.time, 0).UTC()
}

// span is where the passage is in its turn.
func (r *turnRow) span() Span { return Span{int(r.start), int(r.start) + int(r.length)} }

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

const (
	userRole = iota // their numbers
	assistantRole
)

// roleNumber is the last one's for a role that is not known.
func roleNumber(r process.Role) uint8 {
	if i := slices.Index(roles[:], r); i >= 0 {
		return uint8(i)
	}
	return uint8(len(roles) - 1)
}
