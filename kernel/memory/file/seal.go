package file

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal writes a tag, a value of fixed size and a checksum of both.
func seal(tag string, v any) []byte {
	b, _ := binary.Append([]byte(tag), binary.LittleEndian, v) // fails for other sizes alone
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// unseal reads what seal wrote. false: it is something else, or torn.
func unseal(tag string, b []byte, v any) bool {
	n := len(tag) + binary.Size(v)
	if len(b) < n+4 || string(b[:len(tag)]) != tag || binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return false
	}
	_, err := binary.Decode(b[len(tag):n], binary.LittleEndian, v)
	return err == nil
}
